#include "rehearse/file_facts.hpp"

#include "memviz/explain_words.hpp"
#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/recording.hpp"
#include "memviz/session.hpp"

#include <algorithm>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostHolders = 3;

/// Reads the file with kinds and events.
MemoryState read_at(const std::string& file, MomentKind kind) {
  Wants wants{.events = true, .kinds = true};
  wants.moment.kind = kind;
  InputOptions options;
  options.regular_only = true; // the program names the file
  return Session(read_input(file, options)).open(wants).state;
}

std::vector<Holder> holders_of(const FrameTable& frames, const std::vector<UserLine>& users) {
  std::vector<Holder> holders;
  for (std::size_t i = 0; i < std::min(kMostHolders, users.size()); ++i) {
    holders.push_back({node_label(frames, users[i].key), users[i].amount.bytes, users[i].amount.blocks});
    for (const InnerLine& inner : users[i].within)
      holders.back().within.push_back({node_label(frames, inner.frame), inner.amount.bytes, inner.amount.blocks});
  }
  return holders;
}

FileFacts facts_of(const std::string& file, const MemoryState& state, const DeviceState& device,
                   const std::vector<UserLine>& users) {
  return {.file = file,
          .device = device,
          .holders = holders_of(state.frames(), users),
          .kinds = kind_account(state, device.device),
          .server_kinds = server_kind_account(state, device.device),
          .loss = lost_history(*state.recording, device.figures)};
}

} // namespace

std::optional<FileFacts> facts_at_peak(const std::string& file) {
  const MemoryState state = read_at(file, MomentKind::peak);
  // Host memory, which counts as less than any GPU, is none of what has to fit.
  const auto fullest = std::max_element(state.devices.begin(), state.devices.end(),
                                        [](const DeviceState& one, const DeviceState& other) {
                                          if (is_host(one.device) != is_host(other.device)) return is_host(one.device);
                                          return one.figures.peak_requested_bytes < other.figures.peak_requested_bytes;
                                        });
  if (fullest == state.devices.end() || fullest->figures.events == 0 || is_host(fullest->device)) return std::nullopt;
  return facts_of(file, state, *fullest, rank_user_lines(state, fullest->device));
}

std::optional<Failure> facts_at_failure(const std::string& file) {
  const MemoryState state = read_at(file, MomentKind::automatic);
  const std::vector<DeviceExplanation> devices = explain(state, {});
  if (devices.empty() || !devices.front().request) return std::nullopt;
  const DeviceExplanation& device = devices.front();
  return Failure{facts_of(file, state, device.device_state, device.users), in_words(state, device)};
}

} // namespace memviz::rehearse
