#include "support/explained.hpp"

#include "memviz/input.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <doctest/doctest.h>

namespace memviz::test {

const WhatIf& Explained::answer(Circumstance circumstance) const {
  const auto& answers = first().what_ifs;
  const auto found = std::find_if(answers.begin(), answers.end(),
                                  [&](const WhatIf& answer) { return answer.circumstance == circumstance; });
  REQUIRE(found != answers.end());
  return *found;
}

std::string Explained::label(const NodeKey& key) const {
  return node_label(state.frames(), key);
}

Explained explained(Recording recording, std::optional<std::uint64_t> capacity_bytes) {
  MomentChoice choice;
  choice.kind = MomentKind::automatic;
  ExplainOptions options;
  options.capacity_bytes = capacity_bytes;
  Explained result;
  result.state = rewind(std::move(recording), choice);
  result.devices = explain(result.state, options);
  return result;
}

Recording read_file(const std::filesystem::path& path) {
  return read_snapshot(read_input(path.string()).bytes());
}

void check_adds_up(const Explained& explained) {
  for (const DeviceExplanation& device : explained.devices) {
    std::uint64_t parts_bytes = 0;
    for (const LedgerPart& part : ledger_parts(device.ledger))
      if (part.is_inside) parts_bytes += part.bytes;
    std::uint64_t reserved_bytes = 0;
    for (const Segment& segment : explained.state.segments)
      if (segment.device == device.device_state.device) reserved_bytes += segment.total_bytes;
    CHECK(device.ledger.reserved_bytes == reserved_bytes);
    CHECK(parts_bytes == reserved_bytes);
  }
}

} // namespace memviz::test
