#include "sqlite/report_tables.hpp"

#include "export/text_limit.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

namespace {

constexpr int kWeight = 1;
constexpr int kActivation = 2;

/// Source: docs/memory-report.md of DeepView.Profile.
constexpr const char* kReportTables = R"(
CREATE TABLE weight_entries (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  grad_size_bytes INTEGER NOT NULL
);
CREATE TABLE activation_entries (
  id INTEGER PRIMARY KEY,
  operation_name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL
);
CREATE TABLE entry_types (
  entry_type INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);
CREATE TABLE stack_correlation (
  correlation_id INTEGER PRIMARY KEY,
  entry_id INTEGER NOT NULL,
  entry_type INTEGER NOT NULL,
  UNIQUE (correlation_id, entry_id)
);
CREATE UNIQUE INDEX entry_type_and_id
  ON stack_correlation(entry_type, entry_id);
CREATE TABLE stack_frames (
  correlation_id INTEGER NOT NULL,
  ordering INTEGER NOT NULL,
  file_path TEXT NOT NULL,
  line_number INTEGER NOT NULL,
  PRIMARY KEY (correlation_id, ordering)
);
CREATE TABLE misc_sizes (
  key TEXT PRIMARY KEY,
  size_bytes INT NOT NULL
);
CREATE TABLE memviz_entries (
  correlation_id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  stack INTEGER NOT NULL,
  known_by TEXT NOT NULL
);
)";

/// The rows that join an entry with its stack.
class Correlation {
public:
  Correlation(Database& database, const SqliteSubject& subject)
      : subject_(subject), correlations_(database, "INSERT INTO stack_correlation VALUES (?, ?, ?)"),
        frames_(database, "INSERT INTO stack_frames VALUES (?, ?, ?, ?)"),
        entries_(database, "INSERT INTO memviz_entries VALUES (?, ?, ?, ?, ?)") {}

  void add(const ReportEntry& entry, std::int64_t id, int type) {
    const MemoryState& state = subject_.state;
    const Block& block = state.blocks[entry.block];
    correlations_.row(++correlation_, id, type);
    entries_.row(correlation_, device_number(entry.device), block.address, block.stack.value,
                 evidence_name(state.facts[entry.block].kind.evidence));
    add_frames(block.stack);
  }

private:
  void add_frames(StackId stack) {
    const FrameTable& table = subject_.state.frames();
    std::int64_t ordering = 0;
    for (const FrameId id : table.stack(stack)) {
      const Frame& frame = table.frame(id);
      const std::string_view path = subject_.project.path_of(frame.filename);
      if (path.empty() || frame.line < 1) continue;
      frames_.row(correlation_, ordering++, column_text(path), frame.line);
    }
  }

  const SqliteSubject& subject_;
  Insertion correlations_;
  Insertion frames_;
  Insertion entries_;
  std::int64_t correlation_ = 0;
};

} // namespace

void create_report_tables(Database& database) {
  database.run(kReportTables);
}

void check_proportion(const SqliteSubject& subject) {
  const FrameTable& frames = subject.state.frames();
  std::vector<std::optional<std::uint64_t>> bytes_of(frames.stack_count());
  TextLimit limit(subject.state.recording->origin.size_bytes, "a report has a stack for each of its entries");
  for (const auto* entries : {&subject.report.weights, &subject.report.activations})
    for (const ReportEntry& entry : *entries) {
      const StackId stack = subject.state.blocks[entry.block].stack;
      std::optional<std::uint64_t>& bytes = bytes_of[stack.value];
      if (!bytes) {
        bytes = 0;
        for (const FrameId frame : frames.stack(stack))
          *bytes += subject.project.path_of(frames.frame(frame).filename).size();
      }
      limit.add(*bytes);
    }
}

void write_report_tables(Database& database, const SqliteSubject& subject) {
  const MemoryReport& report = subject.report;
  Correlation correlation(database, subject);
  Insertion types(database, "INSERT INTO entry_types VALUES (?, ?)");
  types.row(kWeight, std::string_view("weight"));
  types.row(kActivation, std::string_view("activation"));
  std::int64_t id = 0;
  Insertion weights(database, "INSERT INTO weight_entries VALUES (?, ?, ?, ?)");
  for (const ReportEntry& weight : report.weights) {
    weights.row(++id, report.name_of(weight), weight.size_bytes, weight.gradient_bytes);
    correlation.add(weight, id, kWeight);
  }
  id = 0;
  Insertion activations(database, "INSERT INTO activation_entries VALUES (?, ?, ?)");
  for (const ReportEntry& activation : report.activations) {
    activations.row(++id, report.name_of(activation), activation.size_bytes);
    correlation.add(activation, id, kActivation);
  }
  Insertion(database, "INSERT INTO misc_sizes VALUES (?, ?)")
      .row(std::string_view("peak_usage_bytes"), report.peak_bytes);
}

} // namespace memviz
