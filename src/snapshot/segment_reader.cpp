#include "snapshot/segment_reader.hpp"

#include "base/utf8.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace memviz {
namespace {

namespace segment_field {
enum { device, address, total_size, stream, segment_type, segment_pool_id, is_expandable, frames, blocks };
}
namespace block_field {
enum { address, size, requested_size, state, frames, history };
}
namespace history_field {
enum { real_size, frames };
}

bool adds_up(std::uint64_t& sum, std::uint64_t more) {
  return !__builtin_add_overflow(sum, more, &sum);
}

} // namespace

PoolId read_pool_id(const Document& document, Value pool, const Where& where, Value container) {
  if (pool.kind() != Kind::tuple && pool.kind() != Kind::list) {
    fail_at(where, container, "a pair of ints", kind_name(pool.kind()));
  }
  const FieldChecker check(document);
  if (document.list_size(pool) != 2) {
    fail_at(where, container, "a pair of ints", fmt::format("{} values", document.list_size(pool)));
  }
  PoolId id;
  std::uint64_t* part = &id.first;
  document.for_each(pool, [&](Value number) {
    *part = check.bits(number, where, container);
    part = &id.second;
    return true;
  });
  return id;
}

SegmentReader::SegmentReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording)
    : document_(document), frames_(frames), budget_(budget), recording_(recording), check_(document),
      segment_fields_(document, {"device", "address", "total_size", "stream", "segment_type", "segment_pool_id",
                                 "is_expandable", "frames", "blocks"}),
      block_fields_(document, {"address", "size", "requested_size", "state", "frames", "history"}),
      history_fields_(document, {"real_size", "frames"}) {
}

void SegmentReader::read(Value segments) {
  budget_.spend(document_.list_size(segments), Where{nullptr, "segments"}, segments);
  std::size_t index = 0;
  document_.for_each(segments, [&](Value dict) {
    read_segment(dict, Where{nullptr, "segments", index++}, segments);
    return true;
  });
  std::stable_sort(recording_.end.segments.begin(), recording_.end.segments.end(),
                   [](const Segment& left, const Segment& right) {
                     return std::tie(left.device, left.address) < std::tie(right.device, right.address);
                   });
  warn();
}

void SegmentReader::read_segment(Value dict, const Where& where, Value list) {
  namespace field = segment_field;
  check_.require(dict, Kind::dict, where, list);
  const auto row = segment_fields_.read(dict);
  const auto at = [&](std::string_view key) { return Where{&where, key}; };

  Segment segment;
  if (is_present(row[field::device])) {
    const std::uint64_t device = check_.size(row[field::device], at("device"), dict);
    if (device > 0xFFFF) fail_at(at("device"), dict, "the index of a device", std::to_string(device));
    segment.device = {static_cast<std::uint32_t>(device)};
  }
  segment.address = check_.bits(row[field::address], at("address"), dict);
  segment.total_bytes = check_.size(row[field::total_size], at("total_size"), dict);
  if (segment.total_bytes > std::numeric_limits<std::uint64_t>::max() - segment.address) {
    fail_at(at("total_size"), dict, "a segment inside the address space", format_count(segment.total_bytes) + " bytes");
  }
  if (!adds_up(reserved_bytes_, segment.total_bytes) || reserved_bytes_ > kMaxTotalBytes) {
    fail_at(at("total_size"), dict, "segments of at most 1 EiB together", "more");
  }
  if (devices_.insert(segment.device).second) budget_.spend_device(at("device"), dict);
  if (is_present(row[field::stream])) {
    segment.stream = static_cast<std::int64_t>(check_.bits(row[field::stream], at("stream"), dict));
  }
  if (is_present(row[field::segment_pool_id])) {
    segment.pool = read_pool_id(document_, row[field::segment_pool_id], at("segment_pool_id"), dict);
  }
  segment.is_expandable = document_.as_signed(row[field::is_expandable]).value_or(0) != 0;
  if (row[field::segment_type].kind() == Kind::text) {
    segment.is_large = document_.text(row[field::segment_type]) == "large";
  }
  segment.stack = frames_.stack(row[field::frames], at("frames"), dict);
  if (is_present(row[field::blocks])) read_blocks(row[field::blocks], segment, at("blocks"));
  std::uint64_t covered_bytes = 0;
  const auto first = recording_.end.blocks.begin() + segment.first_block;
  for (auto block = first; block != first + segment.block_count; ++block) {
    if (!adds_up(covered_bytes, block->size_bytes) || covered_bytes > segment.total_bytes) {
      fail_at(at("blocks"), dict,
              fmt::format("blocks of at most {} bytes, the segment's total_size,", segment.total_bytes), "more");
    }
  }
  segment.uncovered_bytes = segment.total_bytes - covered_bytes;
  recording_.end.segments.push_back(segment);
}

void SegmentReader::read_blocks(Value blocks, Segment& segment, const Where& where) {
  check_.require(blocks, Kind::list, where, blocks);
  budget_.spend(document_.list_size(blocks), where, blocks);
  segment.first_block = static_cast<std::uint32_t>(recording_.end.blocks.size());
  std::uint64_t address = segment.address;
  std::size_t index = 0;
  document_.for_each(blocks, [&](Value dict) {
    const Where block_where{where.parent, where.key, index++};
    check_.require(dict, Kind::dict, block_where, blocks);
    const Block block = read_block(dict, address, block_where);
    address = block.address + block.size_bytes;
    recording_.end.blocks.push_back(block);
    return true;
  });
  segment.block_count = static_cast<std::uint32_t>(index);
}

Block SegmentReader::read_block(Value dict, std::uint64_t expected_address, const Where& where) {
  namespace field = block_field;
  const auto row = block_fields_.read(dict);
  const auto at = [&](std::string_view key) { return Where{&where, key}; };

  Block block;
  // Absent before PyTorch 2.1: blocks tile their segment.
  block.address =
      is_present(row[field::address]) ? check_.bits(row[field::address], at("address"), dict) : expected_address;
  block.size_bytes = check_.size(row[field::size], at("size"), dict);
  block.state = read_state(row[field::state], at("state"), dict);
  if (!block.is_active()) {
    saw_history_ = saw_history_ || is_present(row[field::history]);
    return block;
  }
  const bool has_requested_size = is_present(row[field::requested_size]);
  block.requested_bytes =
      has_requested_size ? check_.size(row[field::requested_size], at("requested_size"), dict) : block.size_bytes;
  if (is_present(row[field::history])) {
    read_history(row[field::history], block, has_requested_size, at("history"));
  } else {
    block.stack = frames_.stack(row[field::frames], at("frames"), dict);
  }
  if (block.requested_bytes > block.size_bytes) {
    block.requested_bytes = block.size_bytes;
    ++oversized_requests_;
  }
  return block;
}

void SegmentReader::read_history(Value history, Block& block, bool has_requested_size, const Where& where) {
  check_.require(history, Kind::list, where, history);
  saw_history_ = true;
  // The newest entry is the owner; older ones lived in blocks that were merged into this one.
  document_.for_each(history, [&](Value entry) {
    const Where entry_where{where.parent, where.key, 0};
    check_.require(entry, Kind::dict, entry_where, history);
    const auto row = history_fields_.read(entry);
    const Where size_where{&entry_where, "real_size"};
    if (!has_requested_size) block.requested_bytes = check_.size(row[history_field::real_size], size_where, entry);
    const Value frames = row[history_field::frames];
    block.stack = is_present(frames) ? frames_.stack(frames, Where{&entry_where, "frames"}, entry) : kNoContext;
    return false;
  });
}

BlockState SegmentReader::read_state(Value state, const Where& where, Value dict) {
  const std::string_view text = check_.text(state, where, dict);
  if (text == "active_allocated") return BlockState::active_allocated;
  // The second spelling stands in PyTorch's documentation only; no writer of it is known.
  if (text == "active_pending_free" || text == "active_awaiting_free") return BlockState::active_pending_free;
  if (text != "inactive") {
    ++unknown_states_;
    unknown_state_ = recording_.frames.text(frames_.text(TextKind::action, to_valid_utf8(text.substr(0, 40))));
  }
  return BlockState::inactive;
}

/// They are sorted by device and address; sizes that are 0 cover nothing.
void SegmentReader::warn_of_overlaps() {
  const Segment* reaching = nullptr; // the one that ends last, of those of its device
  const Segment* first = nullptr;
  const Segment* first_below = nullptr;
  std::uint64_t overlaps = 0;
  for (const Segment& segment : recording_.end.segments) {
    if (segment.total_bytes == 0) continue;
    if (reaching != nullptr && reaching->device == segment.device &&
        segment.address - reaching->address < reaching->total_bytes && ++overlaps == 1) {
      first_below = reaching;
      first = &segment;
    }
    const bool reaches_further = reaching == nullptr || reaching->device != segment.device ||
                                 segment.address + segment.total_bytes > reaching->address + reaching->total_bytes;
    if (reaches_further) reaching = &segment;
  }
  if (overlaps == 0) return;
  recording_.warnings.push_back(fmt::format(
      "{} of {} segments overlap another of their device, the first at {} with {} bytes and at {}: all of "
      "them are summed (is the file edited?)",
      format_count(overlaps), format_count(recording_.end.segments.size()), format_address(first_below->address),
      format_count(first_below->total_bytes), format_address(first->address)));
}

void SegmentReader::warn() {
  if (oversized_requests_ > 0) {
    recording_.warnings.push_back(
        fmt::format("{} blocks have a requested_size above their size: counted with their size",
                    format_count(oversized_requests_)));
  }
  if (unknown_states_ > 0) {
    recording_.warnings.push_back(
        fmt::format("{} blocks are in a state that memviz does not know ('{}'): counted as inactive",
                    format_count(unknown_states_), unknown_state_));
  }
  warn_of_overlaps();
  const auto is_uncovered = [](const Segment& segment) { return segment.uncovered_bytes > 0; };
  const auto count = std::count_if(recording_.end.segments.begin(), recording_.end.segments.end(), is_uncovered);
  if (count == 0) return;
  std::uint64_t bytes = 0;
  for (const Segment& segment : recording_.end.segments)
    bytes += segment.uncovered_bytes;
  recording_.warnings.push_back(
      fmt::format("the blocks of {} of {} segments do not cover them: {} of {} are unaccounted for "
                  "(is the file edited?)",
                  count, recording_.end.segments.size(), format_bytes(bytes), format_bytes(reserved_bytes_)));
}

} // namespace memviz
