#include "memviz/memory_report.hpp"

#include "analysis/report/declared_names.hpp"
#include "analysis/report/entry_names.hpp"
#include "analysis/tree/user_lines.hpp"
#include "base/hash_map.hpp"
#include "base/printable.hpp"
#include "memviz/event_index.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace memviz {

namespace {

struct Gradient {
  std::uint64_t size_bytes = 0;
  std::string declared_name; ///< "" where the program declares none
};

std::vector<const Life*> lives_of_gradients(const DeviceRecord& record) {
  std::vector<const Life*> gradients;
  if (!record.kinds) return gradients;
  const auto add = [&](const std::vector<Life>& lives, const std::vector<KindOf>& kinds) {
    for (std::size_t i = 0; i < lives.size(); ++i)
      if (kinds[i].kind == MemoryKind::gradient) gradients.push_back(&lives[i]);
  };
  add(record.kept_baseline, record.kinds->kept_baseline);
  add(record.freed_baseline, record.kinds->freed_baseline);
  add(record.lives, record.kinds->lives);
  return gradients;
}

/// Returns the first state in which they hold most.
std::uint32_t fullest_state(const std::vector<const Life*>& lives) {
  using Change = std::pair<std::uint32_t, std::int64_t>;
  std::vector<Change> changes;
  for (const Life* life : lives) {
    changes.emplace_back(life->begin, static_cast<std::int64_t>(life->size_bytes));
    changes.emplace_back(life->end, -static_cast<std::int64_t>(life->size_bytes));
  }
  // Within one state, frees come first.
  std::ranges::sort(changes);
  std::int64_t bytes = 0;
  std::int64_t most_bytes = 0;
  std::uint32_t fullest = 0;
  for (const auto& [state, change] : changes) {
    bytes += change;
    if (bytes <= most_bytes) continue;
    most_bytes = bytes;
    fullest = state;
  }
  return fullest;
}

/// Returns the weights that have no gradient yet.
class FreeWeights {
public:
  FreeWeights(std::span<ReportEntry> weights, std::span<const std::string> declared_names) : weights_(weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      by_size_[weights[i].size_bytes].push_back(i);
      static_cast<void>(by_name_.add(declared_names[i], i));
    }
  }

  [[nodiscard]] bool take_by_name(const Gradient& gradient) {
    const std::size_t* const weight = by_name_.find(gradient.declared_name);
    if (weight == nullptr || weights_[*weight].gradient_bytes > 0) return false;
    weights_[*weight].gradient_bytes = gradient.size_bytes;
    return true;
  }
  [[nodiscard]] bool take_by_size(const Gradient& gradient) {
    const auto found = by_size_.find(gradient.size_bytes);
    if (found == by_size_.end()) return false;
    std::vector<std::size_t>& weights = found->second;
    while (!weights.empty() && weights_[weights.back()].gradient_bytes > 0)
      weights.pop_back();
    if (weights.empty()) return false;
    weights_[weights.back()].gradient_bytes = gradient.size_bytes;
    weights.pop_back();
    return true;
  }
  [[nodiscard]] UnpairedReason reason(const Gradient& gradient) const {
    if (!gradient.declared_name.empty()) return UnpairedReason::other_name;
    return by_size_.contains(gradient.size_bytes) ? UnpairedReason::more_than_them : UnpairedReason::other_size;
  }

private:
  std::span<ReportEntry> weights_;
  std::map<std::uint64_t, std::vector<std::size_t>> by_size_; ///< in the order of allocation
  HashMap<std::string, std::size_t> by_name_;
};

/// Returns the gradients that are live together when gradients first hold most, in the order of allocation: an
/// iteration frees its gradients before the next one allocates its own.
std::vector<Gradient> gradients_of(const DeviceRecord& record, DeclaredNames& names) {
  std::vector<const Life*> lives = lives_of_gradients(record);
  const std::uint32_t state = fullest_state(lives);
  std::erase_if(lives, [&](const Life* life) { return !life->lives_in(state); });
  std::ranges::stable_sort(lives, {}, &Life::begin);
  std::vector<Gradient> gradients;
  for (const Life* life : lives)
    gradients.push_back({life->size_bytes, names.of(record, *life)});
  return gradients;
}

/// Assigns each of them to a weight of one device: to the one with the declared name, else to the last of its size that
/// has none, because a backward pass makes the gradients of the last weights first. `declared_names` are those of the
/// weights. Returns the rest.
std::vector<UnpairedGradients> pair_gradients(std::span<ReportEntry> weights,
                                              std::span<const std::string> declared_names,
                                              std::span<const Gradient> gradients) {
  FreeWeights free(weights, declared_names);
  std::map<std::pair<std::uint64_t, UnpairedReason>, std::uint64_t> left;
  std::vector<bool> is_paired(gradients.size());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    is_paired[i] = !gradients[i].declared_name.empty() && free.take_by_name(gradients[i]);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const bool is_named = !gradients[i].declared_name.empty();
    if (!is_paired[i] && (is_named || !free.take_by_size(gradients[i])))
      ++left[{gradients[i].size_bytes, free.reason(gradients[i])}];
  }
  std::vector<UnpairedGradients> unpaired;
  for (const auto& [what, count] : left)
    unpaired.push_back({.device = {}, .size_bytes = what.first, .reason = what.second, .count = count});
  return unpaired;
}

/// Events in order -> the record_function that was open at each.
class OpenMarks {
public:
  OpenMarks(const Recording& recording, const DeviceRecord& record)
      : lane_(annotation_lane(recording, record, kMostRows)), open_(lane_.rows) {}

  /// Returns the innermost one that is open when `event` happens. Events must be in order over the calls.
  [[nodiscard]] std::optional<StringId> at(EventIndex event) {
    const std::uint64_t state = event.count();
    for (; next_ < lane_.spans.size() && lane_.spans[next_].begin <= state; ++next_)
      open_[lane_.spans[next_].row] = next_;
    for (std::size_t row = open_.size(); row-- > 0;)
      if (open_[row] && lane_.spans[*open_[row]].end > state) return lane_.spans[*open_[row]].name;
    return std::nullopt;
  }

private:
  static constexpr std::uint32_t kMostRows = 32;

  AnnotationLane lane_;
  std::vector<std::optional<std::size_t>> open_; ///< by row, the last span that began
  std::size_t next_ = 0;
};

/// The names of a report, each once.
class NameTable {
public:
  explicit NameTable(std::vector<std::string>& names) : names_(names) {}

  [[nodiscard]] std::uint32_t id(std::string name) {
    const auto [id, is_new] = ids_.add(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(std::move(name));
    return id;
  }

private:
  std::vector<std::string>& names_;
  HashMap<std::string, std::uint32_t> ids_;
};

/// Numbers the entries that share a name, from 1.
void number(std::vector<ReportEntry>& entries, std::size_t names) {
  std::vector<std::uint32_t> counts(names);
  std::vector<std::uint32_t> given(names);
  for (const ReportEntry& entry : entries)
    ++counts[entry.name.name];
  for (ReportEntry& entry : entries)
    if (counts[entry.name.name] > 1) entry.name.number = ++given[entry.name.name];
}

/// Returns the given device; else the GPUs; if there are none, all.
std::vector<DeviceId> devices_of(const MemoryState& state, std::optional<DeviceId> device) {
  if (device) return {*device};
  std::vector<DeviceId> devices;
  for (const DeviceState& device_state : state.devices)
    if (!is_host(device_state.device) || state.devices.size() == 1) devices.push_back(device_state.device);
  return devices;
}

/// In the order of their allocation. Those older than the events come first, largest first: nothing else about them is
/// the same when the program runs again.
void sort_by_birth(const MemoryState& state, std::vector<ReportEntry>& entries) {
  const auto key = [&](const ReportEntry& entry) {
    const EventIndex born = state.facts[entry.block].history.alloc_event;
    return std::tuple(born, born.is_none() ? ~entry.size_bytes : 0, entry.block);
  };
  std::ranges::sort(entries, {}, key);
}

class Reporter {
public:
  Reporter(const MemoryState& state, std::span<const DeviceRecord> timeline)
      : state_(state), timeline_(timeline), declared_(*state.recording), lines_(state), names_(report_.names),
        weight_names_(state.frames().stack_count()), operations_(weight_names_) {}

  void add(DeviceId device) {
    report_.devices.push_back(device);
    if (const DeviceState* const device_state = state_.device_at(device))
      report_.peak_bytes += device_state->figures.peak_requested_bytes;
    const auto record = std::ranges::find(timeline_, device, &DeviceRecord::device);
    const DeviceRecord* const found = record == timeline_.end() ? nullptr : &*record;
    add_weights(device, found);
    add_activations(device, found);
  }

  [[nodiscard]] MemoryReport finish() {
    number(report_.weights, report_.names.size());
    return std::move(report_);
  }

private:
  [[nodiscard]] std::vector<ReportEntry> entries_of(DeviceId device, MemoryKind kind) const {
    std::vector<ReportEntry> entries;
    for (const Segment& segment : state_.segments_of(device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active() && state_.facts[i].kind.kind == kind)
          entries.push_back({.name = {}, .device = device, .block = i, .size_bytes = state_.blocks[i].requested_bytes});
    sort_by_birth(state_, entries);
    return entries;
  }

  [[nodiscard]] std::string declared_name_of(DeviceId device, std::uint32_t block) {
    return elided(declared_.of(state_, device, block), kMostEntryColumns);
  }

  void add_weights(DeviceId device, const DeviceRecord* record) {
    std::vector<ReportEntry> weights = entries_of(device, MemoryKind::parameter);
    std::vector<std::string> declared;
    for (ReportEntry& weight : weights) {
      declared.push_back(declared_name_of(device, weight.block));
      weight.name.name = declared.back().empty() ? undeclared_name(weight) : names_.id(declared.back());
    }
    if (record != nullptr) {
      for (UnpairedGradients& left : pair_gradients(weights, declared, gradients_of(*record, declared_))) {
        left.device = device;
        if (left.reason == UnpairedReason::other_size && may_be_state(device, left.size_bytes))
          left.reason = UnpairedReason::may_be_state;
        report_.unpaired.push_back(left);
      }
    }
    report_.weights.insert(report_.weights.end(), weights.begin(), weights.end());
  }

  /// Groups by stack, or by size if there is none.
  [[nodiscard]] std::uint32_t undeclared_name(const ReportEntry& weight) {
    const StackId stack = state_.blocks[weight.block].stack;
    std::optional<std::uint32_t>& known = weight_names_[stack.value];
    if (known) return *known;
    std::string name = weight_name(state_.frames(), stack, lines_.line_of(weight.device, weight.block));
    if (name.empty()) return names_.id("parameter of " + format_counted(weight.size_bytes, "byte"));
    known = names_.id(std::move(name));
    return *known;
  }

  /// Whether an allocation has a size of MemoryKind::parameter_or_state.
  [[nodiscard]] bool may_be_state(DeviceId device, std::uint64_t size_bytes) {
    if (!undecided_sizes_.contains(device)) {
      std::set<std::uint64_t>& sizes = undecided_sizes_[device];
      for (const ReportEntry& entry : entries_of(device, MemoryKind::parameter_or_state))
        sizes.insert(entry.size_bytes);
    }
    return undecided_sizes_[device].contains(size_bytes);
  }

  void add_activations(DeviceId device, const DeviceRecord* record) {
    std::vector<ReportEntry> activations = entries_of(device, MemoryKind::activation);
    std::optional<OpenMarks> marks;
    if (record != nullptr && !activations.empty()) marks.emplace(*state_.recording, *record);
    for (ReportEntry& activation : activations) {
      const std::string declared = declared_name_of(device, activation.block);
      activation.name.name =
          declared.empty() ? undeclared_operation(activation, marks ? &*marks : nullptr) : names_.id(declared);
    }
    report_.activations.insert(report_.activations.end(), activations.begin(), activations.end());
  }

  [[nodiscard]] std::uint32_t undeclared_operation(const ReportEntry& activation, OpenMarks* marks) {
    const StackId stack = state_.blocks[activation.block].stack;
    std::optional<std::uint32_t>& known = operations_[stack.value];
    if (known) return *known;
    if (std::string name = operation_of(state_.frames(), stack); !name.empty()) {
      known = names_.id(std::move(name));
      return *known;
    }
    const EventIndex born = state_.facts[activation.block].history.alloc_event;
    if (marks != nullptr && !born.is_none())
      if (const auto mark = marks->at(born)) return names_.id(elided(state_.frames().text(*mark), kMostEntryColumns));
    return names_.id(function_of(lines_.line_of(activation.device, activation.block)));
  }

  [[nodiscard]] std::string function_of(const NodeKey& line) const {
    const auto* const frame = std::get_if<FrameId>(&line);
    const std::string name =
        frame == nullptr ? node_label(state_.frames(), line) : short_function(state_.frames().name(*frame));
    return elided(name, kMostEntryColumns);
  }

  const MemoryState& state_;
  std::span<const DeviceRecord> timeline_;
  MemoryReport report_;
  DeclaredNames declared_;
  UserLines lines_;
  NameTable names_;
  std::vector<std::optional<std::uint32_t>> weight_names_; ///< by StackId
  std::vector<std::optional<std::uint32_t>> operations_;   ///< likewise
  std::map<DeviceId, std::set<std::uint64_t>> undecided_sizes_;
};

} // namespace

std::string MemoryReport::name_of(const ReportEntry& entry) const {
  const std::string& name = names[entry.name.name];
  return entry.name.number == 0 ? name : fmt::format("{} #{}", name, entry.name.number);
}

std::string_view unpaired_words(UnpairedReason reason) {
  switch (reason) {
  case UnpairedReason::other_size: return "no weight has this size";
  case UnpairedReason::may_be_state: return "memory of this size may be weights or an optimizer's state";
  case UnpairedReason::more_than_them: return "each weight of this size already has its gradient";
  case UnpairedReason::other_name: return "no weight without a gradient has the declared name";
  }
  return "";
}

MemoryReport memory_report(const MemoryState& state, std::span<const DeviceRecord> timeline,
                           std::optional<DeviceId> device) {
  Reporter reporter(state, timeline);
  for (const DeviceId one : devices_of(state, device))
    reporter.add(one);
  return reporter.finish();
}

} // namespace memviz
