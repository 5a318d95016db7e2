#pragma once

// A bound on what a file can unfold into. A pickle may refer to one list of blocks a million times in two bytes each;
// genuine writers write every segment, block, event and annotation once.

#include "snapshot/where.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace memviz {

class Budget {
public:
  /// Allows some sharing: 16 records for each dict of the document.
  explicit Budget(std::uint64_t dict_count) : left_(16 * dict_count + 1000) {
    if (left_ > std::numeric_limits<std::uint32_t>::max()) left_ = std::numeric_limits<std::uint32_t>::max();
  }

  /// Throws SchemaError when `count` more records are too many; they are counted in 32 bits, too.
  void spend(std::uint64_t count, const Where& where, Value container) {
    if (count > left_)
      fail_at(where, container, "records that the file holds once each",
              std::to_string(count) + " references to the same ones");
    left_ -= count;
  }

private:
  std::uint64_t left_;
};

} // namespace memviz
