#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/schemas.hpp"
#include "export/steps_json.hpp"
#include "memviz/step_table.hpp"
#include "memviz/step_table_report.hpp"
#include "memviz/warnings.hpp"

namespace memviz {
namespace {

constexpr auto kBeforeSteps = json_object<StepFigures>(
    {.meaning = "The events before the first step", .name = "before", .layout = JsonLayout::compact},
    member("first_event", "Index of its first event", &StepFigures::first_event),
    member("events", "Events", &StepFigures::events),
    member("time_us", "Time of its first event, microseconds since 1970; null where events have no times",
           &StepFigures::time_us),
    member("start_bytes", "Requested bytes that live where it begins", &StepFigures::start_bytes),
    member("peak_bytes", "The highest requested bytes in it", &StepFigures::peak_bytes),
    member("end_bytes", "Requested bytes that live where it ends", &StepFigures::end_bytes),
    member("allocated_bytes", "Requested bytes of all its allocations", &StepFigures::allocated_bytes),
    member("freed_bytes", "Bytes of all its frees", &StepFigures::freed_bytes),
    member("growth_bytes", "end_bytes - start_bytes", &StepFigures::growth_bytes));

struct StepTableInJson {
  StepsInJson steps;
  const StepTable& table;
};

struct StepInJson {
  std::uint64_t number;
  const StepFigures& figures;
};

StepInJson step_of(const StepTableInJson& table, std::size_t row) {
  return {table.table.steps.left_out + row + 1, table.table.rows[row]};
}

constexpr auto kStep = json_object<StepInJson>(
    {.meaning = "A step", .name = "step", .layout = JsonLayout::compact},
    member("step", "Its number, from 1", &StepInJson::number).at_least(1),
    members_of(kBeforeSteps, [](const StepInJson& step) -> const StepFigures& { return step.figures; }));

constexpr auto kStepTable = json_object<StepTableInJson>(
    {.meaning = "The steps of a device", .name = "table"},
    member(
        "device", "", [](const StepTableInJson& table) { return table.table.device; }, kDeviceForm),
    member("steps", "How the recording was cut into steps", &StepTableInJson::steps, kSteps),
    member(
        "before", "The events before the first step of `rows`; null where there are none",
        [](const StepTableInJson& table) -> const std::optional<StepFigures>& { return table.table.before; },
        kBeforeSteps),
    member(
        "rows", "The steps; the last one ends with the recording and need not be whole",
        [](const StepTableInJson& table) { return indexes(table.table.rows.size()); }, made_by(step_of, kStep)));

struct StepTablesInJson {
  const std::string& file;
  const MemoryState& state;
  const std::vector<StepTable>& tables;
};

StepTableInJson step_table_of(const StepTablesInJson& tables, const StepTable& table) {
  return {{*tables.state.recording, table.steps}, table};
}

constexpr auto kStepTables = json_described<StepTablesInJson>(
    {.schema = "memviz.steps/1.0",
     .title = "memviz stats --by step --json",
     .meaning = "The memory of each step. One document for one file. Where the command line names several files or a "
                "folder, a line for each: a document, or one of memviz.unread for a file that could not be read."},
    member("file", kSnapshotMeaning, [](const StepTablesInJson& tables) -> const std::string& { return tables.file; }),
    member(
        "devices", "Each device with events, or the one of --device",
        [](const StepTablesInJson& tables) -> const std::vector<StepTable>& { return tables.tables; },
        made_by(step_table_of, kStepTable)),
    member("warnings", kWarningsMeaning,
           [](const StepTablesInJson& tables) { return warnings_and_losses(tables.state); }));

} // namespace

std::string step_tables_json(const std::string& file, const MemoryState& state, const std::vector<StepTable>& tables) {
  return document_text(kStepTables, {file, state, tables});
}

std::string steps_schema() {
  return schema_text(kStepTables);
}

} // namespace memviz
