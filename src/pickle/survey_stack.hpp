#pragma once

// The stack of a pickle machine that records only how deeply containers are nested. If a file takes more from it than
// there is, which the decoder reports, nothing happens.

#include "pickle/opcode_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace memviz::pickle {

class SurveyStack {
public:
  void apply(const OpcodeInfo& info) {
    switch (info.effect) {
    case Effect::nothing:
    case Effect::memoize: break;
    case Effect::push_leaf: stack_.push_back(0); break;
    case Effect::push_container: push_container(1); break;
    case Effect::push_mark: marks_.push_back(stack_.size()); break;
    case Effect::wrap: push_container(around(pop(info.popped))); break;
    case Effect::wrap_to_mark: push_container(around(pop_to_mark())); break;
    case Effect::fill: fill(pop(info.popped)); break;
    case Effect::fill_to_mark: fill(pop_to_mark()); break;
    case Effect::drop: drop(); break;
    case Effect::drop_to_mark: static_cast<void>(pop_to_mark()); break;
    case Effect::duplicate: stack_.push_back(stack_.empty() ? 0 : stack_.back()); break;
    case Effect::replace:
      static_cast<void>(pop(info.popped));
      stack_.push_back(0);
      break;
    case Effect::replace_to_mark:
      static_cast<void>(pop_to_mark());
      stack_.push_back(0);
      break;
    }
  }

  /// Returns the maximum depth of containers so far.
  [[nodiscard]] std::uint64_t deepest() const { return deepest_; }

private:
  /// Returns the depth of containers below a value of the stack, including itself: 0 for a leaf.
  using Depth = std::uint32_t;

  static std::optional<Depth> max_of(std::optional<Depth> deepest, Depth depth) {
    return std::max(deepest.value_or(0), depth);
  }
  static Depth around(std::optional<Depth> items) {
    return std::min(items.value_or(0), std::numeric_limits<Depth>::max() - 1) + 1;
  }

  void push_container(Depth depth) {
    deepest_ = std::max(deepest_, depth);
    stack_.push_back(depth);
  }

  /// Returns the maximum depth of the topmost values, and removes them; 0 if there are none.
  std::optional<Depth> pop(std::size_t values) {
    std::optional<Depth> deepest;
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    for (; values > 0 && stack_.size() > floor; --values) {
      deepest = max_of(deepest, stack_.back());
      stack_.pop_back();
    }
    return deepest;
  }

  std::optional<Depth> pop_to_mark() {
    if (marks_.empty()) return std::nullopt;
    const auto deepest = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return deepest;
  }

  void fill(std::optional<Depth> items) {
    if (!items || stack_.empty()) return;
    stack_.back() = std::max(stack_.back(), around(items));
    deepest_ = std::max(deepest_, stack_.back());
  }

  void drop() {
    if (!marks_.empty() && marks_.back() == stack_.size())
      marks_.pop_back();
    else
      static_cast<void>(pop(1));
  }

  std::vector<Depth> stack_;
  std::vector<std::size_t> marks_;
  Depth deepest_ = 0;
};

} // namespace memviz::pickle
