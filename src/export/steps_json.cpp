#include "export/steps_json.hpp"

namespace memviz {

std::string_view step_source_name(StepSource source) {
  switch (source) {
  case StepSource::none: return "none";
  case StepSource::annotation: return "annotation";
  case StepSource::repetition: return "repetition";
  case StepSource::events: return "events";
  case StepSource::time: return "time";
  }
  return "none";
}

} // namespace memviz
