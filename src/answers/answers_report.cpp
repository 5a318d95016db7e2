#include "memviz/answers.hpp"
#include "story/report_words.hpp"

#include <utility>

namespace memviz {

namespace {

ReportSubject subject_of(const ReportAnswer& answer) {
  return {answer.loaded.name, answer.loaded.state, answer.report, answer.project};
}

} // namespace

Wants wants_of(const ReportQuestion& question) {
  return {.moment = moment_of(question.scope), .kinds = true, .timeline = true};
}

ReportAnswer report_answer(const ReportQuestion& question, Loaded loaded) {
  MemoryReport report = memory_report(loaded.state, loaded.timeline, question.scope.device);
  ProjectFiles project(loaded.state, question.project_root);
  return {question, std::move(loaded), std::move(report), std::move(project)};
}

std::vector<std::string> hints_of(const ReportAnswer& answer) {
  return report_hints(subject_of(answer), answer.question.project_root.has_value());
}

std::string json_of(const ReportAnswer& answer) {
  return report_json(subject_of(answer));
}

} // namespace memviz
