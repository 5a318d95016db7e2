#pragma once

// A field of a question, described once: its name, the words for it, its help, and the place of its value. It is an
// option of a command line, and a member of a page's request.

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// The spelling of an option, and its help.
struct OptionText {
  std::string_view name;  ///< without the dashes
  char letter = '\0';     ///< of the short form, if it has one
  std::string_view value; ///< what stands for the value in the help; "" for an option without one
  std::string text;       ///< one or two sentences for the help
  bool may_repeat = false;
  bool is_rare = false;                     ///< shown by --help=all only
  std::vector<std::string_view> words = {}; ///< the possible values, or their beginnings; empty: anything
  bool is_list = false;                     ///< the value may have several of the words, separated by commas
  std::string_view value_alone = {};        ///< the value if none is given; then a value only follows "="
  std::string_view standard = {};           ///< the word of an absent option, if its field has one of the words
};

/// Returns the part of the help after the name: " SIZE", "[=auto|on|off]", or nothing. `value`: its value as shown.
[[nodiscard]] inline std::string value_help(const OptionText& option, const std::string& value) {
  if (option.value.empty()) return "";
  return option.value_alone.empty() ? " " + value : "[=" + value + "]";
}

template <class Options> struct Option {
  OptionText text;
  /// Called each time the option is given; throws UsageError for a word that is not allowed.
  std::function<void(Options& options, const std::string& word)> set;
};

template <class Options> using OptionList = std::vector<Option<Options>>;

/// An option without a value.
template <class Options> [[nodiscard]] Option<Options> flag(OptionText text, bool Options::*field) {
  return {std::move(text), [field](Options& options, const std::string& /*word*/) { options.*field = true; }};
}

/// Sets the field to `parse(name of the option, word)`.
template <class Options, class Field, class Parse>
[[nodiscard]] Option<Options> parsed(OptionText text, Field Options::*field, const Parse& parse) {
  const std::string_view name = text.name;
  return {std::move(text),
          [name, field, parse](Options& options, const std::string& word) { options.*field = parse(name, word); }};
}

/// Sets the field to the word.
template <class Options, class Field> [[nodiscard]] Option<Options> verbatim(OptionText text, Field Options::*field) {
  return parsed(std::move(text), field, [](std::string_view /*name*/, const std::string& word) { return word; });
}

/// Marks an option that few people need: the short help omits it.
template <class Options> [[nodiscard]] Option<Options> rare(Option<Options> option) {
  option.text.is_rare = true;
  return option;
}

template <class Options> [[nodiscard]] OptionList<Options> all_rare(OptionList<Options> options) {
  for (Option<Options>& option : options)
    option.text.is_rare = true;
  return options;
}

/// Defines an option whose value has several of `words`, separated by commas.
[[nodiscard]] inline OptionText list_of(OptionText text, std::vector<std::string_view> words) {
  text.words = std::move(words);
  text.is_list = true;
  return text;
}

/// Defines an option whose value may be, or begin with, one of `words`.
[[nodiscard]] inline OptionText with_words(OptionText text, std::vector<std::string_view> words) {
  text.words = std::move(words);
  return text;
}

/// Returns the options of a part that several commands share, as options of the whole.
template <class Options, class Base, class Part>
[[nodiscard]] OptionList<Options> within(Part Base::*part, const OptionList<Part>& options) {
  OptionList<Options> all;
  for (const Option<Part>& option : options)
    all.push_back(
        {option.text, [part, set = option.set](Options& whole, const std::string& word) { set(whole.*part, word); }});
  return all;
}

/// Returns the lists, concatenated.
template <class Options> [[nodiscard]] OptionList<Options> joined(std::initializer_list<OptionList<Options>> lists) {
  OptionList<Options> all;
  for (const auto& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

} // namespace memviz
