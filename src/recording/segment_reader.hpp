#pragma once

// `segments` and `host_segments` of the document -> Segment and Block tables, for every generation: blocks with
// `frames` (2.1 and newer), with `history` (1.13 and 2.0), with or without `address`.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "recording/keys.hpp"
#include "value/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memviz {

class SegmentReader {
public:
  SegmentReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording);

  /// Reads the segments of GPUs. Throws SchemaError.
  void read(Value list);
  /// Reads the segments of pinned host memory, whose `device` is -1 in every file. Throws SchemaError, and then adds
  /// none.
  void read_host(Value list);
  /// Called after both: sorts the segments by device and address, and adds warnings; none about bytes that no block
  /// covers if the segments are made up.
  void finish(bool are_made_up);

  [[nodiscard]] bool saw_history() const { return saw_history_; }
  /// Returns the readers of the keys of all segments and of all blocks, which know the unread keys.
  [[nodiscard]] const FieldReader<kSegmentKeys.read.size()>& segment_fields() const noexcept { return segment_fields_; }
  [[nodiscard]] const FieldReader<kBlockKeys.read.size()>& block_fields() const noexcept { return block_fields_; }

private:
  void read_list(const Field& segments, std::optional<DeviceId> device);
  /// Reads a segment of `device`, or of the device that it names.
  void read_segment(const Field& dict, std::optional<DeviceId> device);
  [[nodiscard]] DeviceId read_device(const Field& field) const;
  void read_blocks(const Field& blocks, Segment& segment);
  Block read_block(const Field& dict, std::uint64_t expected_address);
  void read_history(const Field& history, Block& block, bool has_requested_size);
  BlockState read_state(const Field& state);
  void warn();
  void warn_of_overlaps();
  void warn_of_uncovered();

  const Document& document_;
  FrameReader& frames_;
  Budget& budget_;
  Recording& recording_;
  FieldReader<kSegmentKeys.read.size()> segment_fields_;
  FieldReader<kBlockKeys.read.size()> block_fields_;
  FieldReader<kHistoryKeys.read.size()> history_fields_;
  bool saw_history_ = false;
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t oversized_requests_ = 0;
  std::uint64_t unknown_states_ = 0;
  std::string unknown_state_;
};

/// Reads `segment_pool_id` or `pool_id`: a tuple or a list of two ints; nullopt for anything else.
[[nodiscard]] std::optional<PoolId> pool_id_of(const Document& document, Value pair);

} // namespace memviz
