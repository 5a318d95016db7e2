#pragma once

// Files whose contents are as large, deep, shared or scattered as their size allows: one function per shape.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::fuzz {

/// The maximum number of devices of a file.
inline constexpr std::uint64_t kMostDevices = 1024;

enum class FileKind : std::uint8_t { snapshot, archive };

struct HostileShape {
  std::string_view name;
  /// Returns a file of about `bytes` bytes.
  std::string (*make)(std::size_t bytes);
  FileKind kind = FileKind::snapshot;
};

/// Pickles whose values are expensive, whatever they mean; and JSON.
[[nodiscard]] std::vector<HostileShape> value_shapes();
/// Snapshots whose segments, events and stacks are expensive.
[[nodiscard]] std::vector<HostileShape> snapshot_shapes();
/// Snapshots with two kinds of items, each of which naive code would compare with every item of the other.
[[nodiscard]] std::vector<HostileShape> product_shapes();
/// Exported programs, for `memviz flops`.
[[nodiscard]] std::vector<HostileShape> archive_shapes();
/// All of them.
[[nodiscard]] std::vector<HostileShape> hostile_shapes();

} // namespace memviz::fuzz
