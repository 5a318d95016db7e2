#include "analysis/rounding.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace memviz {

namespace {

// c10/cuda/CUDACachingAllocator.cpp, PyTorch 1.13 to 2.13.
constexpr std::uint64_t kMinBlockBytes = 512;
constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20U;       ///< the largest request in a small pool
constexpr std::uint64_t kSmallBufferBytes = std::uint64_t{2} << 20U; ///< its segments
constexpr std::string_view kDivisions = "roundup_power2_divisions.";

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

} // namespace

Rounding::Rounding(const Snapshot& snapshot) : max_split_bytes_(std::numeric_limits<std::uint64_t>::max()) {
  for (const auto& [name_id, value_id] : snapshot.settings) {
    const std::string_view name = snapshot.frames.text(name_id);
    const std::string_view value = snapshot.frames.text(value_id);
    if (name == "expandable_segments") is_expandable_ = value == "true" || value == "True" || value == "1";
    const auto number = number_in(value);
    if (name == "max_split_size" && number && *number > 0) max_split_bytes_ = *number;
    if (!name.starts_with(kDivisions)) continue;
    const auto megabytes = number_in(name.substr(kDivisions.size()));
    if (!megabytes || !std::has_single_bit(*megabytes) || !number) continue;
    const auto interval = static_cast<std::size_t>(std::countr_zero(*megabytes));
    if (interval < divisions_.size()) divisions_[interval] = *number;
  }
}

std::uint64_t Rounding::rounded(std::uint64_t requested_bytes) const {
  if (requested_bytes < kMinBlockBytes) return kMinBlockBytes;
  const std::uint64_t interval = std::bit_floor(requested_bytes) / kSmallBytes; // in MiB, 0 below one
  const auto index = interval == 0 ? std::size_t{0} : static_cast<std::size_t>(std::countr_zero(interval));
  const std::uint64_t divisions = divisions_[std::min(index, divisions_.size() - 1)];
  if (divisions > 1 && (requested_bytes + kMinBlockBytes - 1) / kMinBlockBytes > divisions) {
    if (std::has_single_bit(requested_bytes)) return requested_bytes;
    const std::uint64_t step = std::bit_floor(requested_bytes) / std::bit_floor(divisions);
    if (step == 0) return 2 * std::bit_floor(requested_bytes);
    return (requested_bytes + step - 1) / step * step;
  }
  return (requested_bytes + kMinBlockBytes - 1) / kMinBlockBytes * kMinBlockBytes;
}

std::uint64_t Rounding::block_bytes(std::uint64_t requested_bytes, std::uint64_t room_bytes,
                                    const Segment& segment) const {
  if (requested_bytes >= room_bytes) return room_bytes;
  const std::uint64_t bytes = rounded(requested_bytes);
  if (bytes >= room_bytes) return room_bytes;
  const std::uint64_t rest_bytes = room_bytes - bytes;
  const bool is_small = !segment.is_large.value_or(segment.total_bytes != kSmallBufferBytes);
  if (is_small || segment.is_expandable || is_expandable_) return rest_bytes >= kMinBlockBytes ? bytes : room_bytes;
  return bytes < max_split_bytes_ && rest_bytes > kSmallBytes ? bytes : room_bytes;
}

} // namespace memviz
