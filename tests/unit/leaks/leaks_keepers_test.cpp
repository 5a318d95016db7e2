#include "memviz/leaks.hpp"
#include "memviz/leaks_report.hpp"
#include "support/contains.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kHeap = 0x1000000;
constexpr int kSteps = 24;

/// Each step makes a tensor that comes and goes, and one that stays: in `cache`, if the program has such a dict.
Recording serving(bool has_keepers) {
  const Stack put{"/home/me/serve.py:3:put", "/home/me/serve.py:9:main"};
  const Stack work{"/home/me/serve.py:5:work", "/home/me/serve.py:9:main"};
  SnapshotBuilder snapshot;
  KeeperBuilder keepers;
  const int main = keepers.object("frame", {.name = "main", .file = "/home/me/serve.py", .line = 9});
  const int cache = keepers.object("dict", {.items = kSteps});
  keepers.root("local", main).refer(main, "local", "cache", cache);
  SegmentBuilder segment = snapshot.segment(kHeap, 64 * MiB);
  for (int i = 0; i < kSteps; ++i) {
    const std::uint64_t address = kHeap + static_cast<std::uint64_t>(i) * MiB;
    segment.active(MiB, MiB, put);
    snapshot.alloc(kHeap + 40 * MiB, MiB, work).alloc(address, MiB, put).free(kHeap + 40 * MiB, MiB);
    keepers.refer(cache, "other_key", "7", keepers.tensor(address, MiB));
  }
  segment.inactive((64 - kSteps) * MiB);
  if (has_keepers) snapshot.set("memviz_keepers", keepers.python());
  return snapshot.read();
}

std::vector<DeviceLeaks> leaks_of(const Recording& recording) {
  LeakOptions options;
  options.steps = {StepSource::events, {}, 4};
  std::vector<DeviceLeaks> devices = find_leaks(end_of(recording), options);
  add_keepers(devices, recording);
  return devices;
}

} // namespace

TEST_CASE("a stack that grows has the variable that keeps what it made") {
  const Recording recording = serving(true);
  const std::vector<DeviceLeaks> devices = leaks_of(recording);
  REQUIRE(devices.at(0).grows.size() == 1);
  CHECK(contains(leaks_text("mem.pickle", end_of(recording), devices),
                 "kept by `cache` (dict of 24) in main serve.py:9"));
  const auto json = nlohmann::json::parse(leaks_json("mem.pickle", end_of(recording), devices));
  CHECK(json["devices"][0]["grows"][0]["keeper"] == nlohmann::json{{"text", "`cache` (dict of 24) in main serve.py:9"},
                                                                   {"bytes", 24 * MiB},
                                                                   {"stack_bytes", 24 * MiB}});
}

TEST_CASE("without keepers a stack that grows has none") {
  const Recording recording = serving(false);
  const std::vector<DeviceLeaks> devices = leaks_of(recording);
  REQUIRE(devices.at(0).grows.size() == 1);
  CHECK_FALSE(contains(leaks_text("mem.pickle", end_of(recording), devices), "kept by"));
  CHECK_FALSE(contains(leaks_json("mem.pickle", end_of(recording), devices), "keeper"));
}
