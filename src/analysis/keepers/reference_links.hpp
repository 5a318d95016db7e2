#pragma once

// References in any order -> the references from each object, in one flat table.

#include "memviz/keepers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

class ReferenceLinks {
public:
  explicit ReferenceLinks(const KeeperGraph& graph)
      : begins_(graph.objects.size() + 1), references_(graph.references.size()) {
    for (const KeeperReference& one : graph.references)
      ++begins_[one.from.value + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i)
      begins_[i] += begins_[i - 1];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t i = 0; i < graph.references.size(); ++i)
      references_[next[graph.references[i].from.value]++] = i;
  }

  /// Returns the indices of the references from an object.
  [[nodiscard]] std::span<const std::uint32_t> from(KeeperId object) const {
    const std::uint32_t begin = begins_[object.value];
    return std::span(references_).subspan(begin, begins_[object.value + 1] - begin);
  }

private:
  std::vector<std::uint32_t> begins_; ///< by object, and the end of the last one
  std::vector<std::uint32_t> references_;
};

} // namespace memviz
