#pragma once

// The text of a JSON object -> a page's question to the engine. Members that are options of the command line have their
// names, with _ for -, and their words.

#include "answers/option.hpp"
#include "memviz/device_id.hpp"
#include "memviz/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::view {

/// A question. Absent members have a default; all readers throw UsageError for a member of another type.
class PageRequest {
public:
  /// Throws UsageError for anything other than a JSON object.
  explicit PageRequest(std::string_view json);
  ~PageRequest();
  PageRequest(const PageRequest&) = delete;
  PageRequest& operator=(const PageRequest&) = delete;

  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = "") const;
  /// Returns the number `name`, but at most `most`.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) const;
  /// Returns the same for an index of something in memory.
  [[nodiscard]] std::size_t count(std::string_view name, std::size_t otherwise, std::size_t most) const {
    return static_cast<std::size_t>(number(name, otherwise, most));
  }
  /// Returns a bool, false by default.
  [[nodiscard]] bool flag(std::string_view name) const;
  /// Sets each field of `question` for which the request has a member. Throws the exceptions of Option::set.
  template <class Question> void fill(Question& question, const OptionList<Question>& options) const {
    for (const Option<Question>& option : options)
      if (const auto word = word_of(option.text)) option.set(question, *word);
  }
  template <class Question> [[nodiscard]] Question filled(const OptionList<Question>& options) const {
    Question question;
    fill(question, options);
    return question;
  }
  /// Returns the member "device"; nullopt: all of them.
  [[nodiscard]] std::optional<DeviceId> device() const;
  /// Returns the members "first" and "last" as states of a record; all of them by default.
  [[nodiscard]] Window window(std::uint32_t events) const;

private:
  /// Returns the word that a command line would have for the member; nullopt if there is none.
  [[nodiscard]] std::optional<std::string> word_of(const OptionText& option) const;

  struct Members;
  std::unique_ptr<Members> members_;
};

} // namespace memviz::view
