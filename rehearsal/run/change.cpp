#include "run/change.hpp"

#include "run/search.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace memviz::rehearse {

RunChange parse_change(std::string_view option, const std::string& text) {
  if (!text.starts_with('-')) return {text, {parse_setting(option, text)}};
  RunChange change{text};
  std::istringstream words(text);
  for (std::string word; words >> word;)
    change.arguments.push_back(word);
  return change;
}

std::vector<RunChange> allocator_levers() {
  // PyTorch 2.9 and newer read both names, the newer one first.
  constexpr const char* kNewName = "PYTORCH_ALLOC_CONF";
  const std::string name = std::getenv(kNewName) != nullptr ? kNewName : "PYTORCH_CUDA_ALLOC_CONF";
  const char* const given = std::getenv(name.c_str());
  const std::string before = given == nullptr || *given == '\0' ? "" : std::string(given) + ',';
  std::vector<RunChange> levers;
  for (const char* const setting : {"expandable_segments:True", "max_split_size_mb:128", "roundup_power2_divisions:8",
                                    "garbage_collection_threshold:0.8"})
    levers.push_back({fmt::format("{}={}{}", name, before, setting), {{name, before + setting}}});
  return levers;
}

std::vector<std::string> with_arguments(std::vector<std::string> words, const RunChange& change) {
  words.insert(words.end(), change.arguments.begin(), change.arguments.end());
  return words;
}

} // namespace memviz::rehearse
