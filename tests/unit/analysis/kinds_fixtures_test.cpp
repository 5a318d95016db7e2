#include "memviz/session.hpp"
#include "support/conservation.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <map>

using namespace memviz;
using namespace memviz::test;

namespace {

/// The kinds of each device at its peak are its peak.
void check_peaks(const Opened& opened) {
  const KindsByDevice kinds = kinds_by_device(opened.also.value());
  for (const DeviceState& device_state : opened.state.devices) {
    const auto peak = kinds.find(device_state.device);
    REQUIRE(peak != kinds.end());
    CHECK(bytes_of_kinds(peak->second) == device_state.figures.peak_requested_bytes);
  }
}

struct LifeKind {
  StackId stack;
  KindOf kind;
};

/// Returns the live memory in `state` of a record, by address.
std::map<std::uint64_t, LifeKind> kinds_in(const DeviceRecord& record, std::uint32_t state) {
  std::map<std::uint64_t, LifeKind> kinds;
  const auto add = [&](const std::vector<Life>& lives, const std::vector<KindOf>& of_lives) {
    for (std::size_t i = 0; i < lives.size(); ++i)
      if (lives[i].lives_in(state)) kinds[lives[i].address] = {lives[i].stack, of_lives.at(i)};
  };
  add(record.kept_baseline, record.kinds->kept_baseline);
  add(record.freed_baseline, record.kinds->freed_baseline);
  add(record.lives, record.kinds->lives);
  return kinds;
}

/// A timeline says of each block what the state says of it, unless the file's blocks lack the stacks that its events
/// have. Returns how many were compared.
std::size_t check_timeline_agrees(const Opened& opened) {
  std::size_t compared = 0;
  for (const DeviceRecord& record : opened.timeline) {
    const DeviceState* const device_state = opened.state.device_at(record.device);
    REQUIRE(device_state != nullptr);
    const std::uint64_t events = device_state->moment.event.count();
    if (events > record.events) continue;
    const auto kinds = kinds_in(record, static_cast<std::uint32_t>(events));
    for (const Segment& segment : opened.state.segments_of(record.device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
        const auto found = kinds.find(opened.state.blocks[i].address);
        const Block& block = opened.state.blocks[i];
        if (!block.is_active() || found == kinds.end() || found->second.stack != block.stack) continue;
        CHECK(found->second.kind.kind == opened.state.facts[i].kind.kind);
        CHECK(found->second.kind.evidence == opened.state.facts[i].kind.evidence);
        ++compared;
      }
  }
  return compared;
}

} // namespace

TEST_CASE("in every fixture each byte is counted once, and a timeline says the same as a state") {
  std::size_t opened_files = 0;
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testdata())) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".pickle" && extension != ".gz" && extension != ".json") continue;
    for (const MomentKind moment : {MomentKind::end, MomentKind::peak, MomentKind::oom}) {
      CAPTURE(entry.path().string());
      Wants wants;
      wants.moment.kind = moment;
      wants.kinds = true;
      wants.also = MomentKind::peak;
      wants.timeline = true;
      std::optional<Opened> opened;
      try {
        opened = open(entry.path().string(), wants);
      } catch (const std::exception&) {
        continue; // refused, or without such a moment
      }
      ++opened_files;
      check_conserved(opened->state);
      if (entry.path().string().find("/hostile/") == std::string::npos) check_peaks(*opened);
      compared += check_timeline_agrees(*opened);
    }
  }
  CHECK(opened_files > 150);
  CHECK(compared > 3000);
}

TEST_CASE("a snapshot made of a profile says what kind each allocation is") {
  Wants wants;
  wants.kinds = true;
  const Opened opened = open(testdata_file("profile_form"), wants);
  const KindAccount account = kind_account(opened.state, std::nullopt);
  const auto declared_bytes = [&](MemoryKind kind) {
    return account[static_cast<std::size_t>(kind)].bytes_by[static_cast<std::size_t>(KindEvidence::declared)];
  };
  CHECK(declared_bytes(MemoryKind::parameter) == 4'000'000);
  CHECK(declared_bytes(MemoryKind::activation) == 1'000'000);
  CHECK(account[static_cast<std::size_t>(MemoryKind::unknown)].bytes == 512);
}
