#include "snapshot/read_fast.hpp"

// In the place of read_fast.cpp where MEMVIZ_FAST_READER is OFF.

namespace memviz {

FastReading read_fast(std::string_view /*bytes*/, const ReadOptions& /*options*/) {
  return {std::nullopt, {PlainReason::not_built}};
}

} // namespace memviz
