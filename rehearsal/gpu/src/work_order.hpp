// When the host knows that work is done. Nothing runs, so all work could count as done when it is submitted, the
// earliest on a real GPU; the latest is when the host waits for it. Work has an order: that of its stream, and that of
// the events that streams wait for.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

namespace memviz::rehearsal {

using StreamNumber = unsigned long long;
// A moment in the order of work: how many pieces of work of each stream precede it.
using WorkMoment = std::map<StreamNumber, std::uint64_t>;

class WorkOrder {
public:
  using Time = std::chrono::steady_clock::time_point;

  // A program that has submitted nothing for this long and still asks is waiting by asking.
  static constexpr std::chrono::seconds kIdle{2};

  // Adds a piece of work at the end of a stream, which moves that stream's `end`.
  void submit(StreamNumber stream, int device, WorkMoment& end, Time now);
  // Marks the work before `moment` as done.
  void pass(const WorkMoment& moment);
  void pass_device(int device);
  // Whether all work before `moment` is done.
  [[nodiscard]] bool has_passed(const WorkMoment& moment) const;
  // Marks everything as done if nothing was submitted for kIdle.
  void pass_if_idle(Time now);
  // Adds to `moment` what precedes `other` and is not done.
  void join(WorkMoment& moment, const WorkMoment& other) const;

private:
  struct Submitted {
    int device = 0;
    std::uint64_t count = 0;
  };

  [[nodiscard]] std::uint64_t passed(StreamNumber stream) const;

  std::map<StreamNumber, Submitted> submitted_;
  WorkMoment passed_;
  Time last_submission_{};
};

} // namespace memviz::rehearsal
