#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"

#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

// Equal free blocks: the order that PyTorch takes them in is read off the recording.

using namespace memviz;
using test::explained;
using test::Explained;
using test::MiB;

namespace {

constexpr std::uint64_t kOlder = 3000 * MiB;
constexpr std::uint64_t kNewer = 2000 * MiB;

/// Two segments of 20 MiB, the newer one at the lower address, each with a hole of 2 MiB; a request of 1.5 MiB then
/// takes the hole of the segment at `taken`.
Recording two_equal_holes(std::uint64_t taken) {
  test::SmallSnapshot snapshot;
  for (const std::uint64_t address : {kOlder, kNewer}) {
    snapshot.event(Action::segment_alloc, address, 20 * MiB);
    snapshot.event(Action::alloc, address, 9 * MiB).event(Action::alloc, address + 9 * MiB, 9 * MiB);
  }
  snapshot.event(Action::alloc, taken + 18 * MiB, 3 * MiB / 2);
  for (const std::uint64_t address : {kNewer, kOlder}) {
    snapshot.segment(address, 20 * MiB).active(9 * MiB, 9 * MiB).active(9 * MiB, 9 * MiB);
    if (address == taken)
      snapshot.active(2 * MiB, 3 * MiB / 2);
    else
      snapshot.inactive(2 * MiB);
  }
  return snapshot.take();
}

} // namespace

TEST_CASE("explain reads the order of equal free blocks off the recording") {
  SUBCASE("by the age of their segment") {
    const Explained found = explained(two_equal_holes(kOlder));
    CHECK(found.first().fidelity.free_block_order == FreeBlockOrder::segment_age);
    CHECK(found.first().fidelity.same_places == found.first().fidelity.allocs);
    const auto json = nlohmann::json::parse(explain_json("x", found.state, found.devices));
    CHECK(json["devices"][0]["model"]["free_block_order"] == "segment_age");
    CHECK(test::one_contains(found.words().answers, "age of their segment, as PyTorch does from 2.13 on"));
  }
  SUBCASE("by address") {
    const Explained found = explained(two_equal_holes(kNewer));
    CHECK(found.first().fidelity.free_block_order == FreeBlockOrder::address);
    CHECK(found.first().fidelity.same_places == found.first().fidelity.allocs);
    CHECK(test::one_contains(found.words().answers, "by address, as PyTorch did before 2.13"));
  }
  SUBCASE("unknown where no request had the choice") {
    test::SmallSnapshot snapshot;
    snapshot.event(Action::segment_alloc, kOlder, 20 * MiB).event(Action::alloc, kOlder, 9 * MiB);
    snapshot.segment(kOlder, 20 * MiB).active(9 * MiB, 9 * MiB).inactive(11 * MiB);
    const Explained found = explained(snapshot.take());
    CHECK_FALSE(found.first().fidelity.free_block_order.has_value());
    const auto json = nlohmann::json::parse(explain_json("x", found.state, found.devices));
    CHECK(json["devices"][0]["model"]["free_block_order"].is_null());
  }
}

TEST_CASE("expandable segments are not answered for where the ring lost its beginning") {
  test::SmallSnapshot snapshot;
  snapshot.event(Action::free_completed, kOlder + 9 * MiB, 9 * MiB); // its alloc was overwritten
  snapshot.event(Action::alloc, kOlder + 9 * MiB, 19 * MiB / 2);
  snapshot.segment(kOlder, 20 * MiB).active(9 * MiB, 9 * MiB).active(19 * MiB / 2, 19 * MiB / 2).inactive(3 * MiB / 2);
  const Explained found = explained(snapshot.take());
  REQUIRE(found.first().fidelity.reproduces());
  const WhatIf& answer = found.answer(Circumstance::expandable_segments);
  CHECK(answer.outcome == Outcome::not_offered);
  CHECK(answer.proviso == Proviso::lost_events);
  CHECK(test::one_contains(found.words().answers, "the first events of the recording were lost"));
}

TEST_CASE("the model reproduces every recording of many ranks to the byte") {
  const auto folder = test::shared_folder();
  if (!folder) return;
  std::size_t devices = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder / "probes" / "many")) {
    if (entry.path().extension() != ".zst") continue;
    CAPTURE(entry.path().string());
    for (const DeviceExplanation& device : explained(test::read_file(entry.path())).devices) {
      if (device.fidelity.allocs == 0) continue;
      CHECK(device.fidelity.largest_error_bytes == 0);
      CHECK(device.fidelity.same_places == device.fidelity.allocs);
      ++devices;
    }
  }
  CHECK(devices >= 80);
}
