#pragma once

// Texts of frames -> facts about them, computed once for each distinct text, because a file may give one name of
// megabytes to all its frames.

#include "memviz/frames.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memviz {

template <class Fact> class TextFacts {
public:
  /// `find` computes the fact of a text. `frames` must outlive this object, and may grow.
  TextFacts(const FrameTable& frames, Fact (*find)(std::string_view)) : frames_(frames), find_(find) {}

  [[nodiscard]] Fact of(StringId text) {
    if (text.value >= facts_.size()) facts_.resize(frames_.string_count());
    std::optional<Fact>& fact = facts_[text.value];
    if (!fact) fact = find_(frames_.text(text));
    return *fact;
  }

private:
  const FrameTable& frames_;
  Fact (*find_)(std::string_view);
  std::vector<std::optional<Fact>> facts_;
};

} // namespace memviz
