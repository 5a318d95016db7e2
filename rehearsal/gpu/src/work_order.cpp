#include "work_order.hpp"

#include <algorithm>

namespace memviz::rehearsal {

void WorkOrder::submit(StreamNumber stream, int device, WorkMoment& end, Time now) {
  Submitted& submitted = submitted_[stream];
  submitted.device = device;
  end[stream] = ++submitted.count;
  last_submission_ = now;
}

void WorkOrder::pass(const WorkMoment& moment) {
  for (const auto& [stream, count] : moment)
    passed_[stream] = std::max(passed_[stream], count);
}

void WorkOrder::pass_device(int device) {
  for (const auto& [stream, submitted] : submitted_)
    if (submitted.device == device) passed_[stream] = submitted.count;
}

bool WorkOrder::has_passed(const WorkMoment& moment) const {
  return std::all_of(moment.begin(), moment.end(), [&](const auto& work) { return work.second <= passed(work.first); });
}

void WorkOrder::pass_if_idle(Time now) {
  if (now - last_submission_ < kIdle) return;
  for (const auto& [stream, submitted] : submitted_)
    passed_[stream] = submitted.count;
}

void WorkOrder::join(WorkMoment& moment, const WorkMoment& other) const {
  for (const auto& [stream, count] : other) {
    if (count <= passed(stream)) continue;
    std::uint64_t& known = moment[stream];
    known = std::max(known, count);
  }
}

std::uint64_t WorkOrder::passed(StreamNumber stream) const {
  const auto found = passed_.find(stream);
  return found == passed_.end() ? 0 : found->second;
}

} // namespace memviz::rehearsal
