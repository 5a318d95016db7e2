#include "engine/answers.hpp"

#include "memviz/error.hpp"
#include "memviz/ranks_report.hpp"

namespace memviz::view {

std::string ranks_of(Engine& engine, const PageRequest& /*request*/) {
  if (engine.job().empty()) throw UsageError("no job is open");
  return ranks_json(job_report(engine.job()));
}

std::string new_job(Engine& engine, const PageRequest& /*request*/) {
  engine.forget_job();
  return "null";
}

std::string add_unread(Engine& engine, const PageRequest& request) {
  engine.add_unread(request.text("name"), request.text("reason"));
  return "null";
}

} // namespace memviz::view
