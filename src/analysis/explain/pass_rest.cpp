#include "analysis/explain/pass_rest.hpp"

#include "base/number_map.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace memviz {

namespace {

constexpr std::uint32_t kMostPasses = 16;          ///< those that are looked at, the last ones
constexpr std::uint64_t kMostEvents = 1ULL << 20U; ///< in these, unless the last two have more
constexpr std::uint64_t kMadeUp = 1ULL << 63U;
constexpr std::size_t kNone = ~std::size_t{0};

/// Identifies an allocation over passes.
struct AllocId {
  std::uint32_t pass = 0;
  std::uint32_t stack = 0;
  std::uint32_t ordinal = 0; ///< among those of its stack in its pass
  friend auto operator<=>(const AllocId&, const AllocId&) = default;
};

/// Live memory at the point of the request, or at the same point of a pass before.
struct Point {
  std::uint32_t pass = 0;
  std::size_t event = 0;
  std::int64_t live_bytes = 0; ///< just before it, from the first pass that is looked at on
  std::int64_t made_once_bytes = 0;
};

std::uint64_t positive(std::int64_t bytes) {
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

class RestFinder {
public:
  RestFinder(const LeadUp& lead_up, const Request& request, std::span<const std::uint64_t> starts,
             const std::function<bool(std::size_t)>& is_made_once)
      : lead_up_(lead_up), events_(lead_up.events), request_(request), is_made_once_(is_made_once), starts_{0} {
    for (const std::uint64_t start : starts)
      if (start > 0 && start < lead_up.event_count) starts_.push_back(static_cast<std::size_t>(start));
    passes_ += starts_.size() - 1; // the first begins with the recording
    const auto is_far = [&](std::size_t start) { return lead_up.event_count - start > kMostEvents; };
    while (starts_.size() > kMostPasses || (starts_.size() > 2 && is_far(starts_.front())))
      starts_.erase(starts_.begin());
  }

  PassRest rest() {
    PassRest found;
    found.need.passes = passes_;
    found.need.to_come_bytes = request_.bytes;
    if (passes_ == 0) return found;
    walk();
    found.need.start = EventIndex(starts_.back());
    found.need.basis = PassBasis::no_same_point;
    const auto here = static_cast<std::uint32_t>(starts_.size() - 1);
    // The first pass of the recording begins with what the program makes once, such as its model.
    const bool is_first = starts_[here - 1] == 0;
    found.need.rise_bytes = is_first ? 0 : positive(highest_[here - 1] - first_live_[here - 1]);
    found.need.risen_bytes = positive(live_bytes_ - first_live_[here]);
    const auto before = last_same_point(here);
    if (!before) {
      const std::uint64_t rest_bytes = found.need.rise_bytes - std::min(found.need.rise_bytes, found.need.risen_bytes);
      found.need.to_come_bytes = std::max(request_.bytes, rest_bytes);
      return found;
    }
    found.need.growth_bytes = growth_since(*before);
    replay_since(*before, here, found);
    constexpr std::uint64_t kRounding = 512;
    const bool is_larger = request_.bytes >= events_.size_bytes(before->event) + kRounding;
    found.need.basis = is_larger ? PassBasis::larger : PassBasis::pass_before;
    if (is_larger || is_made_once_(before->event)) found.events.clear();
    return found;
  }

private:
  /// Numbers the allocations from the first pass that is looked at on, and notes what lives, and which free ends which.
  void walk() {
    const std::size_t first = starts_.front();
    ids_.resize(lead_up_.event_count - first);
    freed_.assign(ids_.size(), kNone);
    std::uint32_t pass = 0;
    first_live_.assign(starts_.size(), 0);
    highest_.assign(starts_.size(), 0);
    for (std::size_t i = first; i < lead_up_.event_count; ++i) {
      while (pass + 1 < starts_.size() && starts_[pass + 1] <= i) {
        ++pass;
        first_live_[pass] = live_bytes_;
        highest_[pass] = live_bytes_;
        ordinals_.clear();
      }
      if (events_.action(i) == Action::alloc) add(i, pass);
      if (events_.action(i) == Action::free_completed) remove(i);
      highest_[pass] = std::max(highest_[pass], live_bytes_);
    }
  }

  void add(std::size_t index, std::uint32_t pass) {
    const StackId stack = events_.stack(index);
    const AllocId id{pass, stack.value, ordinals_[stack.value]++};
    ids_[index - starts_.front()] = id;
    live_.insert(events_.address(index), index);
    if (stack == request_.stack)
      points_.emplace(std::pair(id.ordinal, pass), Point{pass, index, live_bytes_, made_once_bytes_});
    const auto bytes = static_cast<std::int64_t>(events_.size_bytes(index));
    live_bytes_ += bytes;
    if (is_made_once_(index)) made_once_bytes_ += bytes;
  }

  void remove(std::size_t index) {
    live_bytes_ -= static_cast<std::int64_t>(events_.size_bytes(index));
    if (const auto alloc = live_.remove(events_.address(index)))
      freed_[index - starts_.front()] = static_cast<std::size_t>(*alloc);
  }

  [[nodiscard]] std::uint32_t ordinal_here() const {
    const auto found = ordinals_.find(request_.stack.value);
    return found == ordinals_.end() ? 0 : found->second;
  }

  [[nodiscard]] std::optional<Point> same_point(std::uint32_t pass) const {
    const auto found = points_.find(std::pair(ordinal_here(), pass));
    return found == points_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<Point> last_same_point(std::uint32_t before_pass) const {
    for (std::uint32_t pass = before_pass; pass > 0; --pass)
      if (auto point = same_point(pass - 1)) return point;
    return std::nullopt;
  }

  /// Returns the growth since the same point of the pass before; of two differences the smaller one, because the first
  /// passes of a program make things that stay.
  [[nodiscard]] std::uint64_t growth_since(const Point& before) const {
    const auto difference = [](const Point& earlier, const Point& later) {
      return later.live_bytes - earlier.live_bytes - (later.made_once_bytes - earlier.made_once_bytes);
    };
    std::int64_t growth = difference(before, {0, 0, live_bytes_, made_once_bytes_});
    if (const auto earlier = last_same_point(before.pass)) growth = std::min(growth, difference(*earlier, before));
    return positive(growth);
  }

  /// Repeats what happened from the same point on, with the blocks that correspond.
  void replay_since(const Point& before, std::uint32_t here, PassRest& found) {
    const std::uint32_t shift = here - before.pass;
    std::map<AllocId, std::uint64_t> held;
    live_.for_each([&](std::uint64_t address, std::uint64_t index) {
      held.emplace(id_of(static_cast<std::size_t>(index)), address);
    });
    std::int64_t level = 0;
    std::int64_t highest = 0;
    for (std::size_t i = before.event; i < lead_up_.event_count; ++i) {
      const Action action = events_.action(i);
      const auto bytes = static_cast<std::int64_t>(events_.size_bytes(i));
      if (action == Action::alloc && !is_made_once_(i)) {
        held[shifted(i, shift)] = kMadeUp | i;
        found.events.push_back({i, i, kMadeUp | i});
        highest = std::max(highest, level += i == before.event ? static_cast<std::int64_t>(request_.bytes) : bytes);
      } else if (action == Action::free_completed) {
        const std::size_t alloc = freed_[i - starts_.front()];
        if (alloc == kNone) continue;
        const auto entry = held.find(shifted(alloc, shift));
        if (entry == held.end()) continue;
        found.events.push_back({i, alloc, entry->second});
        held.erase(entry);
        level -= bytes;
      }
    }
    found.need.to_come_bytes = positive(highest);
  }

  [[nodiscard]] const AllocId& id_of(std::size_t index) const { return ids_[index - starts_.front()]; }
  [[nodiscard]] AllocId shifted(std::size_t index, std::uint32_t shift) const {
    AllocId id = id_of(index);
    id.pass += shift;
    return id;
  }

  const LeadUp& lead_up_;
  const EventTable& events_;
  const Request& request_;
  const std::function<bool(std::size_t)>& is_made_once_;
  std::vector<std::size_t> starts_; ///< of the passes that are looked at
  std::size_t passes_ = 0;
  std::vector<AllocId> ids_;                                        ///< by event, from the first of these passes on
  std::map<std::uint32_t, std::uint32_t> ordinals_;                 ///< by stack, in the current pass
  std::map<std::pair<std::uint32_t, std::uint32_t>, Point> points_; ///< by ordinal and pass, of the request's stack
  NumberMap live_;                                                  ///< address -> event
  std::vector<std::size_t> freed_;       ///< by event, as ids_: the event of the alloc that a free ends
  std::vector<std::int64_t> first_live_; ///< by pass
  std::vector<std::int64_t> highest_;
  std::int64_t live_bytes_ = 0;
  std::int64_t made_once_bytes_ = 0;
};

} // namespace

std::string_view pass_basis_name(PassBasis basis) {
  switch (basis) {
  case PassBasis::pass_before: return "pass_before";
  case PassBasis::no_pass: return "no_pass";
  case PassBasis::no_same_point: return "no_same_point";
  case PassBasis::larger: return "larger";
  }
  return "";
}

std::vector<std::uint64_t> pass_starts(std::span<const PassChange> changes) {
  std::vector<std::uint64_t> starts;
  for (const PassChange& change : changes)
    if (!change.is_to_backward) starts.push_back(change.after);
  return starts;
}

std::int64_t rise_without(const LeadUp& lead_up, const PassRest& rest, std::uint64_t live_bytes,
                          const std::function<bool(std::size_t)>& is_left_out) {
  std::int64_t level = -static_cast<std::int64_t>(live_bytes);
  std::int64_t highest = level;
  NumberMap left_out; // by address
  for (const RestEvent& event : rest.events) {
    const auto bytes = static_cast<std::int64_t>(lead_up.events.size_bytes(event.index));
    if (lead_up.events.action(event.index) == Action::alloc) {
      if (is_left_out(event.index))
        left_out.insert(event.address, 1);
      else
        highest = std::max(highest, level += bytes);
    } else if (!left_out.remove(event.address) && !is_left_out(event.allocated_by)) {
      level -= bytes;
    }
  }
  return highest;
}

PassRest rest_of_pass(const LeadUp& lead_up, const Request& request, std::span<const std::uint64_t> starts,
                      const std::function<bool(std::size_t)>& is_made_once) {
  return RestFinder(lead_up, request, starts, is_made_once).rest();
}

} // namespace memviz
