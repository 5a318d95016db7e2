#pragma once

// Warnings of one kind, of which a file may cause one for each device, or for each of 65,536: the first ones, and the
// number of the others. This bounds the length of every output for such files.

#include "memviz/format.hpp"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace memviz {

class LikeWarnings {
public:
  /// `make` builds a warning; it is called only for those that are shown.
  template <class Make> void add(Make&& make) {
    if (texts_.size() < kMostShown)
      texts_.push_back(make());
    else
      ++more_;
  }

  void append_to(std::vector<std::string>& warnings) const {
    warnings.insert(warnings.end(), texts_.begin(), texts_.end());
    if (more_ > 0) warnings.push_back(fmt::format("and {} more like it", format_count(more_)));
  }

private:
  static constexpr std::size_t kMostShown = 8; ///< as many as the GPUs of a machine
  std::vector<std::string> texts_;
  std::uint64_t more_ = 0;
};

} // namespace memviz
