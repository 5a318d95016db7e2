#include "memviz/baseline_json.hpp"

#include "memviz/environment.hpp"
#include "memviz/error.hpp"
#include "memviz/input.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kBase = 1 << 20;

/// Lines 1 to `lines` of a file, each holding as many bytes as its number, times `factor`.
Recording with_lines(std::uint64_t lines, std::uint64_t factor) {
  SmallSnapshot builder;
  builder.segment(kBase, lines * lines * factor);
  std::uint64_t address = kBase;
  for (std::uint64_t line = 1; line <= lines; ++line) {
    const std::string frame = fmt::format("/app/job.py:{}:keep_in_a_function_of_a_name_of_its_own_{}", line, line);
    const StackId stack = builder.stack({frame});
    builder.active(line * factor, line * factor, stack).event(Action::alloc, address, line * factor, stack);
    address += line * factor;
  }
  return builder.take();
}

Baseline baseline_of(const Recording& recording) {
  Baseline baseline;
  add_recording(baseline, "a.pickle", state_at(recording, {.kind = MomentKind::peak}), end_of(recording));
  return baseline;
}

Comparison compared(const Baseline& before, const Baseline& after) {
  Comparison comparison = compare_snapshots(state_of(before, MomentKind::peak, &ByteRange::high),
                                            state_of(after, MomentKind::peak, &ByteRange::low), {});
  fold_left_out(comparison, before, after);
  return comparison;
}

Comparison compared(const Baseline& baseline, const Recording& recording) {
  return compared(baseline, baseline_of(recording));
}

std::uint64_t sum_of_lines(const nlohmann::json& moment) {
  std::uint64_t bytes = moment["rest"]["high"];
  for (const auto& line : moment["lines"])
    bytes += line["high"].get<std::uint64_t>();
  return bytes;
}

} // namespace

TEST_CASE("a baseline has the settings and the made-up GPU of its recording") {
  Recording recording = with_lines(2, 512);
  recording.origin.rehearsal.emplace().gpu = "NVIDIA L4";
  recording.settings.emplace_back(recording.frames.intern("expandable_segments"), recording.frames.intern("True"));
  const MemoryState state =
      state_of(read_baseline_json(baseline_json(baseline_of(recording))), MomentKind::peak, &ByteRange::high);
  CHECK(environment_changes(recording, *state.recording).empty());
  const auto changes = environment_changes(with_lines(2, 512), *state.recording);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0] == EnvironmentChange{"made-up GPU", std::nullopt, "NVIDIA L4"});
  CHECK(changes[1] == EnvironmentChange{"allocator settings", std::nullopt, "recorded"});
}

TEST_CASE("a baseline that is read back has no difference from its recording") {
  const Recording recording = with_lines(20, 1000);
  const std::string json = baseline_json(baseline_of(recording));
  CHECK(is_baseline_json(json));
  const Baseline read = read_baseline_json(json);
  CHECK(baseline_json(read) == json);
  CHECK(name_of(read) == "a.pickle");
  const Comparison comparison = compared(read, recording);
  CHECK(comparison.changes.empty());
  REQUIRE(comparison.readings.size() == 1);
  for (const Gauge gauge : kGauges) {
    CHECK(comparison.readings[0].of(gauge).is_known());
    CHECK(comparison.readings[0].of(gauge).change_bytes() == 0);
  }
}

TEST_CASE("the lines of a baseline and its rest are all that is requested") {
  const Recording recording = with_lines(3000, 64);
  const std::string json = baseline_json(baseline_of(recording));
  CHECK(json.size() <= 100'000);
  CHECK(json.size() > 85'000); // no more is left out than must be
  const nlohmann::json document = nlohmann::json::parse(json);
  const nlohmann::json& device = document["devices"][0];
  for (const char* const moment : {"peak", "end"}) {
    CHECK(device[moment]["rest"]["high"] > 0);
    CHECK(sum_of_lines(device[moment]) == device[moment]["requested_bytes"]);
  }
  CHECK(document["most_of_left_out_bytes"] > 0);

  SUBCASE("and lines that it leaves out are no growth") {
    const Baseline baseline = read_baseline_json(json);
    CHECK(lines_over(compared(baseline, recording), {false, 0, 0, "0"}).empty());
  }
  SUBCASE("but one of them that grows beyond those that it has is one") {
    SmallSnapshot builder;
    const StackId stack = builder.stack({"/app/job.py:7:grown"});
    builder.segment(kBase, 1 << 20).active(1 << 20, 1 << 20, stack).event(Action::alloc, kBase, 1 << 20, stack);
    const Comparison comparison = compared(read_baseline_json(json), builder.take());
    const auto lines = lines_over(comparison, {false, 0, 256 << 10, "256KiB"});
    REQUIRE(lines.size() == 1);
    CHECK(comparison.changes[lines[0]].change.delta_bytes() == 1 << 20);
  }
}

TEST_CASE("a name of megabytes that all lines share is cut, and its lines remain in the baseline") {
  SmallSnapshot builder;
  builder.segment(kBase, 2000 * 512);
  const std::string path = "/" + std::string(1'000'000, 'x') + ".py";
  for (int line = 1; line <= 2000; ++line)
    builder.active(512, 512, builder.stack({fmt::format("{}:{}:step", path, line)}));
  const Recording recording = builder.take();
  const Baseline baseline = baseline_of(recording);
  for (const BaselineMoment& moment : baseline.devices.begin()->second.moments)
    for (const auto& [line, share] : moment.lines)
      REQUIRE(line.file.size() == 512);
  const std::string json = baseline_json(baseline);
  CHECK(json.size() <= 100'000);
  CHECK_FALSE(nlohmann::json::parse(json)["devices"][0]["end"]["lines"].empty());
}

TEST_CASE("a real attack on a baseline: 2,000 frames share a file name of 60 kB") {
  const auto folder = shared_folder();
  if (!folder) return;
  const Input file = unpacked(input_of(read_bytes(*folder / "probes/findings4/attack/baseline_square.pickle.gz")));
  const std::string json = baseline_json(baseline_of(read_snapshot(file.bytes())));
  CHECK(json.size() <= 100'000);
  CHECK_FALSE(nlohmann::json::parse(json)["devices"][0]["end"]["lines"].empty());
}

TEST_CASE("lines that only moved are no growth") {
  const auto with_line = [](std::string_view frame) {
    SmallSnapshot builder;
    const StackId stack = builder.stack({"/app/job.py:1:<module>", frame});
    builder.segment(kBase, 4096).active(4096, 4096, stack).event(Action::alloc, kBase, 4096, stack);
    return builder.take();
  };
  const Comparison comparison =
      compared(baseline_of(with_line("/app/net.py:7:forward")), with_line("/app/net.py:9:forward"));
  CHECK(comparison.match == FrameMatch::function);
  CHECK(comparison.changes.empty());
}

TEST_CASE("memory without a stack has its reason in a baseline, and is no growth") {
  SmallSnapshot builder;
  builder.segment(kBase, 4096).active(4096, 4096).event(Action::alloc, kBase + 4096, 512);
  const Recording recording = builder.take();
  const Baseline baseline = baseline_of(recording);
  CHECK(baseline_json(baseline).find("\"no_stack\":\"<no stack") != std::string::npos);
  CHECK(compared(read_baseline_json(baseline_json(baseline)), recording).changes.empty());
}

TEST_CASE("several recordings span a range, from whose highest growth is counted") {
  const Recording small = with_lines(3, 1000);
  const Recording large = with_lines(4, 1000);
  Baseline baseline = baseline_of(small);
  add_recording(baseline, "b.pickle", state_at(large, {.kind = MomentKind::peak}), end_of(large));
  const Baseline read = read_baseline_json(baseline_json(baseline));
  CHECK(name_of(read) == "2 recordings, a.pickle to b.pickle");
  CHECK(compared(read, large).changes.empty());
  CHECK(compared(read, small).readings[0].of(Gauge::peak).change_bytes() == -4000);
  CHECK(compared(baseline_of(small), read).readings[0].of(Gauge::end).change_bytes() == 0);
}

TEST_CASE("a baseline whose parts are of other types is an error, not read outside of the document") {
  const nlohmann::json whole = nlohmann::json::parse(baseline_json(baseline_of(with_lines(2, 512))));
  const std::vector<nlohmann::json> values{
      1000, -1, 1e300, "device", nullptr, true, nlohmann::json::array({7}), nlohmann::json::object({{"device", 0}})};
  const nlohmann::json flat = whole.flatten();
  std::vector<std::string> places{"", "/devices/0", "/devices/0/peak", "/devices/0/peak/lines/0", "/environment"};
  for (const auto& [place, value] : flat.items())
    places.push_back(place);
  for (const std::string& place : places) {
    for (const nlohmann::json& value : values) {
      nlohmann::json changed = whole;
      changed[nlohmann::json::json_pointer(place)] = value;
      try {
        static_cast<void>(read_baseline_json(changed.dump()));
      } catch (const Error&) {}
    }
  }
  nlohmann::json of_numbers = whole;
  of_numbers["devices"] = {1000};
  CHECK_THROWS_WITH_AS(static_cast<void>(read_baseline_json(of_numbers.dump())),
                       "not a baseline that this memviz reads: expected a dict for devices[0], found an int", Error);
}

TEST_CASE("real attacks on a baseline: devices that are not dicts") {
  const auto folder = shared_folder();
  if (!folder) return;
  constexpr std::string_view kRefusal = "not a baseline that this memviz reads: expected a dict for devices[0], found ";
  for (const auto& attack :
       {std::pair{"int", "an int"}, {"release_crash", "an int"}, {"text", "a str"}, {"found", "a str"}}) {
    CAPTURE(attack.first);
    const std::string json =
        read_bytes(*folder / fmt::format("probes/findings4/attack/baseline_oob_{}.json", attack.first));
    CHECK_THROWS_WITH_AS(static_cast<void>(read_baseline_json(json)),
                         fmt::format("{}{}", kRefusal, attack.second).c_str(), Error);
  }
}

TEST_CASE("what is not a baseline is refused with what is wrong") {
  CHECK(!is_baseline_json("{\"segments\": []}"));
  CHECK_THROWS_WITH_AS(static_cast<void>(read_baseline_json(R"({"schema": "memviz.baseline/9.0"})")),
                       "a baseline of another version: memviz.baseline/9.0, expected memviz.baseline/1.0", Error);
  CHECK_THROWS_WITH_AS(static_cast<void>(read_baseline_json(R"({"schema": "memviz.baseline/1.0"})")),
                       "not a baseline that this memviz reads: expected a list for recordings, found nothing", Error);
  // Every beginning of a whole one is refused as well.
  const std::string json = baseline_json(baseline_of(with_lines(2, 512)));
  for (std::size_t size = 0; size + 2 < json.size(); ++size)
    CHECK_THROWS_AS(static_cast<void>(read_baseline_json(json.substr(0, size))), Error);
}
