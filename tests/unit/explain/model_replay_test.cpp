#include "analysis/explain/model_replay.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("a replay ends at the first event for which there is no room") {
  SmallSnapshot made;
  made.event(Action::alloc, 0x10000000, 16 * MiB)
      .event(Action::alloc, 0x20000000, 32 * MiB)
      .event(Action::alloc, 0x30000000, 10 * MiB)
      .event(Action::alloc, 0x40000000, 64 * MiB);
  const Recording recording = made.take();
  const MemoryState state = end_of(recording);
  const MemoryMap start;
  const LeadUp lead_up{start, state, recording.events_of(DeviceId{0}), 4, DeviceId{0}};
  Request request;
  request.bytes = MiB;
  ReplayPlan plan;
  plan.limit_bytes = 40 * MiB;
  const ReplayOutcome outcome = replay_model(lead_up, plan, request);
  CHECK(outcome.failed_event.value() == 1);
  CHECK(outcome.reserved_bytes == 16 * MiB);
  CHECK(!outcome.request_fits);
  plan.limit_bytes = 122 * MiB;
  const ReplayOutcome enough = replay_model(lead_up, plan, request);
  CHECK(enough.failed_event.is_none());
  CHECK(enough.reserved_bytes == 122 * MiB);
  CHECK(enough.request_fits == false);
}
