#include "run/file_facts.hpp"

#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/recording.hpp"
#include "memviz/session.hpp"
#include "memviz/source_lines.hpp"
#include "story/explain_words.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostHolders = 3;

/// Reads the file with kinds and events, and the text of the lines in it, because the program has just run here.
MemoryState read_at(const std::string& file, MomentKind kind) {
  Wants wants{.events = true, .kinds = true};
  wants.moment.kind = kind;
  InputOptions options;
  options.regular_only = true; // the program names the file
  SourceLines sources({"/"}, written_ns(file));
  SessionOptions session;
  session.add_sources = [&](FrameTable& frames, auto first_us) { sources.add_to(frames, first_us); };
  return Session(read_input(file, options), session).open(wants).state;
}

Holder holder_of(const FrameTable& frames, const NodeKey& line, const Amount& amount) {
  return {.line = node_label(frames, line),
          .bytes = amount.bytes,
          .blocks = amount.blocks,
          .source = std::string(source_of(frames, line))};
}

std::vector<Holder> holders_of(const MemoryState& state, DeviceId device, const std::vector<UserLine>& users) {
  const FrameTable& frames = state.frames();
  const std::map<NodeKey, CalledLine> callers = callers_of_lines(state, device);
  std::vector<Holder> holders;
  for (std::size_t i = 0; i < std::min(kMostHolders, users.size()); ++i) {
    holders.push_back(holder_of(frames, users[i].key, users[i].amount));
    if (const auto found = callers.find(users[i].key); found != callers.end())
      holders.back().callers = callers_text(frames, found->second);
    for (const InnerLine& inner : users[i].within)
      holders.back().within.push_back(holder_of(frames, inner.frame, inner.amount));
  }
  return holders;
}

FileFacts facts_of(const std::string& file, const MemoryState& state, const DeviceState& device,
                   const std::vector<UserLine>& users) {
  return {.file = file,
          .device = device,
          .holders = holders_of(state, device.device, users),
          .kinds = kind_account(state, device.device),
          .server_kinds = server_kind_account(state, device.device),
          .loss = lost_history(*state.recording, device.figures)};
}

/// A setting is worth a run if the request fits with it, and nothing shows that the pass does not.
std::vector<FitChange> changes_worth_a_run(const DeviceExplanation& device) {
  std::vector<FitChange> changes;
  const bool may_fit = std::ranges::any_of(device.what_ifs, [](const WhatIf& answer) {
    return answer.circumstance == Circumstance::expandable_segments &&
           (answer.outcome == Outcome::fits || answer.outcome == Outcome::at_best) &&
           (answer.prospect == Prospect::goes_on || answer.prospect == Prospect::unknown);
  });
  if (may_fit) changes.push_back(FitChange::expandable_segments);
  if (std::ranges::find(device.causes, CauseKind::foreach_temporaries, &Cause::kind) != device.causes.end())
    changes.push_back(FitChange::no_foreach);
  return changes;
}

} // namespace

std::optional<FileFacts> facts_at_peak(const std::string& file) {
  const MemoryState state = read_at(file, MomentKind::peak);
  // Host memory, which sorts below any GPU, does not have to fit.
  const auto fullest = std::ranges::max_element(state.devices, [](const DeviceState& one, const DeviceState& other) {
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
  return Failure{facts_of(file, state, device.device_state, device.users), in_words(state, device),
                 changes_worth_a_run(device)};
}

} // namespace memviz::rehearse
