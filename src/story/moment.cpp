#include "memviz/moment.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "story/moment_words.hpp"

#include <array>
#include <fmt/format.h>

namespace memviz {

std::string_view moment_kind_name(MomentKind kind) {
  constexpr std::array<std::string_view, 7> kNames{"end", "peak", "oom", "auto", "event", "time", "annotation"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string moment_text(const Moment& moment, std::uint64_t events) {
  const std::string where =
      moment.event.is_none() ? "before the first event"
                             : fmt::format("event {} of {}", format_count(moment.event.value()), format_count(events));
  switch (moment.kind) {
  case MomentKind::end:
  case MomentKind::automatic: break; // never a moment's own kind
  case MomentKind::peak: return "at the peak, " + where;
  case MomentKind::oom: return "at the out-of-memory error, " + where;
  case MomentKind::event: return moment.event.is_none() ? where : "after " + where;
  case MomentKind::time: return "at the time given, " + where;
  case MomentKind::annotation: return fmt::format("at the start of '{}', {}", moment.annotation, where);
  }
  return "at the end of recording";
}

std::string short_moment_text(const Moment& moment) {
  constexpr std::size_t kLongestName = 32;
  const auto event = [&] { return format_count(moment.event.value()); };
  switch (moment.kind) {
  case MomentKind::end:
  case MomentKind::automatic: break; // never a moment's own kind
  case MomentKind::peak: return "at its peak";
  case MomentKind::oom: return "at its out-of-memory error";
  case MomentKind::event: return moment.event.is_none() ? "before the first event" : "after event " + event();
  case MomentKind::time: return "at the time given";
  case MomentKind::annotation: return fmt::format("at the start of '{}'", elided(moment.annotation, kLongestName));
  }
  return "at the end";
}

} // namespace memviz
