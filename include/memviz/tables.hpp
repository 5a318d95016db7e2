#pragma once

// One table of a recording -> CSV (RFC 4180, with a header) or JSON lines, one object per row: the rows of the SQLite
// file's tables, under the same names. Addresses and streams, which may exceed 2^53, are text in JSON. A text in CSV
// that a spreadsheet would calculate has an apostrophe before it.

#include "memviz/export.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace memviz {

enum class Table : std::uint8_t { live, keepers, events, segments, blocks, devices, stack_lines, texts, event_notes };
inline constexpr std::uint8_t kTables = 9;
enum class TableFormat : std::uint8_t { csv, ndjson };

struct TableColumn {
  std::string_view name;
  std::string_view meaning = {}; ///< with its unit
  bool is_text = false;          ///< else it is an integer
  bool may_be_null = false;
};

/// The names of a table and of its columns are the same in all formats; SQLite's tables begin with `memviz_`.
struct TableDescription {
  std::string_view name;
  std::string_view row; ///< the meaning of a row: "event"
  std::span<const TableColumn> columns;
};

[[nodiscard]] TableDescription description_of(Table table);

/// Writes a table piece by piece, without keeping rows.
class TableText {
public:
  /// Writes the rows of `device`, or of all.
  TableText(Table table, TableFormat format, std::optional<DeviceId> device, TextSink write);
  TableText(const TableText&) = delete;
  TableText& operator=(const TableText&) = delete;
  ~TableText();

  /// Returns the sink for the events of a SecondPass, if the table is made of events; else null.
  [[nodiscard]] EventSink* events();
  /// Writes the rest. Throws Error if stacks, written out, are out of all proportion to the recording.
  void finish(const MemoryState& state);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace memviz
