#include "memviz/answers.hpp"
#include "memviz/ranks.hpp"
#include "memviz/ranks_report.hpp"
#include "memviz/ranks_words.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Jobs on the made-up GPU, each with a line of one rank that keeps its samples, or two ranks that swapped lines.

using namespace memviz;
using namespace memviz::test;

namespace {

/// Returns nullopt if the recordings are missing.
std::optional<JobReport> job_of(const std::string& name) {
  const auto folder = shared_folder();
  if (!folder) return std::nullopt;
  std::vector<RankPart> parts;
  for (const auto& path : files_in(*folder / "probes/findings4/truth/ranks" / name, ".pickle")) {
    Session session(path.string());
    parts.push_back(
        part_of(path.string(), session.open({.moment = moment_of(automatic_scope()), .kinds = true}).state));
  }
  return job_report(parts);
}

} // namespace

TEST_CASE("real jobs whose files are named by two numbers: no file is left out, and the rank that keeps is found") {
  for (const char* const name : {"dp_tp", "mp_rank"}) {
    CAPTURE(name);
    const auto report = job_of(name);
    if (!report) return;
    CHECK(report->ranks.size() == 8);
    for (const JobRank& rank : report->ranks)
      CHECK(rank.other_parts.empty());
    REQUIRE(report->outliers.size() == 1);
    CHECK(report->outliers.front().delta_bytes == 96 * 1048576);
  }
}

TEST_CASE("real ranks that differ are not called the same") {
  if (const auto two = job_of("two_ranks_keep"))
    CHECK(ranks_headline(*two) == "No rank stands out: 2 ranks hold 258 MiB to 354 MiB, 306 MiB in the median.");
  if (const auto swapped = job_of("swap"))
    CHECK(contains(ranks_headline(*swapped), "Rank 4 stands out: it holds as much as the median of 7 ranks, but in "));
}
