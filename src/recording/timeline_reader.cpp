#include "recording/timeline_reader.hpp"

#include "memviz/format.hpp"
#include "memviz/memory_map.hpp"
#include "recording/file_kind.hpp"
#include "recording/made_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {
namespace {

/// The actions of torch/profiler/_memory_profiler.py.
enum class TimelineAction : std::uint8_t { preexisting = 1, create, increment_version, destroy };

/// One row of the file.
struct Row {
  std::int64_t time_ns = 0; ///< -1 for what existed before
  TimelineAction action = TimelineAction::create;
  bool is_removed = false;
  std::uint64_t size_bytes = 0;
  std::size_t category = 0;
};

/// _CATEGORY_TO_INDEX of the same file; the last is of what it does not know.
constexpr std::array<std::string_view, 8> kCategories{"parameter",  "optimizer_state", "input",           "temporary",
                                                      "activation", "gradient",        "autograd_detail", "unknown"};

constexpr std::size_t kColumns = 4;

std::optional<Row> row_of(const Document& document, Value list) {
  if (list.kind() != Kind::list || document.list_size(list) != kColumns) return std::nullopt;
  std::array<std::int64_t, kColumns> cells{};
  std::size_t count = 0;
  document.for_each(list, [&](Value cell) {
    const auto number = document.as_signed(cell);
    if (number) cells.at(count++) = *number;
    return number.has_value();
  });
  const auto& [time_ns, action, bytes, category] = cells;
  const auto size_bytes = static_cast<std::uint64_t>(bytes < 0 ? -(bytes + 1) : bytes) + (bytes < 0 ? 1 : 0);
  const bool is_possible = count == kColumns && time_ns >= -1 && action >= 1 && action <= 4 && category >= 0 &&
                           static_cast<std::size_t>(category) < kCategories.size() && size_bytes <= kMaxTotalBytes;
  if (!is_possible) return std::nullopt;
  return Row{time_ns, static_cast<TimelineAction>(action), bytes < 0, size_bytes, static_cast<std::size_t>(category)};
}

/// Builds the snapshot. Each block is a segment, because the file does not show what was reserved.
class TimelineMaker {
public:
  explicit TimelineMaker(const Document& timeline) : timeline_(timeline) {}

  [[nodiscard]] ProfilerSnapshot make() {
    timeline_.for_each(timeline_.root, [&](Value list) {
      const auto row = row_of(timeline_, list);
      if (row && row->size_bytes > 0)
        rows_.push_back(*row);
      else
        ++left_out_rows_;
      return true;
    });
    const auto first =
        std::ranges::find_if(rows_, [](const Row& row) { return row.action != TimelineAction::preexisting; });
    if (first != rows_.end()) begin_ns_ = std::max<std::int64_t>(0, first->time_ns);
    for (const Row& row : rows_)
      add(row);
    if (events_.empty()) throw_other_file("a memory timeline of PyTorch's profiler without a block");
    const std::array<Value, 1> traces{list(events_)};
    const Value all_traces = list(traces);
    const Value segments = segment_list();
    made_.document.root = dict({{"segments", segments}, {"device_traces", all_traces}});
    warn();
    return std::move(made_);
  }

private:
  using Item = std::pair<std::string_view, Value>;
  using Blocks = std::map<std::pair<std::uint64_t, std::size_t>, std::vector<std::uint64_t>>; ///< by size, category

  Value dict(std::initializer_list<Item> items) { return made_dict(made_.document, items); }
  Value list(std::span<const Value> values) { return made_list(made_.document, values); }

  void add(const Row& row) {
    if (row.action == TimelineAction::increment_version) {
      change_category(row);
    } else if (row.is_removed) {
      if (const auto address = taken(live_, row)) remove(row, *address);
    } else if (const auto address = new_address(row.size_bytes)) {
      if (row.action == TimelineAction::preexisting) ++older_blocks_;
      add_event(row, Action::segment_alloc, *address);
      add_event(row, Action::alloc, *address);
      live_[{row.size_bytes, row.category}].push_back(*address);
    }
  }

  void remove(const Row& row, std::uint64_t address) {
    add_event(row, Action::free_completed, address);
    add_event(row, Action::segment_free, address);
    free_[row.size_bytes].push_back(address);
  }

  /// A new version of a tensor is two rows: the memory of its old category, then that of its new one.
  void change_category(const Row& row) {
    if (row.is_removed) {
      if (const auto address = taken(live_, row)) changing_[{row.size_bytes, 0}].push_back(*address);
      old_category_ = row.category;
      return;
    }
    Row key_row = row;
    key_row.category = 0;
    const auto address = taken(changing_, key_row);
    if (!address) return;
    live_[{row.size_bytes, row.category}].push_back(*address);
    if (row.category == old_category_) return;
    add_event(row, Action::free_completed, *address);
    add_event(row, Action::alloc, *address);
  }

  /// Returns the latest of the equal blocks of a category; nullopt, which is counted, if there is none.
  std::optional<std::uint64_t> taken(Blocks& from, const Row& row) {
    const auto found = from.find({row.size_bytes, row.category});
    if (found == from.end()) {
      ++left_out_rows_;
      return std::nullopt;
    }
    const std::uint64_t address = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) from.erase(found);
    return address;
  }

  std::optional<std::uint64_t> new_address(std::uint64_t size_bytes) {
    constexpr std::uint64_t kGranule = 512;
    constexpr std::uint64_t kMostAddress = std::uint64_t{1} << 62U;
    if (const auto found = free_.find(size_bytes); found != free_.end() && !found->second.empty()) {
      const std::uint64_t address = found->second.back();
      found->second.pop_back();
      return address;
    }
    if (next_address_ > kMostAddress) {
      ++left_out_rows_;
      return std::nullopt;
    }
    const std::uint64_t address = next_address_;
    next_address_ += (size_bytes + kGranule - 1) / kGranule * kGranule;
    return address;
  }

  void add_event(const Row& row, Action action, std::uint64_t address) {
    constexpr std::int64_t kNsPerUs = 1000;
    Document& document = made_.document;
    const std::int64_t time_ns = row.time_ns < 0 ? begin_ns_ : row.time_ns;
    events_.push_back(made_event(document, action, time_ns / kNsPerUs, {address, row.size_bytes, Value::none()},
                                 kCategories.at(row.category)));
  }

  Value segment_list() {
    std::vector<Value> segments;
    for (const auto& [block, addresses] : live_)
      for (const std::uint64_t address : addresses)
        segments.push_back(made_segment(made_.document, {address, block.first, Value::none()}));
    return list(segments);
  }

  void warn() {
    made_.warnings.emplace_back(
        "read from a memory timeline of PyTorch's profiler: it has sizes, times and categories of blocks, and no "
        "stacks; the device, reserved memory and addresses are unknown, so that segments are made up, one for each "
        "block, of equal blocks of one category the latest counts as freed first, and a change of category counts as a "
        "free and an allocation");
    if (older_blocks_ > 0)
      made_.warnings.push_back(fmt::format("{} from before the profiler began: shown as its first events",
                                           format_counted(older_blocks_, "block is", "blocks are")));
    if (left_out_rows_ > 0)
      made_.warnings.push_back(fmt::format("{} left out: without a block, a time or a size that is possible",
                                           format_counted(left_out_rows_, "row")));
  }

  const Document& timeline_;
  std::vector<Row> rows_;
  std::int64_t begin_ns_ = 0;
  Blocks live_;
  Blocks changing_;
  std::size_t old_category_ = 0;
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_; ///< addresses by size
  std::uint64_t next_address_ = std::uint64_t{1} << 44U;
  std::vector<Value> events_;
  std::uint64_t older_blocks_ = 0;
  std::uint64_t left_out_rows_ = 0;
  ProfilerSnapshot made_;
};

} // namespace

bool is_raw_timeline(const Document& document) {
  return document.root.kind() == Kind::list && row_of(document, first_item(document, document.root)).has_value();
}

ProfilerSnapshot timeline_snapshot(const Document& timeline) {
  return TimelineMaker(timeline).make();
}

} // namespace memviz
