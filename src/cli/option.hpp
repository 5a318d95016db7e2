#pragma once

// An option of a command line -> a field of what the command takes: each option knows its spelling, its help, and where
// its value goes.

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::cli {

/// The spelling of an option, and its help.
struct OptionText {
  std::string_view name;  ///< without the dashes
  char letter = '\0';     ///< of the short form, if it has one
  std::string_view value; ///< what stands for the value in the help; "" for an option without one
  std::string text;       ///< one sentence or two for the help
  bool may_repeat = false;
  bool is_rare = false;                     ///< shown by --help=all only
  std::vector<std::string_view> words = {}; ///< what the value may be, or begin with; empty: anything
  bool is_list = false;                     ///< the value may have several of the words, with commas between
  std::string_view value_alone = {};        ///< of the option without one; its value then only follows "="
};

/// Returns the part of the help after the name: " SIZE", "[=auto|on|off]", or nothing.
[[nodiscard]] inline std::string value_help(const OptionText& option) {
  if (option.value.empty()) return "";
  if (option.value_alone.empty()) return " " + std::string(option.value);
  return "[=" + std::string(option.value) + "]";
}

template <class Options> struct Option {
  OptionText text;
  /// Called once each time the option is given; throws UsageError for a word that is not allowed.
  std::function<void(Options& options, const std::string& word)> set;
};

template <class Options> using OptionList = std::vector<Option<Options>>;

/// An option without a value.
template <class Options> [[nodiscard]] Option<Options> flag(OptionText text, bool Options::*field) {
  return {std::move(text), [field](Options& options, const std::string& /*word*/) { options.*field = true; }};
}

/// The field becomes `parse(name of the option, word)`.
template <class Options, class Field, class Parse>
[[nodiscard]] Option<Options> parsed(OptionText text, Field Options::*field, const Parse& parse) {
  const std::string_view name = text.name;
  return {std::move(text),
          [name, field, parse](Options& options, const std::string& word) { options.*field = parse(name, word); }};
}

/// The field becomes the word itself.
template <class Options, class Field> [[nodiscard]] Option<Options> verbatim(OptionText text, Field Options::*field) {
  return parsed(std::move(text), field, [](std::string_view /*name*/, const std::string& word) { return word; });
}

/// --help is looked for before anything else; as an option it only is in the help.
template <class Options> [[nodiscard]] Option<Options> help_option() {
  return {{"help", 'h', "", "this text; --help=all has every option"},
          [](Options& /*options*/, const std::string& /*word*/) {}};
}

/// One that few people need: the short help leaves it out.
template <class Options> [[nodiscard]] Option<Options> rare(Option<Options> option) {
  option.text.is_rare = true;
  return option;
}

template <class Options> [[nodiscard]] OptionList<Options> all_rare(OptionList<Options> options) {
  for (Option<Options>& option : options)
    option.text.is_rare = true;
  return options;
}

/// An option whose value has several of `words`, with commas between.
[[nodiscard]] inline OptionText list_of(OptionText text, std::vector<std::string_view> words) {
  text.words = std::move(words);
  text.is_list = true;
  return text;
}

/// An option whose value may be, or begin with, one of `words`.
[[nodiscard]] inline OptionText with_words(OptionText text, std::vector<std::string_view> words) {
  text.words = std::move(words);
  return text;
}

/// The options of a part that several commands have, as those of the whole.
template <class Options, class Base, class Part>
[[nodiscard]] OptionList<Options> within(Part Base::*part, const OptionList<Part>& options) {
  OptionList<Options> all;
  for (const Option<Part>& option : options)
    all.push_back(
        {option.text, [part, set = option.set](Options& whole, const std::string& word) { set(whole.*part, word); }});
  return all;
}

/// One list after the other.
template <class Options> [[nodiscard]] OptionList<Options> joined(std::initializer_list<OptionList<Options>> lists) {
  OptionList<Options> all;
  for (const auto& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

} // namespace memviz::cli
