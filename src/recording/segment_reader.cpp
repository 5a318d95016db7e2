#include "recording/segment_reader.hpp"

#include "base/utf8.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <tuple>

namespace memviz {
namespace {

bool adds_up(std::uint64_t& sum, std::uint64_t more) {
  return !__builtin_add_overflow(sum, more, &sum);
}

} // namespace

std::optional<PoolId> pool_id_of(const Document& document, Value pair) {
  if (pair.kind() != Kind::tuple && pair.kind() != Kind::list) return std::nullopt;
  if (document.list_size(pair) != 2) return std::nullopt;
  PoolId id;
  std::uint64_t* part = &id.first;
  bool are_ints = true;
  document.for_each(pair, [&](Value value) {
    const auto number = document.as_unsigned(value);
    const auto negative = number ? std::nullopt : document.as_signed(value);
    are_ints = are_ints && (number || negative);
    *part = number ? *number : static_cast<std::uint64_t>(negative.value_or(0));
    part = &id.second;
    return true;
  });
  return are_ints ? std::optional(id) : std::nullopt;
}

SegmentReader::SegmentReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording)
    : document_(document), frames_(frames), budget_(budget), recording_(recording),
      segment_fields_(document, kSegmentKeys.read), block_fields_(document, kBlockKeys.read),
      history_fields_(document, kHistoryKeys.read) {
}

void SegmentReader::read(Value list) {
  read_list({list, nullptr, "segments"}, std::nullopt);
}

void SegmentReader::read_host(Value list) {
  MemoryMap& memory = recording_.end;
  const std::size_t segments = memory.segments.size();
  const std::size_t blocks = memory.blocks.size();
  const std::uint64_t reserved_bytes = reserved_bytes_;
  try {
    read_list({list, nullptr, "host_segments"}, kHostDevice);
  } catch (const SchemaError&) {
    memory.segments.resize(segments);
    memory.blocks.resize(blocks);
    reserved_bytes_ = reserved_bytes;
    throw;
  }
}

void SegmentReader::read_list(const Field& segments, std::optional<DeviceId> device) {
  budget_.spend(document_.list_size(segments.value), segments);
  std::size_t index = 0;
  document_.for_each(segments.value, [&](Value dict) {
    read_segment(segments.item(index++, dict), device);
    return true;
  });
}

void SegmentReader::finish(bool are_made_up) {
  std::ranges::stable_sort(recording_.end.segments, [](const Segment& left, const Segment& right) {
    return std::tie(left.device, left.address) < std::tie(right.device, right.address);
  });
  warn();
  if (!are_made_up) warn_of_uncovered();
}

DeviceId SegmentReader::read_device(const Field& field) const {
  if (!field.is_present()) return {};
  const std::uint64_t index = field.size(document_);
  if (index >= kMostDeviceIds) field.fail(fmt::format("a device below {}", kMostDeviceIds), std::to_string(index));
  return {static_cast<std::uint32_t>(index)};
}

void SegmentReader::read_segment(const Field& dict, std::optional<DeviceId> device) {
  dict.require(Kind::dict);
  const auto row = segment_fields_.read(dict.value);
  const auto at = [&](std::size_t number) { return segment_fields_.field(dict, row, number); };

  Segment segment;
  segment.device = device ? *device : read_device(at(kSegmentKeys["device"]));
  segment.address = at(kSegmentKeys["address"]).bits(document_);
  const Field total_size = at(kSegmentKeys["total_size"]);
  segment.total_bytes = total_size.size(document_);
  if (segment.total_bytes > std::numeric_limits<std::uint64_t>::max() - segment.address) {
    total_size.fail("a segment inside the address space", format_count(segment.total_bytes) + " bytes");
  }
  if (!adds_up(reserved_bytes_, segment.total_bytes) || reserved_bytes_ > kMaxTotalBytes) {
    total_size.fail("segments of at most 1 EiB together", "more");
  }
  if (const Field stream = at(kSegmentKeys["stream"]); stream.is_present())
    segment.stream = static_cast<std::int64_t>(stream.bits(document_));
  if (const Field pool = at(kSegmentKeys["segment_pool_id"]); pool.is_present()) {
    const auto id = pool_id_of(document_, pool.value);
    if (!id) pool.fail("a pair of ints", value_name(pool.value.kind()));
    segment.pool = *id;
  }
  segment.is_expandable = document_.as_signed(row[kSegmentKeys["is_expandable"]]).value_or(0) != 0;
  if (row[kSegmentKeys["segment_type"]].kind() == Kind::text) {
    segment.is_large = document_.text(row[kSegmentKeys["segment_type"]]) == "large";
  }
  segment.stack = frames_.stack(at(kSegmentKeys["frames"]));
  const Field blocks = at(kSegmentKeys["blocks"]);
  if (blocks.is_present()) read_blocks(blocks, segment);
  std::uint64_t covered_bytes = 0;
  for (const Block& block : std::span(recording_.end.blocks).subspan(segment.first_block, segment.block_count)) {
    if (!adds_up(covered_bytes, block.size_bytes) || covered_bytes > segment.total_bytes) {
      blocks.fail(fmt::format("blocks of at most {} bytes, the segment's total_size,", segment.total_bytes), "more");
    }
  }
  segment.uncovered_bytes = segment.total_bytes - covered_bytes;
  recording_.end.segments.push_back(segment);
}

void SegmentReader::read_blocks(const Field& blocks, Segment& segment) {
  blocks.require(Kind::list, blocks.value);
  budget_.spend(document_.list_size(blocks.value), blocks);
  segment.first_block = static_cast<std::uint32_t>(recording_.end.blocks.size());
  std::uint64_t address = segment.address;
  std::size_t index = 0;
  document_.for_each(blocks.value, [&](Value dict) {
    const Block block = read_block(blocks.item(index++, dict), address);
    address = block.address + block.size_bytes;
    recording_.end.blocks.push_back(block);
    return true;
  });
  segment.block_count = static_cast<std::uint32_t>(index);
}

Block SegmentReader::read_block(const Field& dict, std::uint64_t expected_address) {
  dict.require(Kind::dict);
  const auto row = block_fields_.read(dict.value);
  const auto at = [&](std::size_t number) { return block_fields_.field(dict, row, number); };

  Block block;
  // Absent before PyTorch 2.1: blocks tile their segment.
  const Field address = at(kBlockKeys["address"]);
  block.address = address.is_present() ? address.bits(document_) : expected_address;
  block.size_bytes = at(kBlockKeys["size"]).size(document_);
  block.state = read_state(at(kBlockKeys["state"]));
  if (!block.is_active()) {
    saw_history_ = saw_history_ || is_present(row[kBlockKeys["history"]]);
    return block;
  }
  const Field requested_size = at(kBlockKeys["requested_size"]);
  block.requested_bytes = requested_size.is_present() ? requested_size.size(document_) : block.size_bytes;
  if (const Field history = at(kBlockKeys["history"]); history.is_present())
    read_history(history, block, requested_size.is_present());
  else
    block.stack = frames_.stack(at(kBlockKeys["frames"]));
  if (block.requested_bytes > block.size_bytes) {
    block.requested_bytes = block.size_bytes;
    ++oversized_requests_;
  }
  return block;
}

void SegmentReader::read_history(const Field& history, Block& block, bool has_requested_size) {
  history.require(Kind::list, history.value);
  saw_history_ = true;
  // The newest entry is the owner; older ones lived in blocks that were merged into this one.
  document_.for_each(history.value, [&](Value newest) {
    const Field entry = history.item(0, newest);
    entry.require(Kind::dict);
    const auto row = history_fields_.read(newest);
    const auto at = [&](std::size_t number) { return history_fields_.field(entry, row, number); };
    if (!has_requested_size) block.requested_bytes = at(kHistoryKeys["real_size"]).size(document_);
    const Field frames = at(kHistoryKeys["frames"]);
    block.stack = frames.is_present() ? frames_.stack(frames) : kNoContext;
    return false;
  });
}

BlockState SegmentReader::read_state(const Field& state) {
  const std::string_view text = state.text(document_);
  if (text == "active_allocated") return BlockState::active_allocated;
  // The second spelling occurs only in PyTorch's documentation; no writer of it is known.
  if (text == "active_pending_free" || text == "active_awaiting_free") return BlockState::active_pending_free;
  if (text != "inactive") {
    ++unknown_states_;
    unknown_state_ = recording_.frames.text(frames_.text(TextKind::action, to_valid_utf8(text.substr(0, 40))));
  }
  return BlockState::inactive;
}

/// They are sorted by device and address; those of size 0 cover nothing.
void SegmentReader::warn_of_overlaps() {
  const Segment* reaching = nullptr; // the one that ends last, among those of its device
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
    recording_.warnings.push_back(fmt::format("{} {} a requested_size above the size: counted with the size",
                                              format_counted(oversized_requests_, "block"),
                                              oversized_requests_ == 1 ? "has" : "have"));
  }
  if (unknown_states_ > 0) {
    recording_.warnings.push_back(fmt::format("{} {} in a state that memviz does not know ('{}'): counted as inactive",
                                              format_counted(unknown_states_, "block"),
                                              unknown_states_ == 1 ? "is" : "are", unknown_state_));
  }
  warn_of_overlaps();
}

void SegmentReader::warn_of_uncovered() {
  const auto is_uncovered = [](const Segment& segment) { return segment.uncovered_bytes > 0; };
  const auto count = std::ranges::count_if(recording_.end.segments, is_uncovered);
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
