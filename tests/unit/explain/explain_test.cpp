#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/format.hpp"

#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

// The programs of testdata/maker/cases.py: each has one cause, known by construction, with bytes that can be counted
// there.

using namespace memviz;
using memviz::test::GiB;
using memviz::test::MiB;
using memviz::test::one_contains;
using test::explained;
using test::Explained;

namespace {

Recording read_case(const std::string& name) {
  return test::read_file(test::testdata() / "cases" / (name + ".pickle"));
}

Explained explained_case(const std::string& name, std::optional<std::uint64_t> capacity_bytes = std::nullopt) {
  Explained result = explained(read_case(name), capacity_bytes);
  test::check_adds_up(result);
  CHECK(result.first().fidelity.reproduces());
  CHECK(result.first().fidelity.largest_error_bytes == 0);
  return result;
}

} // namespace

TEST_CASE("where a request's event has no pool, it is that of the allocation before it, if its segment still exists") {
  constexpr std::uint64_t kPlace = 64 * MiB;
  const auto pool_where = [&](bool is_there) {
    test::SmallSnapshot made;
    made.event(Action::segment_alloc, kPlace, 20 * MiB).event(Action::alloc, kPlace, 20 * MiB);
    if (is_there) made.segment(kPlace, 20 * MiB).pool({1, 0}).active(20 * MiB, 20 * MiB);
    if (!is_there) made.event(Action::free_requested, kPlace, 20 * MiB).event(Action::free_completed, kPlace, 20 * MiB);
    if (!is_there) made.event(Action::segment_free, kPlace, 20 * MiB);
    made.event(Action::oom, 0, 30 * MiB);
    return explained(made.take()).first().request.value().pool;
  };
  CHECK(pool_where(true) == PoolId{1, 0});
  CHECK(pool_where(false) == PoolId{});
}

TEST_CASE("case: a large segment split by survivors is fragmentation") {
  const Explained found = explained_case("split_large_segment");
  const MemoryLedger& ledger = found.first().ledger;
  CHECK(found.first().judgement.verdict == Verdict::fragmentation);
  CHECK(ledger.reserved_bytes == 11'643'387'904);
  CHECK(ledger.room.hard_bytes == ledger.reserved_bytes - ledger.live_bytes);
  CHECK(ledger.largest_hole_bytes == 396 * MiB);
  CHECK(found.answer(Circumstance::expandable_segments).outcome == Outcome::fits);
  const WhatIf& without = found.answer(Circumstance::without_blocks);
  CHECK(without.blocks.size() == 28);
  CHECK(without.blocks_bytes == ledger.live_bytes);
  REQUIRE(found.first().pins.lines.size() == 1);
  CHECK(found.label(found.first().pins.lines[0].key) == "remember metrics.py:22");
  CHECK(one_contains(found.words().advice, "expandable_segments:True"));
}

TEST_CASE("a limit to splitting is tried where memory is in pieces") {
  SUBCASE("the largest that helps is the answer, and no advice besides expandable segments") {
    Explained found = explained_case("split_large_segment");
    const WhatIf& answer = found.answer(Circumstance::max_split_size);
    CHECK(answer.outcome == Outcome::fits);
    CHECK(answer.value_bytes == 512 * MiB);
    CHECK(one_contains(found.words().answers, "With max_split_size_mb:512 the request would have fit, with 11.3 GiB"));
    CHECK_FALSE(one_contains(found.words().advice, "max_split_size_mb"));
    for (WhatIf& other : found.devices.front().what_ifs)
      if (other.circumstance == Circumstance::expandable_segments) other.outcome = Outcome::does_not_fit;
    CHECK(one_contains(
        found.words().advice,
        "Set PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512: this request fits; the rest of the pass is unknown"));
  }
  SUBCASE("none may help") {
    const Explained found = explained_case("split_free_blocks");
    CHECK(found.answer(Circumstance::max_split_size).outcome == Outcome::does_not_fit);
    CHECK(
        one_contains(found.words().answers, "With max_split_size_mb of 512, 128 or 32 the request would not have fit"));
  }
  SUBCASE("it is not asked where all free memory together is too little") {
    const Explained found = explained_case("huge_request", 80 * GiB);
    for (const WhatIf& answer : found.first().what_ifs)
      CHECK(answer.circumstance != Circumstance::max_split_size);
  }
}

TEST_CASE("case: memory of a side stream") {
  SUBCASE("where nothing fails") {
    const Explained found = explained_case("side_stream");
    CHECK(found.first().judgement.verdict == Verdict::stream);
    CHECK(found.first().ledger.room.stream_bytes == 20 * GiB);
    CHECK_FALSE(found.first().request.has_value());
    const WhatIf& together = found.answer(Circumstance::one_stream);
    CHECK(together.outcome == Outcome::fits);
    CHECK(together.reserved_bytes == found.first().ledger.reserved_bytes - 20 * GiB);
    CHECK(one_contains(found.words().advice, "one stream"));
  }
  SUBCASE("where a request of another stream fails") {
    const Explained found = explained_case("side_stream_full");
    CHECK(found.first().judgement.verdict == Verdict::stream);
    CHECK(found.first().ledger.room.stream_bytes == 12 * (1021 * MiB) + 0);
    CHECK(found.first().ledger.room.hard_bytes == 0);
    CHECK(found.answer(Circumstance::without_blocks).blocks.size() == 2);
  }
  SUBCASE("on the request's own stream the same memory is fragmented") {
    Recording snapshot = read_case("side_stream_full");
    for (Segment& segment : snapshot.end.segments)
      segment.stream = 0;
    const Explained found = explained(std::move(snapshot));
    CHECK(found.first().judgement.verdict == Verdict::fragmentation);
    CHECK(found.first().ledger.room.stream_bytes == 0);
  }
}

TEST_CASE("a limit to splitting with expandable segments is named with what PyTorch reserves without it") {
  const Recording recording = test::read_file(test::testdata() / "causes" / "split_limit.pickle.zst");
  const MemoryState state = test::state_at(recording, {.kind = MomentKind::end});
  const DeviceExplanation device = explain(state, {}).at(0);
  CHECK(device.ledger.reserved_bytes == 400 * MiB);
  const auto answer = std::ranges::find(device.what_ifs, Circumstance::no_split_limit, &WhatIf::circumstance);
  REQUIRE(answer != device.what_ifs.end());
  CHECK(answer->outcome == Outcome::fits);
  CHECK(answer->reserved_bytes == 280 * MiB);
  const std::vector<std::string> advice = in_words(state, device).advice;
  REQUIRE_FALSE(advice.empty());
  CHECK(advice[0] == "Remove max_split_size_mb from PYTORCH_CUDA_ALLOC_CONF, which with "
                     "expandable_segments lets reserved memory grow: saves 120 MiB.");
}

TEST_CASE("case: what a checkpoint reserved is named, and is only cache") {
  const auto devices = explain(replay(read_case("reserved_jump")), {});
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].judgement.verdict == Verdict::idle);
  CHECK(devices[0].ledger.room.soft_bytes == 3700 * MiB);
  const Explained at_peak = explained_case("reserved_jump");
  REQUIRE(!at_peak.first().growth.reserving.empty());
  CHECK(at_peak.label(at_peak.first().growth.reserving[0].key) == "gather checkpoint.py:61");
  CHECK(at_peak.first().growth.reserving[0].amount.bytes == 2800 * MiB);
}

TEST_CASE("case: memory outside PyTorch is a residual of the capacity, and not guessed without one") {
  const auto capacity = static_cast<std::uint64_t>(10.91 * static_cast<double>(GiB));
  const Explained told = explained_case("outside_memory", capacity);
  CHECK(told.first().judgement.verdict == Verdict::outside);
  CHECK(told.first().ledger.outside_bytes == capacity - 5700 * MiB - 304'506'470);
  const Explained untold = explained_case("outside_memory");
  CHECK(untold.first().judgement.verdict == Verdict::exhaustion);
  CHECK_FALSE(untold.first().ledger.outside_bytes.has_value());
  CHECK(one_contains(untold.words().reasons, "--capacity"));
  const Explained wrong = explained_case("outside_memory", GiB);
  CHECK(wrong.first().judgement.verdict == Verdict::unclear);
}

TEST_CASE("where memory is only in use, the verdict says of which kinds it is, else who holds most") {
  Explained found = explained_case("clean");
  DeviceExplanation& device = found.devices.front();
  const std::uint64_t requested_bytes = device.device_state.figures.requested_bytes;
  device.kinds = {};
  CHECK(found.words().verdict ==
        fmt::format("In use: {} holds {} of {} requested.", found.label(device.users.front().key),
                    format_percent(device.users.front().amount.bytes, requested_bytes), format_bytes(requested_bytes)));
  device.kinds[static_cast<std::size_t>(MemoryKind::kv_cache)].bytes = requested_bytes;
  CHECK(found.words().verdict ==
        fmt::format("In use: of {} requested, 100 % KV caches.", format_bytes(requested_bytes)));
  CHECK_FALSE(one_contains(found.words().reasons, "Kinds:"));
  device.users.front().key = Pseudo::history_off;
  device.kinds = {};
  CHECK(found.words().verdict.ends_with("has no stack: memory history was not recorded."));
}

TEST_CASE("explanations change with their cause") {
  SUBCASE("with the survivors gone the request fits") {
    Explained found = explained_case("split_large_segment");
    const std::vector<std::uint32_t> blocks = found.answer(Circumstance::without_blocks).blocks;
    const DeviceExplanation& device = found.first();
    for (const std::uint32_t block : blocks)
      found.state.blocks[block].state = BlockState::inactive;
    const MemoryLedger ledger = memory_ledger(found.state, {}, device.request);
    CHECK(ledger.room.soft_bytes == ledger.reserved_bytes);
    CHECK(judge(ledger, device.request, device.settings).verdict == Verdict::unclear); // a hole is large enough
  }
  SUBCASE("a smaller device turns fragmentation into exhaustion") {
    Recording snapshot = read_case("split_free_blocks");
    Explained found = explained(std::move(snapshot));
    Request request = *found.first().request;
    request.bytes = 2 * GiB;
    const MemoryLedger ledger = memory_ledger(found.state, {}, request);
    CHECK(judge(ledger, request, found.first().settings).verdict == Verdict::exhaustion);
  }
}

TEST_CASE("every answer names the fact that it depends on and that the file does not show") {
  Explained found = explained_case("clean");
  DeviceExplanation& device = found.devices.front();
  device.fidelity = {.allocs = 1, .same_places = 1, .largest_reserved_bytes = 1};
  device.what_ifs = {{.circumstance = Circumstance::expandable_segments,
                      .outcome = Outcome::at_best,
                      .proviso = Proviso::start,
                      .reserved_bytes = std::uint64_t{1} << 20U}};
  const std::string answer = found.words().answers.front();
  CHECK(answer.find("1.00 MiB would be reserved instead of") != std::string::npos);
  CHECK(answer.ends_with(
      "if the memory allocated before the first event was packed together, which this file does not show."));
}

TEST_CASE("with a setting that the model does not know it reproduces nothing, and the setting is named") {
  Recording recording = read_case("split_large_segment");
  recording.settings.emplace_back(recording.frames.intern("PYTORCH_CUDA_ALLOC_CONF"),
                                  recording.frames.intern("large_segment_size_mb:12"));
  const Explained found = explained(std::move(recording));
  CHECK_FALSE(found.first().fidelity.reproduces());
  for (const WhatIf& answer : found.first().what_ifs)
    CHECK((answer.outcome == Outcome::not_offered || answer.outcome == Outcome::no_matter));
  const std::string text = explain_text({"some.pickle", found.state, found.devices}, 400);
  CHECK(text.find("With expandable_segments:True: unknown, because the model of the allocator does not know what "
                  "large_segment_size_mb changes.") != std::string::npos);
  CHECK(text.find("PYTORCH_CUDA_ALLOC_CONF has large_segment_size_mb, which the model") != std::string::npos);
  const auto json = nlohmann::json::parse(explain_json("some.pickle", found.state, found.devices));
  CHECK(json["devices"][0]["model"]["reproduces"] == false);
  CHECK(json["devices"][0]["model"]["settings_not_modelled"] == std::vector<std::string>{"large_segment_size_mb"});
}

TEST_CASE("explain_json") {
  const Explained found = explained_case("side_stream_full", 24 * GiB);
  const auto json = nlohmann::json::parse(explain_json("some.pickle", found.state, found.devices));
  CHECK(json["file"] == "some.pickle");
  const auto& device = json["devices"].at(0);
  CHECK(device["verdict"] == "stream");
  CHECK(device["totals"]["stream_bytes"] == found.first().ledger.room.stream_bytes);
  CHECK(device["totals"]["outside_bytes"] == 0);
  CHECK(device["request"]["bytes"] == 5 * GiB);
  CHECK(device["model"]["reproduces"] == true);
  CHECK(device["what_if"].size() == found.first().what_ifs.size());
}

TEST_CASE("explain_text fits 100 columns, or a narrower terminal") {
  for (const auto& path : test::files_in(test::testdata() / "cases", ".pickle")) {
    CAPTURE(path.string());
    const Explained found = explained(test::read_file(path));
    const ExplainReport report{path.filename().string(), found.state, found.devices};
    for (const std::size_t columns : {std::size_t{100}, std::size_t{80}}) {
      std::size_t column = 0;
      for (const char letter : explain_text(report, columns)) {
        const bool continues = (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U; // a character of several bytes
        column = letter == '\n' ? 0 : column + (continues ? 0 : 1);
        CHECK(column <= columns);
      }
    }
  }
}

TEST_CASE("explain_text cuts no name, and one block keeps what it pins") {
  test::SmallSnapshot made;
  const StackId stack =
      made.stack({"/app/models.py:7:forward_with_cache_of_keys_and_values_of_a_very_long_name_indeed"});
  made.segment(0x7f0000000000, 800 * MiB).active(MiB, MiB, stack).inactive(799 * MiB);
  const Explained found = explained(made.take());
  const std::string text = explain_text({"long.pickle", found.state, found.devices});
  CHECK(text.find("forward_with_cache_of_keys_and_values_of_a_very_long_name_indeed models.py:7") != std::string::npos);
  CHECK(text.find("1 block of 1.00 MiB keeps 799 MiB free from being returned, in 1 segment.") != std::string::npos);
}

TEST_CASE("a request is named with the annotations that were open") {
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 20 * MiB).active(20 * MiB, 20 * MiB);
  made.event(Action::segment_alloc, 0x7f0000000000, 20 * MiB).event(Action::alloc, 0x7f0000000000, 20 * MiB);
  made.time(10).mark("step 5");
  made.time(11).mark("forward");
  made.time(12).event(Action::oom, 0, 40 * MiB);
  made.time(13).mark("later");
  const Explained found = explained(made.take());
  CHECK(one_contains(found.words().reasons, "It was asked for within step 5 > forward."));
  const auto json = nlohmann::json::parse(explain_json("", found.state, found.devices));
  CHECK(json["devices"][0]["request"]["annotations"] == nlohmann::json{"step 5", "forward"});
}

TEST_CASE("of what a damaged file frees beyond a run of free memory, only the run counts as freed too late") {
  constexpr std::uint64_t kRun = 0x7f0000000000;
  test::SmallSnapshot made;
  made.segment(kRun, 8 * GiB).inactive(4 * GiB).active(4 * GiB, 4 * GiB);
  made.event(Action::alloc, kRun, 4 * GiB).event(Action::free_requested, kRun, 4 * GiB);
  made.event(Action::free_completed, kRun + 3 * GiB, 4 * GiB).event(Action::oom, 100 * MiB, 2 * GiB);
  CHECK(explained(made.take()).first().ledger.late_free_bytes == GiB);
}
