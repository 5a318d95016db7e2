#pragma once

// The value of an option that allows a few words -> what the word stands for.

#include "memviz/error.hpp"
#include "text/suggest.hpp"

#include <fmt/format.h>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace memviz::cli {

template <class Value> struct Choice {
  std::string_view word;
  Value value;
};

/// Throws UsageError with the words allowed, and the nearest one.
template <class Value>
[[nodiscard]] Value chosen(std::string_view option, std::string_view word,
                           std::initializer_list<Choice<Value>> choices) {
  std::vector<std::string_view> words;
  for (const auto& choice : choices) {
    if (choice.word == word) return choice.value;
    words.push_back(choice.word);
  }
  throw UsageError(fmt::format("--{} must be {}, not '{}'{}", option, listed(words), word, did_you_mean(word, words)));
}

} // namespace memviz::cli
