#include "analysis/allocator/rounding.hpp"

namespace memviz {

std::uint64_t Rounding::block_bytes(std::uint64_t requested_bytes, std::uint64_t room_bytes,
                                    const Segment& segment) const {
  if (is_host(segment.device)) return room_bytes; // its allocator never splits: a block is its whole segment
  if (requested_bytes >= room_bytes) return room_bytes;
  const std::uint64_t bytes = rounded_request(settings_, requested_bytes);
  if (bytes >= room_bytes) return room_bytes;
  const std::uint64_t rest_bytes = room_bytes - bytes;
  if (is_small_segment(segment) || segment.is_expandable || settings_.expandable_segments)
    return rest_bytes >= kMinBlockBytes ? bytes : room_bytes;
  return bytes < settings_.max_split_bytes && rest_bytes > kSmallRequestBytes ? bytes : room_bytes;
}

} // namespace memviz
