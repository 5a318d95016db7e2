#pragma once

// A text of rules -> the kinds of memory that a user knows by names of functions, files or annotations. One rule a
// line: a kind and a regular expression (RE2), as in
//
//   # key and value caches of our server
//   activation  cache_engine\.py:\d+:allocate
//
// The first rule wins that matches a frame, written as /path/file.py:12:function, or a text that the program attached
// to the allocation. Empty lines and those that begin with # say nothing.

#include "memviz/memory_kind.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

namespace memviz {

class KindRules {
public:
  KindRules() = default; ///< none
  /// Parses rules. Throws Error, which names the line, for a line that is not a rule.
  explicit KindRules(std::string_view text);

  [[nodiscard]] bool empty() const { return rules_ == nullptr; }
  /// Returns the index of the first rule that matches.
  [[nodiscard]] std::optional<std::size_t> first_match(std::string_view text) const;
  /// Returns the kind of the rule with that index.
  [[nodiscard]] MemoryKind kind(std::size_t rule) const;

private:
  struct Rule;
  std::shared_ptr<const std::deque<Rule>> rules_; ///< null: no rules
};

} // namespace memviz
