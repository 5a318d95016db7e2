#include "memviz/answers.hpp"
#include "memviz/ranks.hpp"
#include "story/ranks_words.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <vector>

// Jobs on the made-up GPU, each with a line of one rank that keeps its samples, or two ranks that swapped lines.

using namespace memviz;
using namespace memviz::test;

namespace {

/// Returns nullopt if the recordings are missing.
std::optional<JobReport> job_of(const std::filesystem::path& name) {
  const auto folder = shared_folder();
  if (!folder) return std::nullopt;
  std::vector<RankPart> parts;
  for (const auto& path : files_in(*folder / "probes/findings4" / name, ".pickle")) {
    Session session(path.string());
    LinePeaks peaks;
    const Opened opened = session.open({.moment = moment_of(automatic_scope()), .kinds = true, .sink = &peaks});
    parts.push_back(part_of(path.string(), opened.state, peaks));
  }
  return job_report(parts);
}

} // namespace

TEST_CASE("real jobs whose files are named by two numbers: no file is left out, and the rank that keeps is found") {
  for (const char* const name : {"truth/ranks/dp_tp", "truth/ranks/mp_rank"}) {
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
  if (const auto two = job_of("truth/ranks/two_ranks_keep"))
    CHECK(ranks_headline(*two) ==
          "No rank of two stands out; rank 1 holds 96.0 MiB more than rank 0: keep_samples job.py:121 +96.0 MiB "
          "(unknown memory).");
  if (const auto swapped = job_of("truth/ranks/swap"))
    CHECK(contains(ranks_headline(*swapped), "Rank 4 stands out: it holds as much as the median of 7 ranks, but in "));
}

TEST_CASE("real ranks whose peaks are in different phases of a step are compared line by line") {
  if (const auto clean = job_of("truth/ranks/noise72"))
    CHECK(ranks_headline(*clean).starts_with("No rank stands out: "));
  const auto planted = job_of("truth/ranks/noise115");
  if (!planted) return;
  CHECK(planted->groups.size() == 1);
  CHECK(ranks_headline(*planted) == "Rank 0 stands out: it holds 24.0 MiB more than the median of its group of 4: "
                                    "keep_samples job.py:121 +24.0 MiB (unknown memory).");
}

TEST_CASE("a real rank that loads a checkpoint onto the GPU of another") {
  const auto report = job_of("field/ranks_load_on_gpu0");
  if (!report) return;
  CHECK(ranks_headline(*report).starts_with("Rank 1 holds 266 MiB on GPU 0, the GPU of rank 0, in addition to its own: "
                                            "<module> s03_ddp.py:11. With one GPU for each process, load with "));
}
