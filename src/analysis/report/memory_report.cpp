#include "memviz/memory_report.hpp"

#include "analysis/report/declared_names.hpp"
#include "analysis/report/entry_names.hpp"
#include "analysis/report/gradients.hpp"
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
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace memviz {

namespace {

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
