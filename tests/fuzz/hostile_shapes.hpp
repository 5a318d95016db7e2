#pragma once

// Files whose content is as large, deep, shared or scattered as their size allows: one function a shape.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::fuzz {

/// As many devices as a file may have.
inline constexpr std::uint64_t kMostDevices = 1024;

enum class FileKind : std::uint8_t { snapshot, archive };

struct HostileShape {
  std::string_view name;
  /// A file of about `bytes` bytes.
  std::string (*make)(std::size_t bytes);
  FileKind kind = FileKind::snapshot;
};

/// Pickles whose values are the trouble, whatever they stand for; and JSON.
[[nodiscard]] std::vector<HostileShape> value_shapes();
/// Snapshots whose segments, events and stacks are the trouble.
[[nodiscard]] std::vector<HostileShape> snapshot_shapes();
/// Snapshots of two things of which each has to be looked at for each of the other, unless somebody takes care.
[[nodiscard]] std::vector<HostileShape> product_shapes();
/// Exported programs, for `memviz flops`.
[[nodiscard]] std::vector<HostileShape> archive_shapes();
/// All of them.
[[nodiscard]] std::vector<HostileShape> hostile_shapes();

} // namespace memviz::fuzz
