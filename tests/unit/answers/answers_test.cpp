#include "memviz/answers.hpp"

#include "memviz/error.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

Session session_of(const std::string& name) {
  return Session(unpacked(input_of(read_bytes((testdata() / name).string()))), {.name = name});
}

/// The answers of a page to all questions at one moment.
std::vector<std::string> answers_at(Session& session, const std::string& moment) {
  const Scope scope{.at = parse_moment("at", moment)};
  const auto loaded = [&](const auto& question) { return loaded_from(session, wants_of(question), {}); };
  std::vector<std::string> answers;
  const FlameQuestion flame{.scope = scope, .tree = {.view = TreeView::segments}};
  const FlameAnswer drawn = flame_answer(flame, loaded(flame));
  answers.push_back(flame_svg(picture_of(drawn), {}));
  answers.push_back(whole_text(json_of(drawn)));
  const StateQuestion state{.scope = scope};
  const StateAnswer board{state, loaded(state)};
  answers.push_back(state_svg(picture_of(board), {}));
  answers.push_back(whole_text(json_of(board)));
  const StatsQuestion stats{.scope = scope};
  answers.push_back(json_of(stats_answer(stats, loaded(stats))));
  const ExplainQuestion why{.scope = scope};
  const ExplainAnswer explained = explain_answer(why, loaded(why));
  answers.push_back(explain_text(report_of(explained)) + explain_svg(picture_of(explained), {}));
  const TimelineQuestion curve;
  const TimelineAnswer curves = timeline_answer(curve, loaded(curve));
  answers.push_back(timeline_svg(picture_of(curves), {}) + json_of(curves));
  std::string log;
  const TraceAnswer trace = trace_answer({.ends = {.from = scope.at}}, session);
  CHECK(write_trace(trace, session, [&](std::string_view piece) { log += piece; }) > 0);
  answers.push_back(log);
  return answers;
}

} // namespace

TEST_CASE("a session that keeps its events gives the same answers at any moment, without its bytes") {
  for (const std::string name : {"oom.pickle", "gen_2.5_annotations.pickle"}) {
    CAPTURE(name);
    Session again = session_of(name);
    Session kept = session_of(name);
    kept.keep_events();
    kept.keep_events();
    CHECK(kept.input().bytes().empty());
    for (const std::string moment : {"peak", "end", "event:3"}) {
      CAPTURE(moment);
      CHECK(answers_at(kept, moment) == answers_at(again, moment));
    }
    CHECK(answers_at(kept, "peak") != answers_at(kept, "event:3"));
  }
}

TEST_CASE("a question about a device or events that the file does not have is refused") {
  Session session = session_of("oom.pickle");
  CHECK_THROWS_AS(static_cast<void>(loaded_from(session, {}, DeviceId{7})), UsageError);
  const TimelineQuestion late{.from = 1'000'000};
  CHECK_THROWS_AS(static_cast<void>(timeline_answer(late, loaded_from(session, wants_of(late), {}))), UsageError);
  const ExplainQuestion small{.capacity_bytes = 1};
  CHECK_THROWS_AS(static_cast<void>(explain_answer(small, loaded_from(session, wants_of(small), {}))), UsageError);
}
