#include "engine/page_file.hpp"

#include "answers/rank_parts.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "memviz/recording_columns.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace memviz::view {

namespace {

Session session_in(Input bytes, const SessionOptions& options) {
  Input input = unpacked(std::move(bytes));
  if (!are_columns(input.bytes())) return Session(std::move(input), options);
  return Session(std::make_shared<const Recording>(recording_of_columns(input.bytes())), options);
}

std::optional<std::string> chosen_rank(const std::string& rank) {
  return rank.empty() ? std::nullopt : std::optional(rank);
}

} // namespace

PageFile::PageFile(std::string name, Input bytes, const std::string& rank)
    : name_(name + rank),
      session_(session_in(std::move(bytes), {.name = name, .rank = chosen_rank(rank)}).keep_events(), {.name = name_}) {
  end_ = session_.open(
      {.births = true, .kinds = true, .also = MomentKind::automatic, .timeline = true, .sink = &segment_times_});
  recording_ = end_.state.recording;
  states_.push_back({"auto all", std::make_shared<const MemoryState>(*std::exchange(end_.also, std::nullopt))});
  lines_ = std::make_unique<LifeLines>(end_.state);
  if (recording_->keepers.is_recorded) keepers_.emplace(KeeperAnswers(*recording_));
}

MemoryState PageFile::at_peaks() {
  return *session_.open({.kinds = true, .also = MomentKind::peak}).also;
}

Walk& PageFile::walk(std::optional<DeviceId> device) {
  check_device(name_, *recording_, device);
  if (end_.timeline.empty()) throw UsageError(name_ + " has no memory of any device");
  const DeviceId chosen = device.value_or(end_.timeline.front().device);
  const auto known = walks_.find(chosen);
  if (known != walks_.end()) return known->second;
  const auto record = std::find_if(end_.timeline.begin(), end_.timeline.end(),
                                   [&](const DeviceRecord& one) { return one.device == chosen; });
  return walks_.try_emplace(chosen, end_.state, *lines_, *record, keepers()).first->second;
}

std::shared_ptr<const MemoryState> PageFile::state_at(const std::string& moment, std::optional<DeviceId> device) {
  constexpr std::size_t kMostStates = 2;
  const std::string key = fmt::format("{} {}", moment, device ? device_word(*device) : "all");
  const auto known = std::find_if(states_.begin(), states_.end(), [&](const Known& one) { return one.moment == key; });
  if (known != states_.end()) return known->state;
  std::shared_ptr<const MemoryState> state;
  if (moment == "start") {
    state = std::make_shared<const MemoryState>(before_first_event(recording_));
  } else {
    MomentChoice choice = parse_moment("at", moment);
    if (choice.kind == MomentKind::event) choice.device = device;
    Opened opened = session_.open({.moment = choice, .births = true, .kinds = true});
    state = std::make_shared<const MemoryState>(std::move(opened.state));
  }
  states_.insert(states_.begin(), {key, state});
  if (states_.size() > kMostStates) states_.pop_back();
  return state;
}

std::vector<RankPart> parts_of_file(const std::string& name, Input bytes) {
  try {
    Session session = session_in(std::move(bytes), {.name = name});
    return rank_parts(name, session);
  } catch (const Error& error) {
    return {unread_part(name, error.what())};
  }
}

} // namespace memviz::view
