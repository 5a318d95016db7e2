#pragma once

// A recording and its state -> the rows of its tables (described_tables.hpp): devices, segments, blocks, live
// memory, events, stacks and texts.

#include "export/table_rows.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace memviz {

/// Converts events to rows, as they arrive.
class EventRows final : public EventSink {
public:
  /// `events` receives a row for each event of `device`, or of all, and `notes` one for each event that has any; null:
  /// no rows.
  EventRows(TableRows* events, TableRows* notes, std::optional<DeviceId> device)
      : events_(events), notes_(notes), only_(device) {}

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override { current_.reset(); }

private:
  void add(DeviceId device, const Event& event);

  TableRows* events_;
  TableRows* notes_;
  std::optional<DeviceId> only_;
  std::optional<DeviceId> current_;
  std::int64_t index_ = 0; ///< of the next event among those of `current_`
};

void write_device_rows(TableRows& rows, const MemoryState& state, std::optional<DeviceId> device);
/// Writes the segments at the end of the recording, as in the file, numbered from 1.
void write_segment_rows(TableRows& rows, const MemoryMap& memory, std::optional<DeviceId> device);
/// Writes the blocks of those segments, with the number of each one's segment.
void write_block_rows(TableRows& rows, const MemoryMap& memory, std::optional<DeviceId> device);
/// Writes the memory that is live at the moment of the state, which has kinds, by the user's lines.
void write_live_rows(TableRows& rows, const MemoryState& state, std::optional<DeviceId> device);
/// Writes the blocks in use at the end of the recording, with their keepers; nothing if these are not recorded.
void write_keeper_rows(TableRows& rows, const Recording& recording, std::optional<DeviceId> device);
void write_text_rows(TableRows& rows, const FrameTable& frames);

} // namespace memviz
