#include "memviz/compare_jobs.hpp"

#include "memviz/compare_jobs_report.hpp"
#include "story/compare_jobs_words.hpp"
#include "support/contains.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kJobMiB = std::uint64_t{1} << 20U;

RankPart rank_part(std::uint64_t rank, std::vector<LineMemory> held) {
  RankPart part{.file = fmt::format("job/rank{}.pickle", rank)};
  part.moment = MomentKind::peak;
  part.event = part.peak_event = EventIndex(9);
  for (const LineMemory& line : held)
    part.held_bytes += line.bytes;
  part.peak_bytes = part.end_bytes = part.reserved_bytes = part.held_bytes;
  part.held = std::move(held);
  return part;
}

std::vector<LineMemory> usual() {
  return {{"load model.py:12", MemoryKind::parameter, 96 * kJobMiB},
          {"forward block.py:31", MemoryKind::activation, 400 * kJobMiB},
          {"forward block.py:31", MemoryKind::temporary, 8 * kJobMiB}};
}

std::vector<RankPart> job(std::uint64_t ranks) {
  std::vector<RankPart> parts;
  for (std::uint64_t i = 0; i < ranks; ++i)
    parts.push_back(rank_part(i, usual()));
  return parts;
}

JobCompareOptions limits(Gauge gauge, std::uint64_t bytes) {
  const GrowthLimit limit{.bytes = bytes, .given = "limit"};
  return {.limits = limits_on(std::vector{gauge}, limit)};
}

} // namespace

TEST_CASE("a job compared with itself has no change, and any limit is kept") {
  const JobComparison same = compare_jobs(job_report(job(4)), job_report(job(4)), limits(Gauge::peak, 0));
  CHECK(same.ranks.size() == 4);
  CHECK(same.is_passed());
  CHECK(jobs_headline(same) == "The peak and the end of all 4 ranks are the same before and after.");
}

TEST_CASE("ranks are paired by their numbers, and those of one side are named") {
  std::vector<RankPart> after = job(7);
  after.erase(after.begin() + 1);
  const JobComparison compared = compare_jobs(job_report(job(4)), job_report(after));
  CHECK(compared.ranks.size() == 3);
  CHECK(contains(jobs_headline(compared), "Only before has rank 1. Only after has ranks 4 to 6."));
  const std::string text = compare_jobs_text(compared, {"main", "pull"}, 100);
  CHECK(contains(text, "only before"));
  CHECK(contains(text, "before: main, 4 ranks"));
}

TEST_CASE("files without a rank are paired by their names") {
  const auto named = [](const std::string& file) {
    RankPart part = rank_part(0, usual());
    part.file = file;
    return part;
  };
  const JobComparison compared = compare_jobs(job_report({named("main/x.pickle"), named("main/train.pickle")}),
                                              job_report({named("pull/train.pickle"), named("pull/y.pickle")}));
  REQUIRE(compared.ranks.size() == 1);
  CHECK(changed_rank_name(compared, compared.ranks[0]) == "train.pickle");
  CHECK(compared.only_before.size() == 1);
  CHECK(compared.only_after.size() == 1);
}

TEST_CASE("the rank that changed most is first, with its line") {
  std::vector<RankPart> after = job(4);
  std::vector<LineMemory> held = usual();
  held.push_back({"keep job.py:9", MemoryKind::unknown, 64 * kJobMiB});
  after[2] = rank_part(2, held);
  held.back().bytes = 8 * kJobMiB;
  after[3] = rank_part(3, held);
  const JobReport before = job_report(job(4));
  const JobComparison compared = compare_jobs(before, job_report(after), limits(Gauge::peak, 32 * kJobMiB));
  CHECK(ranks_by_change(compared) == std::vector<std::size_t>{2, 3, 0, 1});
  CHECK(contains(jobs_headline(compared), "rank 2 changed most: its peak grew by 64.0 MiB (12.7 % of 504 MiB); keep "
                                          "job.py:9 +64.0 MiB. 2 ranks did not change."));
  CHECK_FALSE(compared.is_passed());
  CHECK(jobs_exceeded_text(compared).value_or("") ==
        "rank 2 grew by more than --fail-over limit allows: its peak by 64.0 MiB");
  const JobComparison back = compare_jobs(job_report(after), before, limits(Gauge::peak, 0));
  CHECK(back.is_passed());
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(back.ranks[i].readings.of(Gauge::peak).change_bytes() ==
          -compared.ranks[i].readings.of(Gauge::peak).change_bytes());
}

TEST_CASE("of ranks over a limit the first is named, but the headline names the one that changed most") {
  std::vector<RankPart> after = job(3);
  std::vector<LineMemory> held = usual();
  held.push_back({"keep job.py:9", MemoryKind::unknown, 64 * kJobMiB});
  after[1] = rank_part(1, held);
  std::vector<RankPart> before = job(3);
  held.back().bytes = 200 * kJobMiB;
  before[2] = rank_part(2, held); // shrinks
  const JobComparison compared = compare_jobs(job_report(before), job_report(after), limits(Gauge::peak, 32 * kJobMiB));
  CHECK(ranks_by_change(compared).front() == 1);
  CHECK(contains(jobs_headline(compared), "rank 2 changed most: its peak shrank by 200 MiB"));
  CHECK(contains(jobs_exceeded_text(compared).value_or(""), "rank 1 grew by more"));
}

TEST_CASE("a line that moved is compared by its function, and one that a part leaves out is not taken for growth") {
  SUBCASE("moved") {
    std::vector<LineMemory> held = usual();
    held[1].line = held[2].line = "forward block.py:33";
    const JobComparison compared = compare_jobs(job_report({rank_part(0, usual())}), job_report({rank_part(0, held)}));
    CHECK(compared.match == FrameMatch::function);
    CHECK(compared.is_match_chosen);
    CHECK(compared.ranks[0].lines.empty());
    const JobComparison by_line = compare_jobs(job_report({rank_part(0, usual())}), job_report({rank_part(0, held)}),
                                               {.match = FrameMatch::line});
    CHECK(by_line.ranks[0].lines.size() == 2);
  }
  SUBCASE("left out: it holds at most as much as the smallest that is listed") {
    std::vector<LineMemory> before = usual();
    before.push_back({"", MemoryKind::unknown, 30 * kJobMiB});
    std::vector<LineMemory> after = usual();
    after.push_back({"small job.py:9", MemoryKind::unknown, 20 * kJobMiB});
    after.push_back({"large job.py:10", MemoryKind::unknown, 50 * kJobMiB});
    const JobComparison compared = compare_jobs(job_report({rank_part(0, before)}), job_report({rank_part(0, after)}));
    REQUIRE(compared.ranks[0].lines.size() == 1);
    CHECK(compared.ranks[0].lines[0].line == "large job.py:10");
    CHECK(compared.ranks[0].lines[0].delta_bytes() == 20 * 1048576);
  }
}

TEST_CASE("a rank that ran out of memory, one without events and files that were not read are said") {
  std::vector<RankPart> after = job(4);
  after[1].moment = MomentKind::oom;
  after[1].end_bytes += kJobMiB;
  after[2].moment = MomentKind::end;
  after[3] = unread_part("job/rank3.pickle", "not a pickle");
  const JobComparison compared = compare_jobs(job_report(job(4)), job_report(after));
  const std::string text = compare_jobs_text(compared, {"main", "pull"}, 100);
  CHECK(contains(text, "out of memory after"));
  CHECK(contains(text, "1 file could not be read."));
  CHECK(contains(text, "not read after: job/rank3.pickle: not a pickle"));
  CHECK(contains(text, "The peak of 1 rank is unknown"));
  CHECK_FALSE(compared.ranks[2].readings.of(Gauge::peak).is_known());
}

TEST_CASE("sizes of a hostile part neither wrap nor throw") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::vector<RankPart> after = job(2);
  after[0].held = {{"a b.py:1", MemoryKind::unknown, kMost}, {"a b.py:1", MemoryKind::activation, kMost}};
  after[0].peak_bytes = after[0].held_bytes = kMost;
  const JobComparison compared = compare_jobs(job_report(job(2)), job_report(after), limits(Gauge::peak, 1));
  CHECK_FALSE(compare_jobs_json(compared, {"main", "pull"}).empty());
}
