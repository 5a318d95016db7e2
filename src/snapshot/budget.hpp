#pragma once

// A bound on what a file can unfold into. A pickle may refer to one list of blocks a million times in two bytes each;
// genuine writers write every segment, block, event and annotation once.

#include "snapshot/where.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace memviz {

class Budget {
public:
  /// Allows some sharing: 4 records for each dict of the document.
  void allow(std::uint64_t dict_count) {
    left_ = std::min<std::uint64_t>(4 * dict_count + 1000, std::numeric_limits<std::uint32_t>::max());
  }

  /// Throws SchemaError when `count` more records are too many; they are counted in 32 bits, too.
  void spend(std::uint64_t count, const Where& where, Value container) {
    if (count > left_)
      fail_at(where, container, "records that the file holds once each",
              std::to_string(count) + " references to the same ones");
    left_ -= count;
  }

private:
  std::uint64_t left_ = 0;
};

} // namespace memviz
