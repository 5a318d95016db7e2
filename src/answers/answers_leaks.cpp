#include "memviz/answers.hpp"
#include "memviz/leaks_report.hpp"
#include "memviz/step_table_report.hpp"

#include <utility>

namespace memviz {

Wants wants_of(const LeakOptions& /*question*/) {
  return {.events = true, .kinds = true};
}

LeaksAnswer leaks_answer(const LeakOptions& question, Loaded loaded) {
  LeaksAnswer answer{std::move(loaded), {}};
  answer.devices = find_leaks(answer.loaded.state, question);
  add_keepers(answer.devices, *answer.loaded.state.recording);
  return answer;
}

std::string text_of(const LeaksAnswer& answer) {
  return leaks_text(answer.loaded.name, answer.loaded.state, answer.devices);
}

std::string json_of(const LeaksAnswer& answer) {
  return leaks_json(answer.loaded.name, answer.loaded.state, answer.devices);
}

Wants wants_of(const StepsQuestion& /*question*/) {
  return {.events = true};
}

StepsAnswer steps_answer(const StepsQuestion& question, Loaded loaded) {
  std::vector<StepTable> tables = step_tables(loaded.state, {question.steps, question.device, {}});
  return {std::move(loaded), std::move(tables)};
}

std::string text_of(const StepsAnswer& answer) {
  return step_tables_text(answer.loaded.name, answer.loaded.state, answer.tables);
}

std::string json_of(const StepsAnswer& answer) {
  return step_tables_json(answer.loaded.name, answer.loaded.state, answer.tables);
}

} // namespace memviz
