#include "memviz/ranks.hpp"

#include "memviz/error.hpp"
#include "memviz/ranks_report.hpp"
#include "story/ranks_words.hpp"
#include "support/contains.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

RankPart part_with(std::uint64_t rank, std::vector<LineMemory> held) {
  RankPart part{.file = fmt::format("job/rank{:03}.pickle", rank)};
  part.moment = MomentKind::peak;
  part.event = part.peak_event = EventIndex(9);
  for (const LineMemory& line : held)
    part.held_bytes += line.bytes;
  part.peak_bytes = part.held_bytes;
  part.held = std::move(held);
  return part;
}

/// Weights, optimizer state and activations of a stage of a pipeline, activations as large as the factor says.
std::vector<LineMemory> stage(std::uint64_t number, double factor = 1) {
  const std::string block = "forward block.py:31";
  const std::uint64_t ends = number == 0 || number == 3 ? 32 : 0;
  std::vector<LineMemory> held{
      {"load model.py:12", MemoryKind::parameter, 96 * kMiB},
      {"step train.py:64", MemoryKind::optimizer_state, 192 * kMiB},
      {block, MemoryKind::activation,
       static_cast<std::uint64_t>(static_cast<double>(400 - 100 * number) * factor) * kMiB},
      {"norm block.py:12", MemoryKind::activation, static_cast<std::uint64_t>(40 * factor) * kMiB},
      {"bucket ddp.py:9", MemoryKind::communication, 24 * kMiB}};
  if (ends > 0)
    held.push_back({number == 0 ? "embed model.py:3" : "head model.py:40", MemoryKind::parameter, ends * kMiB});
  return held;
}

/// As many ranks of each of so many stages, with activations that differ from rank to rank by up to `jitter`.
std::vector<RankPart> pipeline(std::uint64_t stages, std::uint64_t replicas, double jitter) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(1 - jitter, 1 + jitter);
  std::vector<RankPart> parts;
  for (std::uint64_t i = 0; i < stages * replicas; ++i)
    parts.push_back(part_with(i, stage(stages == 1 ? 1 : i / replicas, factor(random))));
  return parts;
}

std::vector<std::uint64_t> ranks_of(const JobReport& report, const std::vector<RankDifference>& differences) {
  std::vector<std::uint64_t> ranks;
  for (const RankDifference& difference : differences)
    ranks.push_back(report.ranks[difference.rank].rank.value());
  return ranks;
}

} // namespace

TEST_CASE("ranks that stand out among 256, whatever the jitter of activations") {
  for (const std::uint64_t stages : {1U, 4U}) {
    for (const double jitter : {0.0, 0.02, 0.1, 0.3}) {
      CAPTURE(stages);
      CAPTURE(jitter);
      std::vector<RankPart> parts = pipeline(stages, 256 / stages, jitter);
      parts[17].held.push_back({"keep_samples job.py:121", MemoryKind::unknown, 16 * kMiB});
      parts[40] = part_with(40, stage(stages == 1 ? 1 : 0, 1.9));
      const JobReport report = job_report(parts);
      if (jitter < 0.3) CHECK(report.groups.size() == stages);
      std::vector<std::uint64_t> found = ranks_of(report, report.outliers);
      std::ranges::sort(found);
      CHECK(found == std::vector<std::uint64_t>{17, 40});
    }
  }
}

TEST_CASE("the report of the same parts in another order is the same") {
  std::vector<RankPart> parts = pipeline(4, 8, 0.1);
  parts[5] = unread_part("job/rank005.pickle", "not a pickle");
  const std::string expected = ranks_json(job_report(parts));
  std::ranges::shuffle(parts, std::mt19937(3));
  CHECK(ranks_json(job_report(parts)) == expected);
}

TEST_CASE("a rank that holds more than its group") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  parts[2].held.push_back({"keep_samples job.py:121", MemoryKind::unknown, 96 * kMiB});
  const JobReport report = job_report(parts);
  REQUIRE(report.outliers.size() == 1);
  CHECK(report.outliers[0].delta_bytes == 96 * 1048576);
  CHECK(ranks_headline(report) == "Rank 2 stands out: it holds 96.0 MiB more than the median of its group of 4: "
                                  "keep_samples job.py:121 +96.0 MiB (unknown memory).");
}

TEST_CASE("no file is left out whose name has two numbers for its rank") {
  std::vector<RankPart> parts = pipeline(1, 8, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].file = fmt::format("job/dp{}_tp{}.pickle", i / 4, i % 4);
  parts[5].held.push_back({"keep_samples job.py:121", MemoryKind::unknown, 96 * kMiB});
  const JobReport report = job_report(parts);
  CHECK(report.ranks.size() == 8);
  CHECK(ranks_headline(report).starts_with("Rank 5 (dp1_tp1.pickle) stands out: it holds 96.0 MiB more than "));
  CHECK(contains(ranks_text(report, 400), "ranks are numbered in the order of all their numbers"));
  CHECK(contains(ranks_json(report), "\"coordinates\""));
}

TEST_CASE("a rank that holds as much in other lines") {
  std::vector<RankPart> parts = pipeline(1, 8, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].held.push_back({i == 4 ? "b_line job.py:140" : "a_line job.py:121", MemoryKind::unknown, 40 * kMiB});
  const JobReport report = job_report(parts);
  CHECK(ranks_headline(report).starts_with("Rank 4 stands out: it holds as much as the median of 7 ranks, but in other "
                                           "lines: "));
}

TEST_CASE("the name of a file without a rank is not changed where a sentence begins with it") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].file = std::string("job/") + "abcd"[i] + "_mem.pickle";
  parts[2].held.push_back({"keep_samples job.py:121", MemoryKind::unknown, 96 * kMiB});
  CHECK(ranks_headline(job_report(parts)).starts_with("c_mem.pickle stands out: "));
}

TEST_CASE("what is the same, or differs by timing alone, does not stand out") {
  SUBCASE("one rank alone") {
    CHECK(ranks_headline(job_report(pipeline(1, 1, 0))) ==
          "Only rank 0 was read: there is no other rank to compare it with.");
  }
  SUBCASE("all the same") {
    CHECK(ranks_headline(job_report(pipeline(1, 4, 0))) == "No rank stands out: 4 ranks hold the same, 652 MiB each.");
  }
  SUBCASE("two that differ, of which neither is wrong, are not called the same") {
    std::vector<RankPart> parts = pipeline(1, 2, 0);
    parts[1].held.push_back({"keep_samples job.py:121", MemoryKind::activation, 96 * kMiB});
    const JobReport report = job_report(parts);
    CHECK(ranks_headline(report) == "No rank of two stands out; rank 1 holds 96.0 MiB more than rank 0: "
                                    "keep_samples job.py:121 +96.0 MiB (activations).");
    CHECK_FALSE(contains(ranks_text(report, 100), "the same"));
  }
  SUBCASE("communication buffers, of which one rank has fewer at random") {
    std::vector<RankPart> parts = pipeline(1, 4, 0);
    parts[3].held[4].bytes = 120 * kMiB;
    const JobReport report = job_report(parts);
    CHECK(report.outliers.empty());
    CHECK(ranks_of(report, report.by_timing) == std::vector<std::uint64_t>{3});
    CHECK(contains(ranks_text(report, 100), "96.0 MiB more of communication buffers"));
  }
  SUBCASE("two kinds of one line: the kind is decided anew for each rank") {
    std::vector<RankPart> parts = pipeline(1, 4, 0);
    parts[1].held[2].kind = MemoryKind::temporary;
    CHECK(job_report(parts).outliers.empty());
  }
  SUBCASE("less than 1 MiB and half a percent") {
    std::vector<RankPart> parts = pipeline(1, 4, 0);
    parts[1].held.push_back({"log train.py:7", MemoryKind::unknown, 2 * kMiB});
    CHECK(job_report(parts).outliers.empty());
  }
  SUBCASE("stages of a pipeline, one rank each") {
    const JobReport report = job_report(pipeline(4, 1, 0));
    CHECK(report.outliers.empty());
    CHECK(report.groups.size() == 3);
  }
}

TEST_CASE("the only rank that is like no other stands out") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  for (const char* line : {"a eval.py:1", "b eval.py:2", "c eval.py:3"})
    parts[0].held.push_back({line, MemoryKind::unknown, 10 * kMiB});
  const JobReport report = job_report(parts);
  CHECK(ranks_of(report, report.outliers) == std::vector<std::uint64_t>{0});
  CHECK(contains(ranks_headline(report), "Rank 0 stands out: it holds 30.0 MiB more than the median of 3 ranks"));
}

TEST_CASE("lines are compared by the most that each held, whatever phase the peak of its rank was in") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  for (RankPart& part : parts)
    part.held[2].peak_bytes = 320 * kMiB;
  parts[1].held[2].bytes = 20 * kMiB; // its peak is in the backward pass
  parts[1].held.push_back({"backward", MemoryKind::gradient, 96 * kMiB, 96 * kMiB});
  for (const std::size_t i : {0U, 2U, 3U})
    parts[i].not_held = {{"backward", MemoryKind::unknown, 96 * kMiB}};
  CHECK(job_report(parts).outliers.empty());
  parts[2].held[2].peak_bytes = 344 * kMiB;
  const JobReport report = job_report(parts);
  CHECK(ranks_of(report, report.outliers) == std::vector<std::uint64_t>{2});
  CHECK(report.outliers.front().delta_bytes == 24 * 1048576);
}

TEST_CASE("a rank whose activations are all larger by one factor has longer batches") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  parts[3] = part_with(3, stage(1, 1.5));
  const JobReport report = job_report(parts);
  REQUIRE(report.outliers.size() == 1);
  CHECK(report.outliers.front().activation_factor == doctest::Approx(1.5));
  CHECK(ranks_headline(report) ==
        "Rank 3 stands out: it holds 170 MiB more than the median of its group of 4: activations are 1.50 times the "
        "median, as with longer batches or sequences: forward block.py:31 +150 MiB (activations), norm block.py:12 "
        "+20.0 MiB (activations).");
  parts[3].held[2].bytes -= 100 * kMiB; // not one factor
  const JobReport uneven = job_report(parts);
  REQUIRE(uneven.outliers.size() == 1);
  CHECK_FALSE(uneven.outliers.front().activation_factor.has_value());
}

TEST_CASE("ranks that hold memory on the GPU of another") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  for (std::uint32_t i = 0; i < 4; ++i)
    parts[i].device = DeviceId{i};
  for (const std::size_t i : {1U, 3U}) {
    parts[i].other_devices = 1;
    parts[i].elsewhere = {{DeviceId{0}, 300 * kMiB, "load train.py:7"}};
  }
  const std::string advice = " With one GPU for each process, load with map_location and call torch.cuda.set_device() "
                             "before anything else.";
  CHECK(ranks_headline(job_report(parts)) == "2 ranks (1, 3) together hold 600 MiB on GPU 0, the GPU of rank 0, in "
                                             "addition to their own: load train.py:7." +
                                                 advice);
  SUBCASE("little of it is not worth a word") {
    for (const std::size_t i : {1U, 3U})
      parts[i].elsewhere[0].peak_bytes = kMiB;
    CHECK(job_report(parts).on_other_gpus.empty());
  }
  SUBCASE("processes that each use several GPUs share none without need") {
    parts[0].other_devices = 1;
    parts[0].elsewhere = {{DeviceId{1}, 300 * kMiB, "load train.py:7"}};
    CHECK(job_report(parts).on_other_gpus.empty());
  }
}

TEST_CASE("a rank that ran out of memory comes first") {
  std::vector<RankPart> parts = pipeline(1, 4, 0);
  parts[1].moment = MomentKind::oom;
  parts[1].asked_bytes = 2048 * kMiB;
  parts[1].asked_by = "step train.py:7";
  parts[1].held.push_back({"append job.py:9", MemoryKind::unknown, 500 * kMiB});
  const JobReport report = job_report(parts);
  CHECK(ranks_of(report, report.failed) == std::vector<std::uint64_t>{1});
  CHECK(contains(ranks_headline(report), "Rank 1 ran out of memory: 2.00 GiB asked for by step train.py:7"));
  CHECK(contains(ranks_headline(report), "append job.py:9 +500 MiB"));
}

TEST_CASE("several files of a rank, and missing ranks") {
  std::vector<RankPart> parts = pipeline(1, 6, 0);
  parts.erase(parts.begin() + 3);
  RankPart late = part_with(2, stage(1));
  late.file = "job/rank2_oom.pickle";
  late.moment = MomentKind::oom;
  parts.push_back(late);
  RankPart early = part_with(4, stage(1));
  early.file = "job/rank4_step1.pickle";
  early.last_time_us = 5;
  parts[3].last_time_us = 7; // of rank 4
  parts.push_back(early);
  const JobReport report = job_report(parts);
  REQUIRE(report.ranks.size() == 5);
  CHECK(report.parts[report.ranks[2].part].file == "job/rank2_oom.pickle");
  CHECK(report.ranks[2].other_parts.size() == 1);
  CHECK(report.parts[report.ranks[3].part].file == "job/rank004.pickle");
  CHECK(report.missing == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 3}});
  CHECK(contains(ranks_headline(report), "Rank 3 missing."));
  CHECK(job_report(parts, {.step = 1}).ranks.size() == 1);
}

TEST_CASE("the rank that a file records goes before that of its name") {
  std::vector<RankPart> parts = pipeline(1, 3, 0);
  parts[0].rank = 7;
  parts[0].ranks = 10;
  const JobReport report = job_report(parts);
  CHECK(report.ranks.back().rank == 7);
  CHECK(report.ranks.back().source == RankSource::file);
  CHECK(report.missing == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}, {3, 6}, {8, 9}});
}

TEST_CASE("parts are read as they were written") {
  RankPart part = part_with(3, stage(0));
  part.rank = 3;
  part.device = DeviceId{2};
  part.capacity_bytes = 80 * 1024 * kMiB;
  part.last_time_us = -5;
  part.is_balanced = false;
  part.may_have_lost_events = true;
  part.moment = MomentKind::oom;
  part.asked_by = "step train.py:7";
  part.asked_bytes = 11;
  part.held.push_back({"", MemoryKind::temporary, 77});
  part.held[0].peak_bytes = 123;
  part.not_held = {{"gather fsdp.py:9", MemoryKind::communication, 5}, {"backward", MemoryKind::unknown, 6}};
  part.elsewhere = {{DeviceId{0}, 7, "load train.py:3"}};
  const RankPart unread = unread_part("odd \"name\".pickle", "byte 7: \x01 unexpected");
  const std::string text = rank_part_json(part) + rank_part_json(unread);
  CHECK(text.starts_with(kRankPartHead));
  const std::vector<RankPart> parts = read_rank_parts(text);
  REQUIRE(parts.size() == 2);
  CHECK(rank_part_json(parts[0]) == rank_part_json(part));
  CHECK(rank_part_json(parts[1]) == rank_part_json(unread));
  CHECK(parts[0].held == part.held);
  CHECK(parts[0].not_held == part.not_held);
  CHECK(parts[0].elsewhere == part.elsewhere);
}

TEST_CASE("damaged parts and those of another version are refused") {
  const std::string text = rank_part_json(part_with(0, stage(0)));
  const auto error_of = [](const std::string& bytes) {
    try {
      static_cast<void>(read_rank_parts(bytes));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  std::string newer = text;
  newer.replace(newer.find("/1.2"), 4, "/2.3");
  CHECK(error_of(text + newer) == "line 2: a part of version 2.3; this memviz reads version 1");
  CHECK(contains(error_of("{}\n"), "line 1: expected a part"));
  for (std::size_t size = 1; size + 1 < text.size(); ++size)
    CHECK(error_of(text.substr(0, size)).starts_with("line 1: "));
  std::string huge = text;
  huge.replace(huge.find("\"held_bytes\":") + 13, 1, "99999999999999999");
  CHECK(contains(error_of(huge), "held_bytes"));
}

namespace {

/// The stage of a rank in another version of the program: `by` lines further down in train.py, which has this name.
std::vector<LineMemory> moved_stage(int by, const std::string& script) {
  return {{"load model.py:12", MemoryKind::parameter, 96 * kMiB},
          {fmt::format("step {}:{}", script, 64 + by), MemoryKind::optimizer_state, 192 * kMiB},
          {fmt::format("keep {}:{}", script, 70 + by), MemoryKind::activation, 40 * kMiB}};
}

} // namespace

TEST_CASE("lines that an edit moved are compared by function") {
  std::vector<LineMemory> more = moved_stage(3, "train.py");
  more.back().bytes += 64 * kMiB;
  std::vector<LineMemory> less = moved_stage(0, "train.py");
  for (std::vector<LineMemory>* const held : {&less, &more})
    held->push_back({"main train.py:8", MemoryKind::input, 8 * kMiB}); // above the edit
  const JobReport report = job_report({part_with(0, less), part_with(1, more)});
  REQUIRE(report.second.has_value());
  REQUIRE(report.second->lines.size() == 1);
  CHECK(report.second->lines[0].line == "keep train.py");
  CHECK(report.second->lines[0].delta_bytes == 64 * 1048576);
  CHECK(std::ranges::any_of(ranks_notes(report), [](const std::string& note) {
    return note.starts_with("Lines of train.py are compared by function");
  }));
}

TEST_CASE("two modules with functions of one name are no renamed file") {
  const auto stage = [](const std::string& file) {
    return std::vector<LineMemory>{{fmt::format("forward {}:10", file), MemoryKind::activation, 4096 * kMiB}};
  };
  const JobReport report = job_report({part_with(0, stage("encoder.py")), part_with(1, stage("decoder.py"))});
  REQUIRE(report.second.has_value());
  CHECK(report.second->lines.size() == 2);
}

TEST_CASE("memory of another kind at another line is no line that moved") {
  const auto stage = [](const std::string& line, MemoryKind kind) {
    return std::vector<LineMemory>{{line, kind, 1000 * kMiB}};
  };
  std::vector<RankPart> parts;
  for (std::uint64_t rank = 0; rank < 3; ++rank)
    parts.push_back(part_with(rank, stage("step t.py:20", MemoryKind::activation)));
  parts.push_back(part_with(3, stage("step t.py:30", MemoryKind::gradient)));
  const JobReport report = job_report(parts);
  CHECK(report.moved_files.empty());
  REQUIRE(report.outliers.size() == 1);
  CHECK(report.outliers[0].lines.size() == 2);
}

TEST_CASE("stages that hold other lines of one file are no versions of it") {
  std::vector<LineMemory> first = moved_stage(0, "train.py");
  std::vector<LineMemory> second = moved_stage(3, "train.py");
  for (std::vector<LineMemory>* const held : {&first, &second})
    held->push_back({"loss train.py:90", MemoryKind::activation, 8 * kMiB}); // in both, below the others
  const JobReport report = job_report({part_with(0, first), part_with(1, second)});
  REQUIRE(report.second.has_value());
  CHECK(report.second->lines.size() == 4);
  CHECK(report.moved_files.empty());
}
