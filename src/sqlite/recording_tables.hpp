#pragma once

// The tables of a whole recording, memviz_segments, memviz_blocks, memviz_events and those they refer to, with their
// indexes and views. Texts are in a separate table, each once, because a file may give one of a megabyte to every
// frame.

#include "formats/recording_rows.hpp"
#include "memviz/sqlite_file.hpp"
#include "sqlite/database.hpp"

#include <optional>
#include <span>

namespace memviz {

void create_recording_tables(Database& database);

/// Converts events to rows, as they arrive.
class StoredEvents final : public EventSink {
public:
  /// `database` must outlive this object. Writes the events of `device`, or of all.
  StoredEvents(Database& database, std::optional<DeviceId> device);

  void take(DeviceId device, std::span<const Event> events) override { events_.take(device, events); }
  void restart() override;

private:
  Database& database_;
  Insertion rows_;
  Insertion notes_; ///< of the few events that have any
  EventRows events_;
};

/// Writes everything except the events.
void write_recording_tables(Database& database, const SqliteSubject& subject, std::optional<DeviceId> device);
/// Creates the indexes after all rows, which is faster.
void create_recording_indexes(Database& database);

} // namespace memviz
