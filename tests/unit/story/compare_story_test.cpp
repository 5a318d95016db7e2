#include "memviz/compare.hpp"
#include "memviz/story.hpp"
#include "story/figures.hpp"

#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using memviz::test::MiB;
using test::SmallSnapshot;

namespace {

/// A line that holds `kept_bytes`, and another that holds `other_bytes`.
Recording held(std::uint64_t kept_bytes, std::uint64_t other_bytes) {
  SmallSnapshot made;
  made.segment(0x7f0000000000, kept_bytes).active(kept_bytes, kept_bytes, made.stack({"/app/a.py:1:keep"}));
  made.segment(0x7f1000000000, other_bytes).active(other_bytes, other_bytes, made.stack({"/app/b.py:2:work"}));
  return made.take();
}

std::string answer(const Recording& before, const Recording& after) {
  return compare_story(compare_snapshots(test::end_of(before), test::end_of(after), {})).answer;
}

} // namespace

TEST_CASE("a line that changed by more than the whole is not most of it") {
  const Recording less = held(2 * MiB, 100 * MiB);
  const Recording more = held(102 * MiB, 10 * MiB);
  CHECK(answer(less, more) == "keep a.py:1 grew by 100 MiB; others shrank by 90.0 MiB");
  CHECK(answer(more, less) == "keep a.py:1 shrank by 100 MiB; others grew by 90.0 MiB");
  CHECK(answer(held(2 * MiB, 10 * MiB), more) == "Mostly keep a.py:1 +100 MiB");
}

TEST_CASE("the headline of a comparison is of requested memory, like its first figure") {
  const Recording less = held(2 * MiB, 10 * MiB);
  const Recording more = held(6 * MiB, 10 * MiB);
  CHECK(compare_story(compare_snapshots(test::end_of(less), test::end_of(more), {})).headline ==
        "+4.00 MiB requested at the end: 12.0 MiB before, 16.0 MiB after");
}

TEST_CASE("a change that is given by a bound says in which direction") {
  DeviceFigures before;
  DeviceFigures after;
  before.reserved_bytes = 2 * MiB;
  after.reserved_bytes = 528;
  CHECK(change_figures(before, after).front().note.ends_with("(−100.0 %)"));
  after.reserved_bytes = 2 * MiB + 1;
  CHECK(change_figures(before, after).front().note.ends_with("(< 0.1 % more)"));
  after.reserved_bytes = 3 * MiB;
  CHECK(change_figures(before, after).front().note.ends_with("(+50.0 %)"));
}
