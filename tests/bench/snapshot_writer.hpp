#pragma once

// The invented program's snapshot -> a file, in the order and with the sharing of objects that PyTorch has. Nothing is
// held that grows with the number of events.

#include <cstdint>
#include <cstdio>

namespace memviz::bench {

enum class Writer : std::uint8_t { python, cpp };

enum class Shape : std::uint8_t {
  /// A list of frames for each alloc and each free_requested, context="all": what PyTorch records by default.
  own,
  /// Frees refer to the list of their alloc: context="alloc".
  alloc,
  /// One list for each distinct stack, one "N/A" for all, the keys of PyTorch 2.10: 80 bytes an event.
  shared,
};

struct SnapshotOptions {
  std::uint64_t events = 1'000'000;
  std::uint64_t seed = 1;
  std::uint32_t max_depth = 60;
  Writer writer = Writer::python;
  Shape shape = Shape::own;
};

/// Writes a snapshot with that many events of two devices. Throws std::runtime_error where the file cannot be written.
void write_snapshot(const SnapshotOptions& options, std::FILE* file);

} // namespace memviz::bench
