#include "analysis/tree/no_stack_account.hpp"
#include "memviz/explain.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/input.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline.hpp"
#include "story/moment_words.hpp"
#include "support/files.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

// The commands are about one truth: which moment it is, what is live then, and how much of that has no stack. All
// snapshots that there are, each device of each, without --at.

namespace memviz {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> all_snapshots() {
  std::vector<fs::path> files = test::snapshots_in(test::testdata());
  for (const char* folder : {"cases", "recorded"})
    for (const fs::path& file : test::files_in(test::testdata() / folder, ".pickle"))
      files.push_back(file);
  return files;
}

/// The figures that any command gives for a device.
struct Said {
  std::int64_t event = -1;
  std::uint64_t live_bytes = 0;
  std::uint64_t no_stack_bytes = 0;
  friend bool operator==(const Said&, const Said&) = default;
};

std::ostream& operator<<(std::ostream& out, const Said& said) {
  return out << "event " << said.event << ", " << said.live_bytes << " live, " << said.no_stack_bytes << " no stack";
}

MemoryState read(const fs::path& path) {
  const Input input = read_input(path.string());
  MomentChoice choice;
  choice.kind = MomentKind::automatic;
  return rewind(read_snapshot(input.bytes()), choice);
}

std::uint64_t sum_of_lines(const std::vector<UserLine>& lines) {
  std::uint64_t bytes = 0;
  for (const UserLine& line : lines)
    bytes += line.amount.bytes;
  return bytes;
}

/// The list of flame: what is live, and what of it has no stack.
Said by_list(const MemoryState& state, const DeviceState& device_state) {
  const auto lines = rank_user_lines(state, device_state.device);
  return {device_state.moment.event.number(), sum_of_lines(lines), no_stack_account(lines).total.bytes};
}

/// Its tree: all that is not free, rounding or unaccounted for.
Said by_tree(const MemoryState& state, const DeviceState& device_state) {
  TreeOptions options;
  options.levels = {Level::state};
  options.frames = FrameFilter::all;
  options.device = device_state.device;
  const FrameTree tree = build_frame_tree(state, options);
  Said said{device_state.moment.event.number(), 0, 0};
  for (const auto& node : tree.nodes) {
    const bool is_other = node.key == NodeKey(Pseudo::gaps) || node.key == NodeKey(BlockState::inactive) ||
                          node.key == NodeKey(Pseudo::unaccounted);
    if (!is_other) said.live_bytes += node.self.bytes;
    if (has_no_stack(node.key)) said.no_stack_bytes += node.self.bytes;
  }
  CHECK(tree.root().total.bytes == device_state.figures.reserved_bytes + device_state.figures.outside_bytes);
  return said;
}

std::vector<Said> by_stats_json(const MemoryState& state) {
  std::vector<Said> said;
  const auto json = nlohmann::json::parse(stats_json("", state));
  for (const auto& device : json["devices"])
    said.push_back({device["at"]["event"], device["requested_bytes"], device["no_stack"]["bytes"]});
  return said;
}

std::vector<Said> by_explain(const MemoryState& state) {
  std::vector<Said> said(state.devices.size());
  for (const DeviceExplanation& device : explain(state, {})) {
    const auto is_it = [&](const DeviceState& device_state) {
      return device_state.device == device.device_state.device;
    };
    const auto place = std::find_if(state.devices.begin(), state.devices.end(), is_it);
    said[static_cast<std::size_t>(place - state.devices.begin())] = {device.device_state.moment.event.number(),
                                                                     sum_of_lines(device.users),
                                                                     no_stack_account(device.users).total.bytes};
  }
  return said;
}

/// The timeline's list of the state after the moment's event.
Said by_timeline(const FrameTable& frames, const LifeLines& lines, const DeviceRecord& record, const Moment& moment) {
  const auto state = static_cast<std::uint32_t>(moment.event.count());
  Said said{moment.event.number(), 0, 0};
  for (const UserLine& holder : holders_at(frames, lines, record, TimelineKind::allocations, state)) {
    said.live_bytes += holder.amount.bytes;
    if (has_no_stack(holder.key)) said.no_stack_bytes += holder.amount.bytes;
  }
  return said;
}

/// The moment that is promised: the last error, without one the peak, without events the end.
std::int64_t promised_event(const DeviceState& device_state) {
  if (device_state.figures.events == 0) return -1;
  return device_state.figures.ooms > 0 ? device_state.last_oom_event.number() : device_state.peak_event.number();
}

} // namespace

TEST_CASE("all commands agree on the moment, on what is live, and on what has no stack") {
  for (const fs::path& path : all_snapshots()) {
    CAPTURE(path.filename().string());
    const Input input = read_input(path.string());
    const Recording at_end = read_snapshot(input.bytes());
    const MemoryState end_state = test::end_of(at_end);
    const LifeLines lines(end_state);
    const std::vector<DeviceRecord> records = record_timeline(at_end);
    const MemoryState file = read(path);
    const auto stats_said = by_stats_json(file);
    const auto explain_said = by_explain(file);
    for (std::size_t i = 0; i < file.devices.size(); ++i) {
      const DeviceState& device_state = file.devices[i];
      CAPTURE(device_state.device);
      const Said said = by_list(file, device_state);
      CHECK(device_state.moment.event.number() == promised_event(device_state));
      CHECK(said.live_bytes == device_state.figures.requested_bytes);
      if (device_state.moment.kind == MomentKind::peak)
        CHECK(said.live_bytes == device_state.figures.peak_requested_bytes);
      CHECK(by_tree(file, device_state) == said);
      CHECK(stats_said[i] == said);
      CHECK(explain_said[i] == said);
      // Allocations that are only counted have no life to draw, in an edited file, which is reported.
      if (!device_state.moment.is_end() && device_state.figures.balanced())
        CHECK(by_timeline(at_end.frames, lines, records[i], device_state.moment) == said);
    }
  }
}

TEST_CASE("the picture says what the accounts say") {
  for (const fs::path& path : all_snapshots()) {
    CAPTURE(path.filename().string());
    const MemoryState file = read(path);
    const auto& devices = file.devices;
    TreeOptions options;
    options.levels = memory_levels(file);
    const FrameTree tree = build_frame_tree(file, options);
    const FlamePicture picture{.file = "mem.pickle", .subject = memory_subject(file, {}), .tree = tree};
    const std::string svg = flame_svg(picture, {});
    const DeviceFigures shown = shown_figures(devices);
    if (shown.reserved_bytes == 0) continue;
    CHECK(svg.find(format_bytes(shown.reserved_bytes) + " reserved") != std::string::npos);
    if (shown.events > 0 && shown_moment(devices).kind == MomentKind::peak)
      CHECK(svg.find("at its peak") != std::string::npos);
    const DeviceState* const device = shown_device(devices);
    const std::string others = device != nullptr ? other_moments_text("flame", *device) : "";
    if (!others.empty()) CHECK(svg.find(others.substr(1)) != std::string::npos);
  }
}

} // namespace memviz
