#pragma once

// The tables of a whole recording, memviz_segments, memviz_blocks, memviz_events and what they refer to, with their
// indexes and views. Texts are in their own table, each once: a file may give one of a megabyte to every frame.

#include "export/recording_rows.hpp"
#include "memviz/sqlite_file.hpp"
#include "sqlite/database.hpp"

#include <optional>
#include <span>

namespace memviz {

void create_recording_tables(Database& database);

/// Events -> rows, as they come.
class StoredEvents final : public EventSink {
public:
  /// `database` must outlive this. Of `device`, or of all.
  StoredEvents(Database& database, std::optional<DeviceId> device);

  void take(DeviceId device, std::span<const Event> events) override { events_.take(device, events); }
  void restart() override;

private:
  Database& database_;
  Insertion rows_;
  Insertion notes_; ///< of the few events that have any
  EventRows events_;
};

/// All but the events.
void write_recording_tables(Database& database, const SqliteSubject& subject, std::optional<DeviceId> device);
/// When all rows are there, which is quicker.
void create_recording_indexes(Database& database);

} // namespace memviz
