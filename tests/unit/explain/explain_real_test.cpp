#include "memviz/explain.hpp"

#include "support/explained.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

// Real snapshots: figures that were checked by hand over the pickle, and a model that follows every recording.

using namespace memviz;
using test::explained;
using test::Explained;

TEST_CASE("the model reproduces real recordings, and real explanations add up") {
  const auto folder = test::shared_folder();
  if (!folder) return;
  std::size_t reproduced = 0;
  for (const auto& path : test::files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    const Explained found = explained(test::read_file(path));
    test::check_adds_up(found);
    for (const DeviceExplanation& device : found.devices) {
      const std::size_t events = found.state.recording->events_of(device.device_state.device).size();
      if (device.fidelity.allocs == 0 || path.stem() == "anonymised_fixture") continue; // edited: no free blocks
      const MemoryState start = before_first_event(found.state.recording);
      const LeadUp whole{.start = start,
                         .state = found.state,
                         .events = found.state.recording->traces[device.device_state.device],
                         .event_count = events,
                         .device = device.device_state.device};
      const Fidelity fidelity = check_model(whole, device.settings);
      CHECK(fidelity.largest_error_bytes == 0);
      CHECK(fidelity.same_places == fidelity.allocs);
      ++reproduced;
    }
  }
  CHECK(reproduced >= 20);
}

TEST_CASE("explain shows why oom_expandable_3gpu failed") {
  const auto folder = test::shared_folder();
  if (!folder) return;
  const Explained found = explained(test::read_file(*folder / "snapshots" / "oom_expandable_3gpu.pickle"));
  const DeviceExplanation& device = found.first();
  CHECK(device.device_state.device == DeviceId{1});
  CHECK(device.judgement.verdict == Verdict::exhaustion);
  REQUIRE(device.request.has_value());
  CHECK(device.request->event == EventIndex(421));
  CHECK(device.request->bytes == 5'308'694'528);
  CHECK(device.ledger.device_free_bytes == 95'682'560);
  CHECK(device.ledger.reserved_bytes == 84'202'749'952);
  CHECK(device.ledger.live_bytes == 84'063'351'764);
  CHECK(device.ledger.room.total_bytes() == 139'390'976);
  CHECK(device.request->bytes - device.judgement.reachable_bytes == 5'073'620'992);
  CHECK(found.answer(Circumstance::without_blocks).blocks.size() == 1);
  REQUIRE(device.less_used.size() == 2);
  CHECK(device.less_used[0].reserved_bytes == 8'541'700'096);
  CHECK(device.less_used[1].reserved_bytes == 21'883'781'120);
  CHECK(found.words().verdict.starts_with("Activations: 78.3 GiB (100 %) is what a forward pass has made so far "
                                          "and keeps for a backward pass."));
  CHECK(found.words().reasons.at(1) == "Imbalance: GPU 1 held 78.4 GiB; GPU 0 held 7.96 GiB and GPU 2 20.4 GiB, each "
                                       "at its peak.");
  CHECK(found.words().headline.find("GPU 1 ran out of memory: 4.94 GiB asked for by update_nodes models.py:181") == 0);
}
