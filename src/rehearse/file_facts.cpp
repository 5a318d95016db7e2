#include "rehearse/file_facts.hpp"

#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/replay.hpp"
#include "memviz/snapshot.hpp"

#include <algorithm>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostHolders = 3;

Snapshot read(const std::string& file) {
  const Input input = read_input(file);
  return read_snapshot(input.bytes());
}

std::vector<Holder> holders_of(const FrameTable& frames, const std::vector<UserLine>& users) {
  std::vector<Holder> holders;
  for (std::size_t i = 0; i < std::min(kMostHolders, users.size()); ++i)
    holders.push_back({node_label(frames, users[i].key), users[i].amount.bytes, users[i].amount.blocks});
  return holders;
}

FileFacts facts_of(const std::string& file, const Snapshot& snapshot, const DeviceStats& stats,
                   const std::vector<UserLine>& users) {
  FileFacts facts{.file = file,
                  .device = stats.device,
                  .moment = moment_text(stats.at, stats.events),
                  .requested_bytes = stats.requested_bytes,
                  .reserved_bytes = stats.reserved_bytes,
                  .holders = holders_of(snapshot.frames, users),
                  .loss = ""};
  if (const auto lost = lost_history(snapshot, stats)) facts.loss = lost_history_text(*lost, stats);
  return facts;
}

} // namespace

std::optional<FileFacts> facts_at_peak(const std::string& file) {
  Snapshot snapshot = read(file);
  MomentChoice choice;
  choice.kind = MomentKind::peak;
  const Replay replay = rewind(snapshot, choice);
  const auto fullest = std::max_element(replay.devices.begin(), replay.devices.end(),
                                        [](const DeviceStats& one, const DeviceStats& other) {
                                          return one.peak_requested_bytes < other.peak_requested_bytes;
                                        });
  if (fullest == replay.devices.end() || fullest->events == 0) return std::nullopt;
  return facts_of(file, snapshot, *fullest, rank_user_lines(snapshot, replay, fullest->device));
}

std::optional<Failure> facts_at_failure(const std::string& file) {
  Snapshot snapshot = read(file);
  const Snapshot start = before_first_event(snapshot);
  MomentChoice choice;
  choice.kind = MomentKind::oom;
  const Replay replay = rewind(snapshot, choice);
  const std::vector<DeviceExplanation> devices = explain(snapshot, replay, start, {});
  if (devices.empty() || !devices.front().request) return std::nullopt;
  const DeviceExplanation& device = devices.front();
  return Failure{facts_of(file, snapshot, device.stats, device.users), in_words(snapshot, device)};
}

} // namespace memviz::rehearse
