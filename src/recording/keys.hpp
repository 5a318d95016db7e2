#pragma once

// The keys of a snapshot, by the kind of dict: the one list from which the readers take their columns, and by which a
// recording names the unread keys.

#include <array>
#include <cstddef>
#include <string_view>

namespace memviz {

template <std::size_t Read, std::size_t Redundant = 0> struct Keys {
  std::array<std::string_view, Read> read;                ///< in the order of the columns of a FieldReader
  std::array<std::string_view, Redundant> redundant = {}; ///< written by PyTorch, but redundant with keys that are read

  /// Returns the column of a key that is read. Any other key does not compile.
  [[nodiscard]] consteval std::size_t operator[](std::string_view key) const {
    for (std::size_t column = 0; column < Read; ++column)
      if (read.at(column) == key) return column;
    throw "not in the list";
  }
  /// Returns `key`, which must be of such a dict, read or redundant: any other does not compile.
  [[nodiscard]] consteval std::string_view name(std::string_view key) const {
    for (const std::string_view one : redundant)
      if (one == key) return one;
    return read.at((*this)[key]);
  }
};

inline constexpr Keys<9> kRootKeys{{"segments", "device_traces", "host_segments", "host_traces", "allocator_settings",
                                    "external_annotations", "memviz_recorder", "memviz_keepers", "memviz_rehearsal"}};
inline constexpr Keys<9, 3> kSegmentKeys{{"device", "address", "total_size", "stream", "segment_type",
                                          "segment_pool_id", "is_expandable", "frames", "blocks"},
                                         {"allocated_size", "active_size", "requested_size"}};
/// Before PyTorch 2.1 blocks have a `history` instead of `frames`, and no `address`.
inline constexpr Keys<6, 1> kBlockKeys{{"address", "size", "requested_size", "state", "frames", "history"},
                                       {"gc_counter"}};
inline constexpr Keys<2> kHistoryKeys{{"real_size", "frames"}};
/// `compile_context` begins with PyTorch 2.7, `user_metadata` with 2.9, `pool_id`, `forward_frames` and
/// `internal_metadata` in 2026; `category` is written by PyTorch's profiler, `device_free` by out-of-memory errors in
/// place of `addr`.
inline constexpr Keys<13, 1> kEventKeys{{"action", "addr", "device_free", "size", "stream", "time_us", "frames",
                                         "compile_context", "user_metadata", "pool_id", "forward_frames",
                                         "internal_metadata", "category"},
                                        {"cpp_frames"}};
inline constexpr Keys<7> kFrameKeys{
    {"name", "filename", "line", "fx_node_op", "fx_node_name", "fx_node_target", "fx_original_trace"}};
/// All other keys of an annotation are its metadata.
inline constexpr Keys<4> kAnnotationKeys{{"name", "stage", "device", "time_us"}};

} // namespace memviz
