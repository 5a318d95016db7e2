#include "memviz/tree.hpp"

namespace memviz {

Amount& Amount::operator+=(const Amount& more) {
  bytes += more.bytes;
  blocks += more.blocks;
  return *this;
}

Change& Change::operator+=(const Change& more) {
  before += more.before;
  after += more.after;
  width_bytes += more.width_bytes;
  return *this;
}

std::int64_t Change::delta_bytes() const {
  return static_cast<std::int64_t>(after.bytes) - static_cast<std::int64_t>(before.bytes);
}

} // namespace memviz
