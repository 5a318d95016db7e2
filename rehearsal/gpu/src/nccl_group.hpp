// The calls of NCCL between ncclGroupStart and ncclGroupEnd. All take effect at the end, when everything that this rank
// sends is known, which is used in place of what it receives. PyTorch 2.14 and later gather by a broadcast from each
// rank in one group.
#pragma once

#include "recent_writes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz::rehearsal {

// One broadcast, send or receive of this rank. Addresses are 0 if it does not send, or does not receive.
struct Exchange {
  static constexpr int kBroadcast = -1;

  const void* communicator;
  int peer; // or kBroadcast
  std::size_t bytes;
  std::uint64_t sent;
  std::uint64_t received;
};

// The groups of one thread; they nest, and the outermost counts.
class NcclGroup {
public:
  void start() { ++depth_; }
  // Returns false if no group was started.
  bool end(RecentWrites& writes);
  [[nodiscard]] bool is_open() const { return depth_ > 0; }
  // Outside of a group it is done at once.
  void add(const Exchange& exchange, RecentWrites& writes);

private:
  void settle(RecentWrites& writes);

  int depth_ = 0;
  std::vector<Exchange> exchanges_;
};

} // namespace memviz::rehearsal
