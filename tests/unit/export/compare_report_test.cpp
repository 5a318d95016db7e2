#include "base/path_ends.hpp"
#include "memviz/compare_report.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/story.hpp"
#include "support/contains.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

Recording with_block(std::uint64_t size, const std::string& frame) {
  SnapshotBuilder builder;
  builder.segment(0x1000, 20 * MiB).active(size, size, {frame}).inactive(20 * MiB - size);
  builder.alloc(0x1000, size, {frame});
  return builder.read();
}

Comparison compared(const Recording& before, const Recording& after) {
  return compare_snapshots({end_of(before)}, {end_of(after)}, {});
}

/// Nothing before, and 4 MiB of the line after.
Comparison grown(const std::string& frame) {
  return compared(with_block(512, "/app/a.py:1:old"), with_block(4 * MiB, frame));
}

CompareReport report_on(const Comparison& comparison, std::optional<GrowthLimit> limit = std::nullopt) {
  CompareReport report{{"before.pickle", "at the end"}, {"after.pickle", "at the end"}, comparison};
  if (limit) report.verdict = verdict_on(comparison.readings, limits_on(kUsualGauges, *limit));
  return report;
}

const GrowthLimit kLimit{false, 0, MiB, "1MiB"};

} // namespace

TEST_CASE("a limit that was exceeded is named with what exceeded it, one that was not with what was looked at") {
  const Comparison comparison = grown("/app/a.py:2:step");
  CHECK(exceeded_text(report_on(comparison, kLimit)).value_or("") ==
        "the peak grew by 4.00 MiB (8,192 x 512 B), the end by 4.00 MiB (8,192 x 512 B), more than "
        "--fail-over "
        "1MiB allows; the most by step a.py:2 (+4.00 MiB at the end)");
  const GrowthLimit more{false, 0, 10 * MiB, "10MiB"};
  CHECK(!exceeded_text(report_on(comparison, more)));
  CHECK(contains(compare_text(report_on(comparison, more)), "peak, end within --fail-over 10MiB"));
}

TEST_CASE("change_table: the rows and what is left out add up to all changes, in the direction that is wanted") {
  const Comparison comparison = grown("/app/a.py:2:step");
  const ChangeTable first = change_table(comparison, 1);
  REQUIRE(first.rows.size() == 1);
  CHECK(first.rows[0].label == "step a.py:2");
  CHECK(first.left_out == 1);
  CHECK(first.rows[0].change.delta_bytes() + first.left_out_bytes == comparison.requested_delta_bytes());
  const ChangeTable shrunk = change_table(comparison, 1, false);
  REQUIRE(shrunk.rows.size() == 1);
  CHECK(shrunk.rows[0].label == "old a.py:1");
  CHECK(shrunk.left_out == 0);
}

TEST_CASE("the Markdown of a comparison is a verdict, the figures, and the lines") {
  const Comparison comparison = grown("/app/a.py:2:step");
  const std::string text = compare_markdown(report_on(comparison, kLimit));
  CHECK(text.starts_with(
      "**Memory: more than the limit allows**: `before.pickle` → `after.pickle`\n\nThe peak grew by "));
  CHECK(contains(text, "the most by `step a.py:2` (+4.00 MiB at the end).\n"));
  CHECK(contains(text, "| reserved at the end | 20.0 MiB | 20.0 MiB | no change |\n"));
  CHECK(contains(text, "| +4.00 MiB | 0 B | 4.00 MiB | `step a.py:2` |\n"));
  CHECK(contains(text, "**Shrank most at the end**"));
  CHECK(contains(compare_markdown(report_on(comparison)), "**Memory grew** by up to 4.00 MiB"));
  CHECK(contains(compare_markdown(report_on(compared(with_block(512, "a.py:1:f"), with_block(512, "a.py:1:f")))),
                 "**Memory did not grow**"));
}

TEST_CASE("what a snapshot says is no markup in Markdown") {
  CHECK(code_span("step a.py:1", 40) == "`step a.py:1`");
  SUBCASE("backticks cannot end the span") {
    CHECK(code_span("a`b", 40) == "``a`b``");
    CHECK(code_span("``", 40) == "``` `` ```");
  }
  SUBCASE("bars cannot end a table's cell, nor can a backslash bring one back") {
    CHECK(code_span("a|b", 40) == "`a\\|b`");
    CHECK(code_span("a\\\\|b", 40) == "`a\\|b`");
  }
  SUBCASE("a mention is broken for those who read the plain text") {
    CHECK(!contains(code_span("@octocat", 40), "@octocat"));
  }
  SUBCASE("it stays on one line, and within bounds") {
    CHECK(!contains(code_span("a\n\n# b\r\n::error::c", 40), "\n"));
    CHECK(code_span(std::string(5000, 'x'), 40).size() == 42);
    CHECK(code_span("", 40) == "` `");
  }
  SUBCASE("wherever it is") {
    const std::string hostile = "/app/x.py:2:<img src=x>`|\n\n[a](http://b) @octocat fixes #1";
    const Comparison comparison = grown(hostile);
    const std::string text = compare_markdown(report_on(comparison, kLimit));
    CHECK(!contains(text, "@octocat"));
    // Every use is inside of a span whose fence its one backtick cannot close.
    for (std::size_t at = text.find("<img"); at != std::string::npos; at = text.find("<img", at + 1))
      CHECK(text.substr(at - 2, 2) == "``");
    CHECK(contains(text, "<img"));
  }
}

TEST_CASE("the JSON of a comparison has every line that changed") {
  const Comparison comparison = grown("/app/a.py:2:step");
  const auto json = nlohmann::json::parse(compare_json(report_on(comparison, kLimit)));
  CHECK(json["schema_version"] == 1);
  const auto& device = json["devices"][0];
  CHECK(device["peak_requested_bytes"]["change"] == 4 * MiB - 512);
  CHECK(device["end_reserved_bytes"]["after"] == 20 * MiB);
  CHECK(json["changes"][0]["line"] == "step a.py:2");
  CHECK(json["changes"][0]["file"] == "/app/a.py");
  CHECK(json["changes"][1]["change_bytes"] == -512);
  CHECK(json["match"] == "line");
  CHECK(json["gate"]["passed"] == false);
  CHECK(json["gate"]["exceeded"][0]["gauge"] == "peak");
  CHECK(json["only_before"].empty());
}

TEST_CASE("paths of one name are distinguished by as few folders as do it") {
  using Pair = std::pair<std::string, std::string>;
  CHECK(told_apart("/home/me/a.pickle", "/tmp/b.pickle") == Pair{"a.pickle", "b.pickle"});
  CHECK(told_apart("/home/main/x/mem.pickle", "/home/pull/x/mem.pickle") ==
        Pair{"main/x/mem.pickle", "pull/x/mem.pickle"});
  CHECK(told_apart("mem.pickle", "old/mem.pickle") == Pair{"mem.pickle", "old/mem.pickle"});
  CHECK(told_apart("/mem.pickle", "mem.pickle") == Pair{"/mem.pickle", "mem.pickle"});
  CHECK(told_apart("C:\\main\\mem.pickle", "C:\\pull\\mem.pickle") == Pair{"main\\mem.pickle", "pull\\mem.pickle"});
  CHECK(told_apart("/a/mem.pickle", "/a/mem.pickle") == Pair{"mem.pickle", "mem.pickle"});
}

TEST_CASE("rows that would look alike have the folders that distinguish them") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 20 * MiB)
      .active(4 * MiB, 4 * MiB, {"/app/models/a/block.py:7:forward"})
      .active(3 * MiB, 3 * MiB, {"/app/models/b/block.py:7:forward"})
      .active(2 * MiB, 2 * MiB, {"/app/models/b/head.py:7:forward"})
      .inactive(11 * MiB);
  const Recording after = builder.read();
  const Recording before = SnapshotBuilder().read();
  const Comparison comparison = compared(before, after);
  for (const std::string& text : {compare_text(report_on(comparison)), compare_markdown(report_on(comparison))}) {
    CAPTURE(text);
    CHECK(contains(text, "forward a/block.py:7"));
    CHECK(contains(text, "forward b/block.py:7"));
    CHECK(contains(text, "forward head.py:7"));
  }
}

TEST_CASE("where the peaks are equal and only the ends differ, the end is pointed at") {
  const auto recorded = [](bool is_freed) {
    SnapshotBuilder builder;
    auto segment = builder.segment(0x1000, 20 * MiB);
    if (!is_freed) segment.active(4 * MiB, 4 * MiB, {"/app/a.py:2:step"});
    segment.inactive(is_freed ? 20 * MiB : 16 * MiB);
    builder.alloc(0x1000, 4 * MiB, {"/app/a.py:2:step"});
    if (is_freed) builder.free(0x1000, 4 * MiB);
    return builder.read();
  };
  MomentChoice peak;
  peak.kind = MomentKind::peak;
  Recording before = recorded(true);
  Recording after = recorded(false);
  const MemoryState replayed_before = state_at(before, peak);
  const MemoryState replayed_after = state_at(after, peak);
  const Comparison comparison = compare_snapshots(replayed_before, replayed_after, {});
  CHECK(end_text(comparison) == "the peaks are equal and only the ends differ: --at end compares those");
  CHECK(contains(compare_text(report_on(comparison)), "--at end compares those"));
  CHECK(end_text(grown("/app/a.py:2:step")).empty());
}

TEST_CASE("what kind of memory grew is before whose it is, in the text, the Markdown, the JSON and the answer") {
  const Recording old_recording = with_block(512, "/app/a.py:1:old");
  const Recording new_recording = with_block(4 * MiB, "/app/a.py:2:step");
  MemoryState before = end_of(old_recording);
  MemoryState after = end_of(new_recording);
  set_kinds(before, {{MemoryKind::parameter, KindEvidence::frames}});
  set_kinds(after, {{MemoryKind::gradient, KindEvidence::behaviour}});
  const Comparison comparison = compare_snapshots(before, after, {});
  const std::string text = compare_text(report_on(comparison));
  CAPTURE(text);
  CHECK(contains(text, "  requested, by kind       before     after     change"));
  CHECK(contains(text, "  gradients                   0 B  4.00 MiB  +4.00 MiB\n"));
  CHECK(contains(text, "  parameters                512 B       0 B     -512 B   -100 %\n"));
  CHECK(text.find("gradients") < text.find("largest changes"));
  const std::string markdown = compare_markdown(report_on(comparison));
  CHECK(contains(markdown, "**By kind of memory at the end**\n\n| change | before | after | kind |"));
  CHECK(contains(markdown, "| +4.00 MiB | 0 B | 4.00 MiB | gradients |\n"));
  const auto kinds = nlohmann::json::parse(compare_json(report_on(comparison)))["devices"][0]["kinds"];
  CHECK(kinds[0] ==
        nlohmann::json{{"kind", "gradient"}, {"before_bytes", 0}, {"after_bytes", 4 * MiB}, {"change_bytes", 4 * MiB}});
  CHECK(compare_story(comparison).answer.starts_with("By kind: gradients +4.00 MiB. Mostly step a.py:2"));
}
