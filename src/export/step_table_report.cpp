#include "memviz/step_table_report.hpp"

#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/leaks_words.hpp"
#include "story/leaks_words_gate.hpp"

#include <fmt/format.h>

namespace memviz {
namespace {

constexpr std::size_t kStepColumns = 100;

void add_step_row(TextTable& table, const std::string& name, const StepFigures& step) {
  table.add_row({name, format_count(step.first_event), format_count(step.events), format_bytes(step.peak_bytes),
                 format_bytes(step.end_bytes), format_bytes(step.allocated_bytes), format_bytes(step.freed_bytes),
                 format_delta(step.growth_bytes())});
}

/// Returns the first and the last steps, if there are many.
std::string step_rows(const StepTable& steps) {
  constexpr std::size_t kMostAtOneEnd = 20;
  TextTable table{Align::right, Align::right, Align::right, Align::right,
                  Align::right, Align::right, Align::right, Align::right};
  table.add_row({"step", "from event", "events", "peak", "end", "allocated", "freed", "growth"});
  if (steps.before) add_step_row(table, "before", *steps.before);
  const std::size_t count = steps.rows.size();
  const std::size_t left_out = count > 2 * kMostAtOneEnd ? count - 2 * kMostAtOneEnd : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (left_out > 0 && i == kMostAtOneEnd) {
      table.add_row({"...", "", format_counted(left_out, "step")});
      i += left_out;
    }
    add_step_row(table, format_count(steps.steps.left_out + i + 1), steps.rows[i]);
  }
  return table.text("  ");
}

std::string step_section(const MemoryState& state, const StepTable& steps) {
  std::string text = '\n' + device_heading(steps) + '\n';
  if (steps.rows.empty())
    return text + wrapped_text("No steps: " + steps_note(*state.recording, steps.steps) + '.', "  ", kStepColumns);
  text += wrapped_text(steps_answer(steps), "  ", kStepColumns);
  text += wrapped_text(fmt::format("{}, {}.", format_counted(steps.rows.size(), "step"), step_source_text(steps.steps)),
                       "  ", kStepColumns);
  for (const std::string& note : step_notes(steps.steps))
    text += wrapped_text(note + '.', "  ", kStepColumns);
  return text + step_rows(steps);
}

} // namespace

std::string step_tables_text(const std::string& file, const MemoryState& state, const std::vector<StepTable>& tables) {
  std::string text = printable(file) + '\n';
  if (tables.empty()) text += fmt::format("\n{}\n", no_events_text("see steps"));
  for (const StepTable& steps : tables)
    text += step_section(state, steps);
  return text;
}

} // namespace memviz
