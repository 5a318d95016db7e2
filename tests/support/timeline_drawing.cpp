#include "support/timeline_drawing.hpp"
#include "support/states.hpp"

#include "memviz/input.hpp"
#include "support/files.hpp"

namespace memviz::test {

std::string drawn_timeline(const Recording& snapshot, const TimelineSvgOptions& options) {
  const MemoryState state = end_of(snapshot);
  std::vector<TimelineDevice> devices;
  for (DeviceRecord& record : record_timeline(snapshot)) {
    const Window window{0, record.events};
    devices.push_back({std::move(record), window});
  }
  return timeline_svg({.file = "a <b> & c.pickle", .state = state, .devices = devices}, options);
}

Recording read_testdata(const std::string& name) {
  return read_snapshot(read_input((testdata() / name).string()).bytes());
}

} // namespace memviz::test
