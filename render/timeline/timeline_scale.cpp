#include "timeline/timeline_scale.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <cmath>

namespace memviz::render {
namespace {

constexpr std::uint64_t kMostByteTicks = 6;
constexpr double kTickRoom = 20; ///< minimum between two of them
constexpr double kMostStateTicks = 9;
constexpr double kLargeFloor = 0.45; ///< the part of the scale left to a floor that is cut

std::uint64_t binary_step(std::uint64_t range, double height) {
  const auto most = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(height / kTickRoom), 1, kMostByteTicks);
  std::uint64_t step = 1;
  while (range / step > most)
    step *= 2;
  return step;
}

/// Returns 1, 2 or 5 times a power of ten.
double decimal_step(double range) {
  double step = 1;
  for (int i = 0; range / step > kMostStateTicks; ++i)
    step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

} // namespace

ByteScale::ByteScale(std::uint64_t highest_bytes, std::uint64_t floor_bytes, double height, double room_above)
    : top_bytes_(std::max<std::uint64_t>(highest_bytes, 1)), height_(height) {
  floor_bytes = std::min(floor_bytes, top_bytes_);
  // If nothing rises above the floor, there is nothing to make room for.
  const bool is_large = static_cast<double>(floor_bytes) > kLargeFloor * static_cast<double>(top_bytes_) &&
                        top_bytes_ - floor_bytes > top_bytes_ / 1000;
  step_bytes_ = binary_step(is_large ? top_bytes_ - floor_bytes : top_bytes_, height - room_above);
  if (is_large) cut_bytes_ = floor_bytes / step_bytes_ * step_bytes_;
  const double used = height - cut_height() - room_above;
  top_bytes_ += static_cast<std::uint64_t>(static_cast<double>(top_bytes_ - cut_bytes_) * room_above / used) + 1;
}

double ByteScale::y(std::uint64_t bytes) const {
  bytes = std::min(bytes, top_bytes_);
  if (bytes < cut_bytes_) return height_ - kCutHeight * static_cast<double>(bytes) / static_cast<double>(cut_bytes_);
  const double share = static_cast<double>(bytes - cut_bytes_) / static_cast<double>(top_bytes_ - cut_bytes_);
  return (height_ - cut_height()) * (1 - share);
}

std::vector<Tick> ByteScale::ticks() const {
  std::vector<Tick> ticks{{height_, "0"}};
  for (std::uint64_t bytes = std::max(cut_bytes_, step_bytes_); bytes <= top_bytes_; bytes += step_bytes_)
    ticks.push_back({y(bytes), format_bytes(bytes)});
  return ticks;
}

AxisRange axis_range(const DeviceRecord& record, TimelineAxis axis, Window window) {
  const auto position = [&](std::uint32_t state) { return static_cast<double>(axis_position(record, axis, state)); };
  if (axis == TimelineAxis::event) return {position(window.first), position(window.last) + 1};
  // The width of state 0 before the first event, and of the last state after its event.
  const double lead = std::max(1.0, (position(window.last) - position(std::max(window.first, 1U))) / 100);
  return {window.first == 0 ? -lead : position(window.first), position(window.last) + lead};
}

StateScale::StateScale(const DeviceRecord& record, TimelineAxis axis, Window window, const AxisRange& range)
    : record_(record), axis_(axis), window_(window), range_(range) {
}

double StateScale::position(std::uint32_t state) const {
  if (axis_ == TimelineAxis::time && state == 0) return range_.begin;
  return static_cast<double>(axis_position(record_, axis_, state)) + range_.offset;
}

double StateScale::x(std::uint32_t state) const {
  return state > window_.last ? width_ : x_at(position(state));
}

std::vector<Tick> StateScale::ticks() const {
  std::vector<Tick> ticks;
  const double step = decimal_step(end() - begin());
  for (double at = std::ceil(std::max(0.0, begin()) / step) * step; at < end(); at += step) {
    const auto value = static_cast<std::uint64_t>(at);
    ticks.push_back(
        {x_at(at), axis_ == TimelineAxis::time && value > 0 ? format_duration(value) : format_count(value)});
  }
  return ticks;
}

} // namespace memviz::render
