#include "memviz/moment.hpp"
#include "memviz/format.hpp"

#include <fmt/format.h>

namespace memviz {

std::string moment_text(const Moment& moment, std::uint64_t events) {
  const std::string where =
      moment.event < 0
          ? "before the first event"
          : fmt::format("event {} of {}", format_count(static_cast<std::uint64_t>(moment.event)), format_count(events));
  switch (moment.kind) {
  case MomentKind::end: break;
  case MomentKind::peak: return "at the peak, " + where;
  case MomentKind::oom: return "at the out-of-memory error, " + where;
  case MomentKind::event: return moment.event < 0 ? where : "after " + where;
  case MomentKind::time: return "at the time given, " + where;
  case MomentKind::annotation: return fmt::format("at the start of '{}', {}", moment.annotation, where);
  }
  return "at the end of the recording";
}

} // namespace memviz
