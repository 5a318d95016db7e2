#include "answers/choice.hpp"

#include "base/suggest.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

std::size_t chosen_index(std::string_view option, std::string_view word, const std::vector<std::string_view>& words) {
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw UsageError(fmt::format("--{} must be {}, not '{}'{}", option, listed(words), word, did_you_mean(word, words)));
}

} // namespace memviz
