#include "analysis/replay/moment_log.hpp"

#include "memviz/allocator_settings.hpp"

#include <algorithm>

namespace memviz {

namespace {

constexpr std::size_t kEventsKept = 8; ///< on either side of the moment

/// The last kEventsKept of both.
void append_last(std::vector<Event>& kept, std::span<const Event> events) {
  const std::size_t count = std::min(events.size(), kEventsKept);
  kept.insert(kept.end(), events.end() - static_cast<std::ptrdiff_t>(count), events.end());
  if (kept.size() > kEventsKept) kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(kEventsKept));
}

} // namespace

void MomentLog::allocated(const Event& event, const std::optional<std::uint64_t>& overwritten) {
  if (request_event_ && request_address_ == event.address) request_event_.reset();
  if (requests_.size() > 0) requests_.remove(event.address);
  if (overwritten && is_set_ && happened(Birth::unpacked(*overwritten).event)) ++overwritten_;
}

void MomentLog::free_requested(const Event& event, std::uint64_t index) {
  if (request_event_) requests_.insert(request_address_, *request_event_);
  request_address_ = event.address;
  request_event_ = index;
}

void MomentLog::freed(const Event& event, std::uint64_t index, const std::optional<std::uint64_t>& birth) {
  std::optional<std::uint64_t> request;
  if (request_event_ && request_address_ == event.address)
    std::swap(request, request_event_);
  else if (requests_.size() > 0)
    request = requests_.remove(event.address);

  const Birth born = birth ? Birth::unpacked(*birth) : Birth{kNoEvent, event.stack};
  if (birth) ++(born.stack == event.stack ? same_stacks_ : other_stacks_);
  if (birth && !request) ++unrequested_;
  if (event.size_bytes > kSmallRequestBytes) freed_starts_.add(event.address, index, moment_);
  if (!is_set_ || (birth && !happened(born.event))) return;
  deaths_.push_back({event.address, event.size_bytes, EventIndex(index), born,
                     request && happened(EventIndex(*request)), !birth && !request});
}

void MomentLog::segment_changed(const Event& event) {
  if (!is_set_) return;
  if (event.pool && (pools_.empty() || pools_.back() != *event.pool)) pools_.push_back(*event.pool);
  const auto pool = event.pool ? static_cast<std::uint32_t>(pools_.size()) : 0;
  segment_events_.push_back({event.address, event.size_bytes, event.stream, event.action, pool});
}

bool MomentLog::is_moment(const Event& event, std::uint64_t index, bool is_new_peak) const {
  switch (kind_) {
  case MomentKind::end: return false;
  case MomentKind::peak: return is_new_peak;
  case MomentKind::oom: return event.action == Action::oom;
  case MomentKind::automatic: return is_failure(event, index) || (is_new_peak && !has_failed_);
  case MomentKind::event: return EventIndex(index) == event_;
  case MomentKind::time:
  case MomentKind::annotation: return event.time_us && *event.time_us <= time_us_;
  }
  return false;
}

void MomentLog::move_to(const Event& event, std::uint64_t index, std::int64_t live_bytes) {
  is_set_ = true;
  has_failed_ = event.action == Action::oom;
  moment_ = EventIndex(index);
  moment_time_us_ = event.time_us;
  asked_bytes_ = has_failed_ ? event.size_bytes : 0;
  live_bytes_ = live_bytes;
  deaths_.clear();
  segment_events_.clear();
  pools_.clear();
  overwritten_ = 0;
}

void MomentLog::keep_around(std::span<const Event> batch, std::uint64_t first_index) {
  std::size_t next = 0; // the first event after the moment
  if (is_set_ && moment_.count() > first_index) {
    next = static_cast<std::size_t>(moment_.count() - first_index);
    before_ = last_;
    append_last(before_, batch.first(next));
    after_.clear();
  }
  if (is_set_ && after_.size() < kEventsKept) {
    const auto rest = batch.subspan(next);
    after_.insert(after_.end(), rest.begin(),
                  rest.begin() + static_cast<std::ptrdiff_t>(std::min(rest.size(), kEventsKept - after_.size())));
  }
  append_last(last_, batch);
  events_ = first_index + batch.size();
}

bool MomentLog::is_free_pending(std::uint64_t address) const {
  if (request_event_ && request_address_ == address) return happened(EventIndex(*request_event_));
  const auto request = requests_.find(address);
  return !request || happened(EventIndex(*request));
}

EventsAround MomentLog::around() const {
  EventsAround around{EventIndex(moment_.count() - before_.size()), before_};
  around.events.insert(around.events.end(), after_.begin(), after_.end());
  return around;
}

} // namespace memviz
