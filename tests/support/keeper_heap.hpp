#pragma once

// A device with ten blocks, for tests of what keeps them.

#include "memviz/recording.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <cstdint>
#include <string>

namespace memviz::test {

inline constexpr std::uint64_t kHeap = 0x1000000;

/// The address of the block with this number of those in heap_of().
inline std::uint64_t at(std::uint64_t block) {
  return kHeap + block * MiB;
}

/// A device with ten blocks of a mebibyte in use, of which the program requested all but 1 KiB.
inline Recording heap_of(const PythonValue& keepers) {
  SnapshotBuilder snapshot;
  SegmentBuilder segment = snapshot.segment(kHeap, 12 * MiB);
  for (int i = 0; i < 10; ++i)
    segment.active(MiB, MiB - KiB, {"/home/me/train.py:3:make"});
  segment.inactive(2 * MiB);
  return snapshot.set("memviz_keepers", keepers).read();
}

/// Adds a running function, and returns its object.
inline int frame(KeeperBuilder& keepers, const std::string& function, const std::string& file = "/home/me/train.py") {
  const int number = keepers.object("frame", {.name = function, .file = file, .line = 12});
  keepers.root("local", number);
  return number;
}

} // namespace memviz::test
