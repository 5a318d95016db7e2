#pragma once

// The value of an option that allows a few words -> the value that the word means. The words are in one table, which
// help, error messages and completion use.

#include "answers/option.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memviz {

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

/// Returns the index of the word in `words`. Throws UsageError with the allowed words and the most similar one.
[[nodiscard]] std::size_t chosen_index(std::string_view option, std::string_view word,
                                       const std::vector<std::string_view>& words);

/// Throws the exceptions of chosen_index().
template <class Value>
[[nodiscard]] Value chosen(std::string_view option, std::string_view word, const Choices<Value>& choices) {
  return choices[chosen_index(option, word, words_of(choices))].value;
}

/// Sets the field to the meaning of the word.
template <class Options, class Field, class Value>
[[nodiscard]] Option<Options> one_of(OptionText text, Field Options::*field, const Choices<Value>& choices) {
  text.words = words_of(choices);
  if constexpr (std::is_same_v<Field, Value>)
    for (const Choice<Value>& choice : choices)
      if (choice.value == Options().*field) text.standard = choice.word;
  return parsed(std::move(text), field, [choices](std::string_view name, const std::string& word) {
    return chosen<Value>(name, word, choices);
  });
}

} // namespace memviz
