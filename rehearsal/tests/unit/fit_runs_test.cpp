#include "support/contains.hpp"
#include "verdict/fit_report.hpp"
#include "verdict/fit_report_words.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;
using memviz::test::contains;
using namespace memviz::rehearse;

namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30U;
constexpr std::uint64_t kAllBytes = 80 * kGibibyte;

FitVerdict that_fits(std::uint64_t peak_bytes = 40 * kGibibyte) {
  FitVerdict verdict;
  verdict.outcome = FitOutcome::fits;
  verdict.profile = {"h100-80", "NVIDIA H100 80GB HBM3", kAllBytes, kGibibyte};
  verdict.facts.used_cuda = true;
  verdict.facts.uses = {{.pid = 10,
                         .device = {},
                         .total_bytes = kAllBytes,
                         .context_bytes = kGibibyte,
                         .peak_bytes = peak_bytes,
                         .peak_reserved_bytes = peak_bytes - kGibibyte,
                         .peak_allocated_bytes = peak_bytes - kGibibyte}};
  return verdict;
}

/// Decides by values that are made up.
FitVerdict that_may_fit(std::uint64_t peak_bytes = 40 * kGibibyte) {
  FitVerdict verdict = that_fits(peak_bytes);
  verdict.computes_values = true;
  verdict.facts.decisions = {{.line = "moe.py:7", .count = 2, .made_up_count = 1}};
  return verdict;
}

FitVerdict too_large() {
  FitVerdict verdict = that_fits(79 * kGibibyte);
  verdict.outcome = FitOutcome::does_not_fit;
  verdict.ending.exit_code = 1;
  verdict.facts.oom_count = 1;
  verdict.facts.ooms = {{10, std::nullopt, {0}, 8 * kGibibyte, ""}};
  return verdict;
}

FitVerdict that_fails(int code = 2) {
  FitVerdict verdict = that_fits();
  verdict.outcome = FitOutcome::failed;
  verdict.ending.exit_code = code;
  return verdict;
}

FitVerdict on(const std::string& profile, FitVerdict verdict) {
  verdict.profile.name = profile;
  return verdict;
}

const Axis kBatch{.kind = AxisKind::number, .name = "BATCH", .low = 1, .high = 8};
const Axis kGpus{.kind = AxisKind::gpu, .name = "gpu", .values = {"h100-80", "l4"}};
const Axis kParallel{.kind = AxisKind::values, .name = "TP", .values = {"1", "2", "4"}};
const Axis kSettings{.kind = AxisKind::setting, .name = "setting", .values = {"as it is", "A=1"}};

FitRun run_at(std::vector<std::string> point, FitVerdict verdict) {
  return {std::move(point), std::nullopt, 1, std::move(verdict)};
}

FitRun run_of(std::uint64_t rank, FitVerdict verdict, std::vector<std::string> point = {}) {
  return {std::move(point), rank, 64, std::move(verdict)};
}

} // namespace

TEST_CASE("a search in words") {
  FitReport report{.axes = {kBatch}, .runs = {run_at({"1"}, that_fits(10 * kGibibyte)), run_at({"8"}, too_large())}};
  SUBCASE("found") {
    report.runs.push_back(run_at({"4"}, that_fits()));
    report.runs.push_back(run_at({"5"}, too_large()));
    const std::string text = fit_text(report, 100);
    CHECK(text.starts_with("BATCH=4 is the largest that fits; BATCH=5 does not.\n"));
    CHECK(
        contains(text, "Found by bisection in 4 of 8 runs, which assumes that whatever fits also fits with a smaller"));
    CHECK(contains(text, "\nBATCH=4\nFits on"));
    const auto json = nlohmann::json::parse(fit_json(report));
    CHECK(json["rows"].size() == 1);
    CHECK(json["rows"][0]["largest"] == 4);
    CHECK(json["rows"][0]["run"] == 2);
    CHECK(json["runs"][1]["verdict"]["outcome"] == "does_not_fit");
    CHECK(json["runs"][1]["point"] == nlohmann::json{{"BATCH", "8"}});
    CHECK(json["points_run"] == 4);
    CHECK(json["points"] == 8);
    CHECK(json["verdict"]["outcome"] == "fits");
    CHECK(exit_code(report) == 0);
  }
  SUBCASE("found, and not sure") {
    report.runs = {run_at({"1"}, that_fits()), run_at({"8"}, that_may_fit()), run_at({"4"}, that_fits())};
    CHECK(report_headline(report) == "BATCH=4 is the largest that surely fits; up to BATCH=8 may fit.");
    SUBCASE("nor is there an answer between") {
      report.runs.push_back(run_at({"6"}, that_fails()));
      CHECK(report_headline(report) == "BATCH=4 is the largest that surely fits; up to BATCH=8 may fit.");
      CHECK(exit_code(report) == 0);
    }
    SUBCASE("which nothing makes so") {
      report.runs = {run_at({"1"}, that_may_fit()), run_at({"8"}, too_large()), run_at({"2"}, too_large())};
      CHECK(report_headline(report) == "BATCH=1 is the largest that may fit, and none surely fits. BATCH=2 does not.");
    }
  }
  SUBCASE("all") {
    report.runs[1].verdict = that_fits();
    CHECK(report_headline(report) == "All of BATCH=1..8 fit: BATCH=8 does.");
    report.runs[1].verdict = report.runs[0].verdict;
    CHECK(contains(report_headline(report), "with the same peak: does the program read BATCH?"));
  }
  SUBCASE("none") {
    report.runs = {run_at({"1"}, too_large())};
    CHECK(report_headline(report) == "None of BATCH=1..8 fits: BATCH=1 does not.");
    CHECK(nlohmann::json::parse(fit_json(report))["rows"][0]["largest"].is_null());
    CHECK(exit_code(report) == 3);
  }
  SUBCASE("the lowest refused") {
    report.runs[0].verdict = that_fails();
    report.runs[0].verdict.facts.error = "ValueError: 1 microbatch for 2 stages.\nSee the manual";
    CHECK(report_headline(report).starts_with("No answer for BATCH=1..8: with BATCH=8 the program"));
    report.runs.push_back(run_at({"2"}, too_large()));
    CHECK(report_headline(report) == "None of BATCH=1..8 fits: BATCH=2 does not, and the program fails with BATCH=1.");
    CHECK(exit_code(report) == 3);
    report.runs.back().verdict = that_fits();
    report.runs.push_back(run_at({"3"}, too_large()));
    CHECK(report_headline(report) == "BATCH=2 is the largest that fits; BATCH=3 does not.");
    CHECK(contains(fit_text(report, 100), "ValueError: 1 microbatch for 2 stages. See the manual\n"));
  }
  SUBCASE("no answer") {
    report.runs[1].verdict = that_fails();
    CHECK(contains(report_headline(report), "with BATCH=8 the program failed for a reason other than memory."));
    CHECK(exit_code(report) == 2);
    report.runs[1].verdict.facts.needed_ranks = {3};
    report.runs[1].verdict.outcome = FitOutcome::fits;
    CHECK(exit_code(report) == 1);
  }
}

TEST_CASE("the axes have more points than a number counts") {
  Axis huge = kBatch;
  huge.high = ~std::uint64_t{0};
  CHECK(points_of({huge}) == huge.high);
  CHECK(points_of({kGpus, huge}) == std::nullopt);
  huge.low = 0;
  CHECK(points_of({huge}) == std::nullopt);
  CHECK(points_of({kGpus, kParallel, kBatch}) == 48);
  CHECK(points_of({}) == 1);
}

TEST_CASE(
    "the rank that decides a job is the first that does not fit, else the first without an answer, else the fullest") {
  FitReport report{
      .runs = {run_of(0, that_fits(10 * kGibibyte)), run_of(5, that_fits(50 * kGibibyte)), run_of(9, that_fits())}};
  const auto deciding_rank = [&] { return *rows_of(report).front().answer->rank; };
  CHECK(deciding_rank() == 5);
  CHECK(contains(report_headline(report), "Rank 5 of 64 decides. Fits on"));
  CHECK(contains(report_headline(report), "3 of 64 ranks were rehearsed; the others may differ."));
  report.runs[2].verdict = that_fails();
  CHECK(deciding_rank() == 9);
  report.runs[1].verdict = too_large();
  CHECK(deciding_rank() == 5);
  CHECK(exit_code(report) == 3);
}

TEST_CASE("a rank that may run out of memory decides before those that surely fit") {
  const FitReport report{.runs = {run_of(0, that_fits(70 * kGibibyte)), run_of(5, that_may_fit(20 * kGibibyte)),
                                  run_of(9, that_may_fit(30 * kGibibyte))}};
  CHECK(*rows_of(report).front().answer->rank == 9);
}

TEST_CASE("the answer is about the smallest GPU on which the program surely fits, if there is one") {
  FitReport report{.axes = {kGpus},
                   .runs = {run_at({"h100-80"}, on("h100-80", that_fits())), run_at({"l4"}, on("l4", that_may_fit()))}};
  CHECK(report_headline(report).starts_with(
      "Fits on 1 of 2 GPUs, and may fit on 1. The smallest on which it surely fits is NVIDIA H100"));
  report.runs.front().verdict = that_may_fit();
  CHECK(report_headline(report).starts_with("May fit on all 2 GPUs. The smallest of them is NVIDIA H100"));
  const std::vector<FitRow> rows = rows_of(report);
  CHECK(answering_row(report, rows).answer->point.front() == "l4");
}

TEST_CASE("ranks fold into each number of a search") {
  const FitReport report{.axes = {kBatch},
                         .runs = {run_of(0, that_fits(10 * kGibibyte), {"1"}),
                                  run_of(5, that_fits(20 * kGibibyte), {"1"}), run_of(5, too_large(), {"8"}),
                                  run_of(0, that_fits(30 * kGibibyte), {"4"}),
                                  run_of(5, that_fits(60 * kGibibyte), {"4"}),
                                  run_of(0, that_fits(30 * kGibibyte), {"5"}), run_of(5, too_large(), {"5"})}};
  const std::vector<FitRow> rows = rows_of(report);
  CHECK(rows.size() == 1);
  CHECK(rows.front().points.size() == 4);
  CHECK(rows.front().largest == 4);
  CHECK(*rows.front().answer->rank == 5);
  CHECK(points_run(report) == 4);
  CHECK(report_headline(report) ==
        "BATCH=4 is the largest that fits; BATCH=5 does not. 2 of 64 ranks were rehearsed; the others may differ.");
  CHECK(contains(fit_text(report, 100), "\nBATCH=4, rank 5\n"));
}

TEST_CASE("a row for each GPU and value has the largest number that fits there") {
  const FitReport report{
      .axes = {kGpus, kBatch},
      .runs = {run_at({"h100-80", "1"}, that_fits()), run_at({"h100-80", "8"}, that_fits()),
               run_at({"l4", "1"}, on("l4", that_fits(9 * kGibibyte))), run_at({"l4", "8"}, on("l4", too_large())),
               run_at({"l4", "4"}, on("l4", too_large())), run_at({"l4", "2"}, on("l4", that_fits(70 * kGibibyte))),
               run_at({"l4", "3"}, on("l4", too_large()))}};
  CHECK(report_headline(report) == "On h100-80 the largest BATCH is 8, on l4 it is 2.");
  const std::string text = fit_text(report, 100);
  CHECK(contains(text, "  GPU        memory  BATCH      peak  of which PyTorch      left  what decides\n"));
  CHECK(contains(text, "  l4       80.0 GiB      2  70.0 GiB          69.0 GiB  10.0 GiB\n"));
  CHECK(contains(text, "\nl4, BATCH=2\nFits on NVIDIA H100 80GB HBM3 (l4)"));
  CHECK(contains(text, "in 7 of 16 runs"));
  CHECK(exit_code(report) == 0);
}

TEST_CASE("rows that do not fit, and those without an answer, are named") {
  FitReport report{.axes = {kParallel, kBatch},
                   .runs = {run_at({"1", "1"}, too_large()), run_at({"2", "1"}, that_fits()),
                            run_at({"2", "8"}, that_fits(50 * kGibibyte)), run_at({"4", "1"}, that_fails())}};
  CHECK(report_headline(report) == "With TP=2 the largest BATCH is 8. With TP=1 none fits. No answer with TP=4.");
  CHECK(contains(fit_text(report, 100), "   4  unknown "));
  CHECK(exit_code(report) == 0);
  report.runs[1].verdict = too_large();
  report.runs.erase(report.runs.begin() + 2);
  CHECK(report_headline(report) == "None of BATCH=1..8 fits with TP=1, with TP=2. No answer with TP=4.");
  CHECK(exit_code(report) == 3);
  report.runs[0].verdict = that_fails(7);
  report.runs[1].verdict = that_fails();
  CHECK(report_headline(report) == "No answer with TP=1, with TP=2, with TP=4.");
  CHECK(exit_code(report) == 7);
}

TEST_CASE("of many rows the largest and the smallest number are named, and how many have none") {
  FitReport report{.axes = {{.kind = AxisKind::values, .name = "A", .values = {}}, kBatch}};
  for (std::uint64_t value = 1; value <= 9; ++value) {
    report.axes.front().values.push_back(std::to_string(value));
    report.runs.push_back(run_at({std::to_string(value), "1"}, value < 5 ? that_fits() : too_large()));
    if (value < 5) report.runs.push_back(run_at({std::to_string(value), "8"}, that_fits(41 * kGibibyte)));
  }
  CHECK(report_headline(report) ==
        "With A=1 the largest BATCH is 8, with A=2 it is 8, with A=3 it is 8, with A=4 it is "
        "8. None fits with 5 of 9 values of A.");
  report.runs.push_back(run_at({"10", "1"}, that_fits()));
  report.runs.push_back(run_at({"10", "8"}, too_large()));
  report.runs.push_back(run_at({"10", "4"}, too_large()));
  report.runs.push_back(run_at({"10", "2"}, too_large()));
  CHECK(report_headline(report) ==
        "With A=1 the largest BATCH is 8, with A=10 it is 1. None fits with 5 of 10 values of A.");
}

TEST_CASE("values without a search have an outcome each") {
  FitReport report{
      .axes = {kParallel},
      .runs = {run_at({"1"}, too_large()), run_at({"2"}, that_fits(70 * kGibibyte)), run_at({"4"}, that_fits())}};
  CHECK(report_headline(report) ==
        "Fits with 2 of 3 values of TP. With TP=2 on NVIDIA H100 80GB HBM3 (h100-80): 70.0 GiB "
        "of 80.0 GiB at the peak, 10.0 GiB left.");
  report.runs[2].verdict = that_fails();
  CHECK(contains(report_headline(report), "Fits with 1 of 3 values of TP: with TP=2 on NVIDIA"));
  CHECK(contains(report_headline(report), "10.0 GiB left. No answer with 1."));
  report.runs[1].verdict = that_fails();
  CHECK(report_headline(report) == "Fits with none of 3 values of TP. No answer with 2.");
  report.runs[0].verdict = that_fails();
  CHECK(report_headline(report) == "No answer with any of 3 values of TP.");

  report.axes.insert(report.axes.begin(), kGpus);
  report.runs.clear();
  for (const std::string gpu : {"h100-80", "l4"})
    for (const std::string value : {"1", "2", "4"})
      report.runs.push_back(run_at({gpu, value}, on(gpu, gpu == "l4" && value == "1" ? too_large() : that_fits())));
  CHECK(contains(report_headline(report), "Fits in 5 of 6 combinations. With TP=2 on NVIDIA H100 80GB HBM3 (l4): "));
}

TEST_CASE("what changes under another setting") {
  FitReport report{.axes = {kSettings},
                   .runs = {run_at({"as it is"}, too_large()), run_at({"A=1"}, that_fits(70 * kGibibyte))}};
  const std::string text = fit_text(report, 200);
  CHECK(text.starts_with("Does not fit on NVIDIA H100"));
  CHECK(contains(text, "With A=1: fits; peak 70.0 GiB (-9.00 GiB)"));
  CHECK(contains(text, "left 10.0 GiB (+9.00 GiB)"));
  CHECK(exit_code(report) == 3); // of the unchanged program
  const auto json = nlohmann::json::parse(fit_json(report));
  CHECK(json["rows"][1]["change"]["peak_bytes"] == -9 * static_cast<std::int64_t>(kGibibyte));
  CHECK(json["rows"][1]["outcome"] == "fits");
  CHECK_FALSE(json["rows"][0].contains("change"));

  SUBCASE("in a search") {
    report = {.axes = {kSettings, kBatch},
              .runs = {run_at({"as it is", "1"}, that_fits()), run_at({"as it is", "8"}, too_large()),
                       run_at({"as it is", "4"}, too_large()), run_at({"as it is", "2"}, that_fits()),
                       run_at({"as it is", "3"}, too_large()), run_at({"A=1", "1"}, that_fits()),
                       run_at({"A=1", "8"}, that_fits(60 * kGibibyte))}};
    const std::string searched = fit_text(report, 100);
    CHECK(searched.starts_with("BATCH=2 is the largest that fits; BATCH=3 does not.\n"));
    CHECK(contains(searched, "\nWhat changes\n  - With A=1: the largest BATCH is 8 (+6).\n"));
    CHECK(contains(searched, "  as it is      2 "));
    report.runs[6] = run_at({"A=1", "2"}, that_fits(60 * kGibibyte));
    CHECK(contains(fit_text(report, 100), "  - With A=1: the largest BATCH is still 2.\n"));
    report.runs[5].verdict = too_large();
    report.runs.pop_back();
    CHECK(contains(fit_text(report, 100), "  - With A=1: none of BATCH=1..8 fits.\n"));
    report.runs[5].verdict = that_fails();
    CHECK(contains(fit_text(report, 100), "  - With A=1: no answer.\n"));
  }
  SUBCASE("on each GPU, compared with the unchanged program there") {
    report = {
        .axes = {kGpus, kSettings},
        .runs = {run_at({"h100-80", "as it is"}, that_fits()), run_at({"h100-80", "A=1"}, that_fits(41 * kGibibyte)),
                 run_at({"l4", "as it is"}, on("l4", too_large())), run_at({"l4", "A=1"}, on("l4", that_fits()))}};
    const std::string several = fit_text(report, 100);
    CHECK(several.starts_with("Fits on 1 of 2 GPUs: NVIDIA H100 80GB HBM3 (h100-80): 40.0 GiB of 80.0 GiB"));
    CHECK(contains(several, "  - On h100-80 with A=1: still fits; peak 41.0 GiB (+1.00 GiB)"));
    CHECK(contains(several, "  - On l4 with A=1: fits; peak 40.0 GiB"));
  }
}
