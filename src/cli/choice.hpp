#pragma once

// The value of an option that allows a few words -> the value that the word means. The words are in one table, which
// help, error messages and completion use.

#include "base/suggest.hpp"
#include "cli/option.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::cli {

template <class Value> struct Choice {
  std::string_view word;
  Value value;
};

template <class Value> using Choices = std::vector<Choice<Value>>;

template <class Value> [[nodiscard]] std::vector<std::string_view> words_of(const Choices<Value>& choices) {
  std::vector<std::string_view> words;
  for (const auto& choice : choices)
    words.push_back(choice.word);
  return words;
}

/// Throws UsageError with the allowed words and the most similar one.
template <class Value>
[[nodiscard]] Value chosen(std::string_view option, std::string_view word, const Choices<Value>& choices) {
  for (const auto& choice : choices)
    if (choice.word == word) return choice.value;
  const std::vector<std::string_view> words = words_of(choices);
  throw UsageError(fmt::format("--{} must be {}, not '{}'{}", option, listed(words), word, did_you_mean(word, words)));
}

/// Sets the field to the meaning of the word.
template <class Options, class Field, class Value>
[[nodiscard]] Option<Options> one_of(OptionText text, Field Options::*field, const Choices<Value>& choices) {
  text.words = words_of(choices);
  return parsed(std::move(text), field, [choices](std::string_view name, const std::string& word) {
    return chosen<Value>(name, word, choices);
  });
}

} // namespace memviz::cli
