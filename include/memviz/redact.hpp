#pragma once

// A file's text -> text that may be published. Each hidden text becomes a pseudonym that depends on nothing but that
// text and the key, so that two redacted results still compare.
//
// What is hidden and what is kept:
// - paths: folders and file names, but those of Python itself, of widely known packages and of torch's own sources;
//   paths inside of other texts. The last three folders have their own pseudonyms, so that two checkouts of a
//   project compare; what is at most the name of a home directory has none.
// - names: functions, classes, modules and namespaces that are not from those; annotations and metadata.
// - all: both, and settings and compile contexts where they are free text.
// Of a program of torch.export: names of modules, classes, operators and sizes that are not PyTorch's.
// What was read is then searched for what was hidden, so that a text that went around the redactor is an error and not
// published; see leaks().
// Sizes, times, addresses, counts, line numbers and the shape of stacks stay: they can also identify a program.
// Without a key, whoever guesses a name can check the guess.

#include "memviz/text_rewriter.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The role of a text in an exported program.
enum class ProgramText : std::uint8_t {
  module_path,   ///< "transformer.h.0"; also the name of a weight, or of the program itself
  class_name,    ///< "torch.nn.modules.linear.Linear"
  operator_name, ///< "aten.mm.default"
  size,          ///< a symbol, "s0", or an expression that is not understood
};

enum class Redact : std::uint8_t { paths, names, all };

struct RedactOptions {
  Redact what = Redact::all;
  std::string key; ///< "": pseudonyms that anyone can compute
};

class Redactor final : public TextRewriter {
public:
  explicit Redactor(RedactOptions options);
  ~Redactor() override;
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  [[nodiscard]] FrameText frame(std::string_view name, std::string_view filename) override;
  [[nodiscard]] std::string text(TextKind kind, std::string_view text) override;

  [[nodiscard]] std::string text(ProgramText kind, std::string_view text);

  /// Returns the name of the input for pictures and messages: its base name, or with Redact::all a pseudonym.
  [[nodiscard]] std::string input_name(std::string_view path);
  /// Returns a message without its quotations from the file.
  [[nodiscard]] static std::string message(std::string_view text);

  /// Returns the number of places in the recording's texts that contain a hidden text. Its warnings are memviz's own
  /// sentences, which quote only texts of its tables; they are searched like an output. Does not search for words of
  /// fewer than four letters, nor for hidden texts that a text that was not hidden contains as well.
  [[nodiscard]] std::size_t leaks(const Recording& recording) const;
  /// Returns the number of places in an output where a hidden path begins, or a path that was in a hidden text: one
  /// with at least three '/', or two and a file ending. Searches for nothing else, because an output contains memviz's
  /// own words, any of which may be a function's name.
  [[nodiscard]] std::size_t leaks_in_output(std::string_view output) const;

  /// Throws Error if there are leaks(). Called by read_snapshot().
  void check(const Recording& recording) const override;
  /// Throws Error if texts of an exported program contain a hidden text.
  void check_texts(const std::vector<std::string_view>& texts) const;
  /// Throws Error if there are leaks_in_output().
  void check_output(std::string_view output) const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace memviz
