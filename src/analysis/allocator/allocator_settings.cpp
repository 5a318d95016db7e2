#include "memviz/allocator_settings.hpp"

#include "base/printable.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

namespace memviz {

namespace {

template <class Number> std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool is_true(std::string_view text) {
  return text == "true" || text == "True" || text == "1";
}

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t step) {
  return (bytes + step - 1) / step * step;
}

/// "roundup_power2_divisions.4" -> 2: the keys are powers of two, in MiB.
std::optional<std::size_t> division_index(std::string_view name) {
  constexpr std::string_view kName = "roundup_power2_divisions.";
  if (!name.starts_with(kName)) return std::nullopt;
  const auto mebibytes = number_of<std::uint64_t>(name.substr(kName.size()));
  if (!mebibytes || !std::has_single_bit(*mebibytes)) return std::nullopt;
  return static_cast<std::size_t>(std::countr_zero(*mebibytes));
}

std::uint64_t divisions_for(const AllocatorSettings& settings, std::uint64_t bytes) {
  constexpr int kFirst = 20; // 1 MiB
  const auto power = static_cast<int>(std::bit_width(bytes)) - 1;
  const auto last = static_cast<int>(settings.roundup_divisions.size()) - 1;
  return settings.roundup_divisions[static_cast<std::size_t>(std::clamp(power - kFirst, 0, last))];
}

/// Rounds up to the next of `divisions` equal steps between two powers of two.
std::uint64_t next_division(std::uint64_t bytes, std::uint64_t divisions) {
  if (std::has_single_bit(bytes)) return bytes;
  const std::uint64_t floor = std::bit_floor(bytes);
  const std::uint64_t step = floor >> static_cast<unsigned>(std::bit_width(divisions) - 1);
  return step == 0 ? floor << 1U : round_up(bytes, step);
}

/// Whether this file's PyTorch is 2.5 or newer, as far as keys that only such files have show it.
bool is_newer(const Recording& recording) {
  if (!recording.annotations.empty() || recording.trace_overflowed || recording.trace_max_entries) return true;
  return std::ranges::any_of(recording.settings, [&](const auto& setting) {
    return recording.frames.text(setting.first) == "graph_capture_record_stream_reuse";
  });
}

/// A setting in the text of PYTORCH_CUDA_ALLOC_CONF: "max_split_size_mb" and "128".
struct Setting {
  std::string_view name;
  std::string_view value;
};

/// Calls `take` with each Setting of "name:value,name:[key:value,...]", in which spaces mean nothing.
template <class Take> void for_each_setting(std::string_view text, const Take& take) {
  const auto trimmed = [](std::string_view word) {
    constexpr std::string_view kSpaces = " \t\r\n";
    const std::size_t begin = std::min(word.find_first_not_of(kSpaces), word.size());
    return word.substr(begin, word.find_last_not_of(kSpaces) + 1 - begin);
  };
  while (!text.empty()) {
    const std::size_t mark = text.find_first_of(",[");
    const bool is_list = mark != std::string_view::npos && text[mark] == '[';
    const std::size_t end = is_list ? text.find(',', text.find(']', mark)) : mark;
    const std::string_view setting = text.substr(0, end);
    const std::size_t colon = std::min(setting.find(':'), setting.size());
    const std::string_view name = trimmed(setting.substr(0, colon));
    if (!name.empty()) take(Setting{name, trimmed(setting.substr(std::min(colon + 1, setting.size())))});
    text.remove_prefix(std::min(text.size() - 1, end) + 1);
  }
}

/// Whether the setting does not change where blocks are placed, or is read from a key of the snapshot. A limit of
/// memory leads to releases, which are events.
bool is_followed(const Setting& setting) {
  static constexpr std::array<std::string_view, 10> kNames{
      "expandable_segments",         "max_split_size_mb",          "roundup_power2_divisions",
      "max_non_split_rounding_mb",   "release_lock_on_cudamalloc", "release_lock_on_hipmalloc",
      "per_process_memory_fraction", "throw_on_cudamalloc_oom",    "graph_capture_record_stream_reuse",
      "garbage_collection_threshold"};
  if (setting.name.starts_with("pinned_")) return true; // of host memory
  if (setting.name == "backend") return setting.value == "native";
  if (setting.name == "large_segment_size_mb") return setting.value == "20"; // the default
  return std::ranges::find(kNames, setting.name) != kNames.end();
}

/// Adds what the text of PYTORCH_CUDA_ALLOC_CONF shows and no key of its own.
void add_configuration(AllocatorSettings& settings, std::string_view text) {
  constexpr std::size_t kMostNames = 8;
  constexpr std::size_t kMostColumns = 60;
  for_each_setting(text, [&](const Setting& setting) {
    if (setting.name == "max_non_split_rounding_mb") {
      if (const auto mebibytes = number_of<std::uint32_t>(setting.value))
        settings.oversize_slack_bytes = std::uint64_t{*mebibytes} << 20U;
    }
    if (!is_followed(setting) && settings.not_modelled.size() < kMostNames)
      settings.not_modelled.push_back(elided(setting.name, kMostColumns));
  });
}

bool expands_private_pools(const Recording& recording, std::span<const Segment> segments, bool expandable_segments) {
  bool has_private = false;
  for (const Segment& segment : segments) {
    if (segment.pool.is_private() && segment.is_expandable) return true;
    has_private |= segment.pool.is_private();
  }
  return has_private && expandable_segments ? false : is_newer(recording);
}

} // namespace

std::string_view free_block_order_name(FreeBlockOrder order) {
  return order == FreeBlockOrder::address ? "address" : "segment_age";
}

bool AllocatorSettings::rounds_up() const {
  return std::ranges::any_of(roundup_divisions, [](std::uint64_t divisions) { return divisions > 1; });
}

AllocatorSettings allocator_settings(const Recording& recording, std::span<const Segment> segments) {
  AllocatorSettings settings;
  for (const auto& [name_id, value_id] : recording.settings) {
    const std::string_view name = recording.frames.text(name_id);
    const std::string_view value = recording.frames.text(value_id);
    if (name == "expandable_segments") settings.expandable_segments = is_true(value);
    if (name == "garbage_collection_threshold") settings.collects_garbage = number_of<double>(value).value_or(0) > 0;
    // -1, or 2^64 - 1, where it is not set.
    if (name == "max_split_size") {
      const auto bytes = number_of<std::int64_t>(value);
      if (bytes && *bytes > 0) settings.max_split_bytes = static_cast<std::uint64_t>(*bytes);
    }
    if (name.ends_with("ALLOC_CONF")) add_configuration(settings, value);
    const auto index = division_index(name);
    if (index && *index < settings.roundup_divisions.size())
      settings.roundup_divisions[*index] = number_of<std::uint64_t>(value).value_or(0);
  }
  settings.private_pools_expand = expands_private_pools(recording, segments, settings.expandable_segments);
  return settings;
}

std::uint64_t rounded_request(const AllocatorSettings& settings, std::uint64_t bytes) {
  if (bytes < kMinBlockBytes) return kMinBlockBytes;
  const std::uint64_t divisions = divisions_for(settings, bytes);
  if (divisions > 1 && (bytes - 1) / kMinBlockBytes >= divisions) return next_division(bytes, divisions);
  return round_up(bytes, kMinBlockBytes);
}

std::uint64_t smallest_request_bytes(const AllocatorSettings& settings, std::uint64_t rounded_bytes) {
  // Rounding is monotonic in the request, so bisection finds the smallest request that rounds to this.
  std::uint64_t least = 1;
  std::uint64_t most = rounded_bytes;
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    if (rounded_request(settings, middle) < rounded_bytes)
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

std::uint64_t new_segment_bytes(std::uint64_t rounded_bytes) {
  constexpr std::uint64_t kMediumBytes = 10ULL << 20U;
  if (rounded_bytes <= kSmallRequestBytes) return kSmallSegmentBytes;
  if (rounded_bytes < kMediumBytes) return kLargeSegmentBytes;
  return round_up(rounded_bytes, 2ULL << 20U);
}

std::uint64_t needed_alone_bytes(const AllocatorSettings& settings, std::uint64_t rounded_bytes, const PoolId& pool) {
  if (rounded_bytes > kMaxTotalBytes) return rounded_bytes; // more than any device has
  if (!settings.expands(pool)) return new_segment_bytes(rounded_bytes);
  return round_up(rounded_bytes, page_bytes(rounded_bytes <= kSmallRequestBytes));
}

bool is_small_segment(const Segment& segment) {
  if (segment.is_large) return !*segment.is_large;
  return segment.is_expandable ? segment.total_bytes % kLargeSegmentBytes != 0
                               : segment.total_bytes == kSmallSegmentBytes;
}

std::uint64_t releasable_bytes(const Segment& segment, std::uint64_t begin, std::uint64_t end) {
  if (!segment.is_expandable) return begin == 0 && end == segment.total_bytes ? end : 0;
  const std::uint64_t page = page_bytes(is_small_segment(segment));
  const std::uint64_t first = begin / page + (begin % page != 0 ? 1 : 0);
  const std::uint64_t last = end / page;
  return last > first ? (last - first) * page : 0;
}

AllocatorSettings allocator_settings(const MemoryState& state) {
  return allocator_settings(*state.recording, state.segments);
}

} // namespace memviz
