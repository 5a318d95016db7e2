#include "memviz/error.hpp"
#include "memviz/recorder.hpp"
#include "memviz/replay.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::int64_t kStart = 0x1000000;

PythonValue tensor(std::int64_t address, std::int64_t bytes, const char* kind, const std::string& name) {
  return list({0, address, bytes, kind, name});
}

/// Three blocks in use, two of them allocated while recording, and free memory after them.
SnapshotBuilder small() {
  SnapshotBuilder snapshot;
  const Stack stack{"/home/me/train.py:12:step"};
  snapshot.segment(kStart, 20 * MiB)
      .active(4 * MiB, 4 * MiB, stack)
      .active(2 * MiB, 2 * MiB, stack)
      .active(1 * MiB, 1 * MiB, stack)
      .inactive(13 * MiB);
  snapshot.alloc(kStart + 4 * MiB, 2 * MiB, stack).alloc(kStart + 6 * MiB, 1 * MiB, stack);
  return snapshot;
}

SnapshotBuilder named() {
  return small().set(
      "memviz_recorder",
      dict({{"format", 1},
            {"tensors", list({tensor(kStart, 4 * MiB, "parameter", "layers.0.secret_weight"),
                              tensor(kStart + 6 * MiB, 1 * MiB, "gradient", "layers.0.secret_weight"),
                              tensor(kStart + 4 * MiB + 512, MiB, "optimizer_state", "layers.0.secret_weight.exp_avg"),
                              tensor(kStart + 7 * MiB, MiB, "parameter", "freed")})},
            {"devices", list({dict({{"device", 0},
                                    {"total_bytes", 64 * MiB},
                                    {"free_bytes", 10 * MiB},
                                    {"own_outside_bytes", 3 * MiB},
                                    {"other_processes", 2},
                                    {"other_processes_bytes", 5 * MiB}})})}}));
}

std::string file_of(const TemporaryFolder& folder, const SnapshotBuilder& snapshot) {
  write_bytes(folder / "named.pickle", snapshot.pickle());
  return folder / "named.pickle";
}

nlohmann::json json_of(std::vector<std::string> command) {
  command.insert(command.end(), {"--quiet", "--json", "-"});
  const test::Outcome outcome = run(command);
  REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
  return nlohmann::json::parse(outcome.out);
}

/// Returns what the reader keeps of a key with this content, with its warnings.
Recording read_with(const PythonValue& key) {
  return small().set("memviz_recorder", key).read();
}

} // namespace

TEST_CASE("what the recorder adds is read by both readers") {
  for (const bool stream : {true, false}) {
    ReadOptions options;
    options.stream = stream;
    const Recording recording = read_snapshot(named().pickle(), options);
    REQUIRE(recording.declared.size() == 4);
    CHECK(recording.declared[0].kind == MemoryKind::parameter);
    CHECK(recording.declared[1].address == kStart + 4 * MiB + 512);
    CHECK(recording.frames.text(recording.declared[2].name) == "layers.0.secret_weight");
    REQUIRE(recording.measured.size() == 1);
    CHECK(recording.measured[0].total_bytes == 64 * MiB);
    CHECK(recording.measured[0].other_processes == 2);
    CHECK(recording.warnings.empty());
    CHECK(recording.unread_keys.empty());
  }
}

TEST_CASE("free memory is no declared tensor, though a tensor was there") {
  const MemoryState state = replay(named().read());
  REQUIRE(state.blocks.size() == 4);
  REQUIRE(declared_of(state, DeviceId{0}, 0) != nullptr);
  CHECK(declared_of(state, DeviceId{0}, 0)->kind == MemoryKind::parameter);
  CHECK(declared_of(state, DeviceId{0}, 3) == nullptr);
}

TEST_CASE("what the recorder adds is read from the JSON form as well") {
  const Recording recording =
      read_snapshot(R"({"segments": [], "memviz_recorder": {"tensors": [[0, 512, 1024, "gradient", "w"], [0, 5]],
                        "devices": [{"device": 2, "total_bytes": 77}]}})");
  REQUIRE(recording.declared.size() == 1);
  CHECK(recording.declared[0].kind == MemoryKind::gradient);
  REQUIRE(recording.measured.size() == 1);
  CHECK(recording.measured[0].total_bytes == 77);
  CHECK(recording.warnings.size() == 1);
}

TEST_CASE("tensors that the program names are of declared kinds") {
  const TemporaryFolder folder;
  const std::string file = file_of(folder, named());
  const auto kinds_of = [&](std::vector<std::string> more) {
    std::vector<std::string> command{"explain", file};
    command.insert(command.end(), more.begin(), more.end());
    std::map<std::string, std::uint64_t> declared;
    const nlohmann::json answer = json_of(command);
    for (const auto& kind : answer["devices"][0]["kinds"])
      if (kind["declared_bytes"] > 0) declared[kind["kind"]] = kind["declared_bytes"];
    return declared;
  };
  using Kinds = std::map<std::string, std::uint64_t>;
  CHECK(kinds_of({}) == Kinds{{"gradient", MiB}, {"optimizer_state", 2 * MiB}, {"parameter", 4 * MiB}});
  SUBCASE("before the gradient was made, it is none") {
    CHECK(kinds_of({"--at", "event:0"}) == Kinds{{"optimizer_state", 2 * MiB}, {"parameter", 4 * MiB}});
  }
  SUBCASE("redacted, too, and their names are hidden") {
    CHECK(kinds_of({"--redact", "all"}).size() == 3);
    const test::Outcome report = run({"report", file, "--redact", "names", "-o", folder / "hidden.sqlite"});
    REQUIRE_MESSAGE(report.exit_code == 0, report.err);
    CHECK_FALSE(contains(read_bytes(folder / "hidden.sqlite"), "secret"));
  }
  SUBCASE("an own rule is asked first") {
    write_bytes(folder / "rules", "workspace train\\.py\n");
    CHECK(kinds_of({"--kinds", folder / "rules"}).empty());
  }
}

TEST_CASE("check says what the recorder added") {
  const TemporaryFolder folder;
  const std::string file = file_of(folder, named());
  CHECK(contains(run({"check", file}).out, "kinds and names of 4 tensors, memory beyond PyTorch of 1 device\n"));
  CHECK(json_of({"check", file})["recorder"] == nlohmann::json{{"tensors", 4}, {"devices", 1}});
  CHECK_FALSE(json_of({"check", file_of(folder, small())}).contains("recorder"));
}

TEST_CASE("a report names weights, and pairs gradients by name") {
  const TemporaryFolder folder;
  const test::Outcome outcome = run({"report", file_of(folder, named()), "-o", folder / "named.sqlite"});
  REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
  const std::string report = read_bytes(folder / "named.sqlite");
  CHECK(contains(report, "layers.0.secret_weight"));
  CHECK_FALSE(contains(report, "freed"));
}

TEST_CASE("explain knows the capacity that CUDA named, and who else was on the device") {
  const TemporaryFolder folder;
  SnapshotBuilder failed = named();
  const PythonValue oom = dict({{"action", "oom"}, {"size", 50 * MiB}, {"device_free", 10 * MiB}, {"stream", 0}});
  failed.event(oom);
  const std::string file = file_of(folder, failed);
  const auto device = json_of({"explain", file})["devices"][0];
  CHECK(device["totals"]["capacity_bytes"] == 64 * MiB);
  CHECK(device["totals"]["outside_bytes"] == 34 * MiB);
  CHECK(device["measured"]["own_outside_bytes"] == 3 * MiB);
  const std::string text = run({"explain", file}).out;
  CHECK(contains(text, "Of the device's 64.0 MiB, 34.0 MiB is neither PyTorch's nor free"));
  CHECK(contains(text, "2 other processes held 5.00 MiB of the device"));
  CHECK_FALSE(contains(text, "Memory outside PyTorch is unknown"));
  // A capacity that the user gives has precedence.
  CHECK(json_of({"explain", file, "--capacity", "80MiB"})["devices"][0]["totals"]["capacity_bytes"] == 80 * MiB);
  // Without one, nothing is said.
  CHECK_FALSE(json_of({"explain", file_of(folder, small())})["devices"][0].contains("measured"));
}

TEST_CASE("what memviz's recorder does not write is left out, and said") {
  const auto left_out = [](const PythonValue& key, const std::string& words) {
    const Recording recording = read_with(key);
    CHECK(recording.declared.empty());
    CHECK(recording.measured.empty());
    REQUIRE(recording.warnings.size() == 1);
    CHECK(recording.warnings[0] == words + " not what memviz's recorder writes, and omitted (from a newer version?)");
  };
  const std::string one = "1 entry of 'memviz_recorder' is";
  for (const PythonValue& key : {PythonValue("text"), PythonValue(1), list()})
    left_out(key, one);
  for (const PythonValue& tensors :
       {PythonValue("text"), dict({}), list({1}), list({list()}), list({list({0, 1, 2, "parameter"})}),
        list({list({-1, 1, 2, "parameter", "name"})}), list({list({0, -1, 2, "parameter", "name"})}),
        list({list({0, 1, 0, "parameter", "name"})}), list({list({0, 1, std::int64_t{1} << 61U, "parameter", "name"})}),
        list({list({0, 1, 2, "unknown", "name"})}), list({list({0, 1, 2, 3, "name"})}),
        list({list({0, 1, 2, "parameter", 5})}), list({list({0, 1, 2, "", ""})})})
    left_out(dict({{"tensors", tensors}}), one);
  for (const PythonValue& devices : {PythonValue(5), list({5}), list({dict({})}), list({dict({{"device", -1}})})})
    left_out(dict({{"devices", devices}}), one);
  left_out(dict({{"devices", list({1, 2})}, {"tensors", 5}}), "3 entries of 'memviz_recorder' are");

  SUBCASE("but what is not there is nothing") {
    CHECK(read_with(PythonValue()).warnings.empty());
    CHECK(read_with(dict({{"tensors", PythonValue()}, {"newer", 5}})).warnings.empty());
    const Recording recording = read_with(dict({{"devices", list({dict({{"device", 1}, {"total_bytes", -5}})})}}));
    CHECK(recording.warnings.empty());
    CHECK_FALSE(recording.measured.at(0).total_bytes);
  }
  SUBCASE("long names are cut") {
    const Recording recording =
        read_with(dict({{"tensors", list({tensor(kStart, MiB, "parameter", std::string(100000, 'x'))})}}));
    CHECK(recording.frames.text(recording.declared.at(0).name).size() == 512);
  }
}

TEST_CASE("no more devices are measured than a machine has") {
  PythonItems devices;
  for (int i = 0; i < 1500; ++i)
    devices.push_back(dict({{"device", i}}));
  const Recording recording = read_with(dict({{"devices", list(devices)}}));
  CHECK(recording.measured.size() == 1024);
  CHECK(recording.warnings.at(0).starts_with("476 entries"));
}

TEST_CASE("entries that the file does not have the bytes for are refused") {
  // One list of many references to one entry.
  const PythonValue entry = tensor(kStart, MiB, "parameter", "w");
  const PythonItems entries(5000, entry);
  CHECK_THROWS_AS(static_cast<void>(read_with(dict({{"tensors", list(entries)}}))), ParseError);
}

TEST_CASE("tensors that lie in no block of the end show nothing") {
  const TemporaryFolder folder;
  const SnapshotBuilder snapshot = small().set(
      "memviz_recorder", dict({{"tensors", list({tensor(kStart, 5 * MiB, "parameter", "too large"),
                                                 tensor(kStart - 1, 1, "parameter", "before"),
                                                 tensor(kStart + 7 * MiB, 1, "parameter", "free"),
                                                 list({1, kStart, 1, "parameter", "of another device"})})}}));
  const nlohmann::json answer = json_of({"explain", file_of(folder, snapshot)});
  for (const auto& kind : answer["devices"][0]["kinds"])
    CHECK(kind["declared_bytes"] == 0);
}

TEST_CASE("steps that the recorder marks are preferred to all others") {
  SnapshotBuilder snapshot = small();
  PythonItems marks;
  const auto mark = [&](const std::string& name, std::int64_t time_us) {
    marks.push_back(dict({{"name", name}, {"stage", "START"}, {"device", 0}, {"time_us", time_us}}));
  };
  for (std::int64_t step = 0; step < 10; ++step) {
    mark("memviz_step#" + std::to_string(step), 1000 * step);
    for (std::int64_t part = 0; part < 2; ++part)
      mark("Optimizer.step#AdamW.step", 1000 * step + 400 * part + 50);
    const std::int64_t address = kStart + 8 * MiB;
    for (const char* action : {"alloc", "free_requested", "free_completed"})
      snapshot.event(dict({{"action", action},
                           {"addr", address},
                           {"size", MiB},
                           {"stream", 0},
                           {"time_us", 1000 * step + 10},
                           {"frames", frames_of({"/home/me/train.py:12:step"})}}));
  }
  const TemporaryFolder folder;
  const std::string file = file_of(folder, snapshot.set("external_annotations", list(marks)));
  CHECK(contains(run({"leaks", file}).out, "memviz_step#"));
}
