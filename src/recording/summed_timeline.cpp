#include "recording/summed_timeline.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/memory_map.hpp"
#include "recording/file_kind.hpp"
#include "recording/made_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

/// _CATEGORY_TO_INDEX of torch/profiler/_memory_profiler.py, as the legend of its picture names them, and as the
/// metadata of events do.
struct SummedCategory {
  std::string_view name;
  std::string_view metadata;
};
constexpr std::array<SummedCategory, 8> kSummedCategories{{{"PARAMETER", "parameter"},
                                                           {"OPTIMIZER_STATE", "optimizer_state"},
                                                           {"INPUT", "input"},
                                                           {"TEMPORARY", "temporary"},
                                                           {"ACTIVATION", "activation"},
                                                           {"GRADIENT", "gradient"},
                                                           {"AUTOGRAD_DETAIL", "autograd_detail"},
                                                           {"Unknown", "unknown"}}};
constexpr std::size_t kSumColumns =
    kSummedCategories.size() + 1; ///< the first is 0, where the picture's lowest band begins

using SumsByCategory = std::array<std::uint64_t, kSummedCategories.size()>;

/// A piece of a category's curve: `begin` to `end` bytes high, while the sum is above it.
struct SumLayer {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t category = 0;
  std::size_t first_step = 0;
  std::optional<std::size_t> last_step; ///< in which the sum has fallen below it

  [[nodiscard]] std::uint64_t size_bytes() const { return end - begin; }
};

/// The curve of one category, by steps, as layers.
class SumCurve {
public:
  void set(std::uint64_t bytes, std::size_t category, std::size_t step, std::vector<SumLayer>& layers) {
    while (bytes < height_)
      lower(bytes, step, layers);
    if (bytes == height_) return;
    open_.push_back(layers.size());
    layers.push_back({height_, bytes, category, step, {}});
    height_ = bytes;
    most_bytes_ = std::max(most_bytes_, bytes);
  }

  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }

private:
  /// Ends the highest layer, or the part of it above `bytes`, which then was a layer from its beginning.
  void lower(std::uint64_t bytes, std::size_t step, std::vector<SumLayer>& layers) {
    SumLayer& top = layers[open_.back()];
    height_ = std::max(bytes, top.begin);
    if (height_ == top.begin) {
      top.last_step = step;
      open_.pop_back();
      return;
    }
    SumLayer ended = top;
    ended.begin = height_;
    ended.last_step = step;
    top.end = height_;
    layers.push_back(ended);
  }

  std::uint64_t height_ = 0;
  std::uint64_t most_bytes_ = 0;
  std::vector<std::size_t> open_;
};

template <class Visit> void for_each_of(const Document& document, Value list, Visit visit) {
  document.for_each(list, [&](Value item) {
    visit(item);
    return true;
  });
}

std::vector<Value> listed_items(const Document& document, Value list) {
  std::vector<Value> items;
  for_each_of(document, list, [&](Value item) { items.push_back(item); });
  return items;
}

class SummedTimeline {
public:
  SummedTimeline(const Document& timeline, std::uint64_t file_bytes)
      : timeline_(timeline), most_events_(file_bytes / kBytesPerEvent + kFreeEvents) {}

  [[nodiscard]] ProfilerSnapshot make() {
    read();
    if (layers_.empty())
      throw_other_file(left_out_rows_ > 0
                           ? "a memory timeline of PyTorch's profiler without the sums of eight categories"
                           : "a memory timeline of PyTorch's profiler without memory");
    for (const SummedCategory& category : kSummedCategories)
      add_frames(category);
    place_categories();
    const std::array<Value, 1> traces{event_list()};
    const Value all_traces = made_list(made_.document, traces);
    const Value segments = segment_list();
    made_.document.root = made_dict(made_.document, {{"segments", segments}, {"device_traces", all_traces}});
    warn();
    return std::move(made_);
  }

private:
  static constexpr std::uint64_t kEventsPerLayer = 4; ///< of its segment and of itself
  /// A step has at least 47 bytes as json.dump() writes it, and changes one or two sums.
  static constexpr std::uint64_t kBytesPerEvent = 3;
  static constexpr std::uint64_t kFreeEvents = 1024;

  void read() {
    const std::vector<Value> halves = listed_items(timeline_, timeline_.root);
    const std::vector<Value> times = listed_items(timeline_, halves.at(0));
    std::size_t row = 0;
    for_each_of(timeline_, halves.at(1), [&](Value sums) {
      const auto time_us = row < times.size() ? timeline_.as_signed(times[row]) : std::nullopt;
      const auto sums_bytes = sums_of(sums);
      ++row;
      if (time_us && sums_bytes)
        add_step(std::max<std::int64_t>(0, *time_us), *sums_bytes);
      else
        ++left_out_rows_;
    });
    left_out_rows_ += times.size() > row ? times.size() - row : 0;
  }

  std::optional<SumsByCategory> sums_of(Value list) {
    if (list.kind() != Kind::list || timeline_.list_size(list) != kSumColumns) return std::nullopt;
    SumsByCategory sums{};
    std::size_t column = 0;
    bool is_possible = true;
    for_each_of(timeline_, list, [&](Value cell) {
      const auto bytes = timeline_.as_signed(cell);
      is_possible = is_possible && bytes && *bytes <= static_cast<std::int64_t>(kMaxTotalBytes / kSumColumns);
      if (is_possible && column > 0) {
        if (*bytes < 0) ++negative_sums_;
        sums.at(column - 1) = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *bytes));
      }
      ++column;
    });
    return is_possible ? std::optional(sums) : std::nullopt;
  }

  void add_step(std::int64_t time_us, const SumsByCategory& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      curves_.at(i).set(sums.at(i), i, times_us_.size(), layers_);
    if (layers_.size() > most_events_ / kEventsPerLayer)
      throw Error("expected a memory timeline of PyTorch's profiler, found more changes than its bytes have room for");
    times_us_.push_back(time_us);
  }

  Value text(std::string_view literal) { return made_.document.add_text(literal); }

  void add_frames(const SummedCategory& category) {
    const std::array<Value, 1> frames{made_dict(
        made_.document, {{"name", text(category.name)}, {"filename", text("")}, {"line", Value::integer(0)}})};
    frames_.push_back(made_list(made_.document, frames));
  }

  void place_categories() {
    constexpr std::uint64_t kAlignment = std::uint64_t{1} << 21U;
    std::uint64_t address = std::uint64_t{1} << 44U;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      addresses_.at(i) = address;
      address += (curves_.at(i).most_bytes() / kAlignment + 1) * kAlignment;
    }
  }

  [[nodiscard]] MadeBlock block_of(const SumLayer& layer) const {
    return {addresses_.at(layer.category) + layer.begin, layer.size_bytes(), frames_.at(layer.category)};
  }

  void add_events(Value events, std::size_t step, const SumLayer& layer, std::array<Action, 2> actions) {
    for (const Action action : actions) {
      const std::array<Value, 1> event{made_event(made_.document, action, times_us_[step], block_of(layer),
                                                  kSummedCategories.at(layer.category).metadata)};
      made_.document.append(events, event);
    }
  }

  /// Returns the events of all layers: in a step first what is freed, so that none is higher than the file's sums.
  Value event_list() {
    std::vector<std::size_t> begun(layers_.size());
    std::vector<std::size_t> ended;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      begun[i] = i;
      if (layers_[i].last_step) ended.push_back(i);
    }
    std::ranges::stable_sort(begun, {}, [&](std::size_t i) { return layers_[i].first_step; });
    std::ranges::stable_sort(ended, {}, [&](std::size_t i) { return *layers_[i].last_step; });
    const Value events = made_.document.add_list();
    std::size_t freed = 0;
    const auto free_until = [&](std::size_t step) {
      for (; freed < ended.size() && *layers_[ended[freed]].last_step <= step; ++freed) {
        const SumLayer& layer = layers_[ended[freed]];
        add_events(events, *layer.last_step, layer, {Action::free_completed, Action::segment_free});
      }
    };
    for (const std::size_t i : begun) {
      free_until(layers_[i].first_step);
      add_events(events, layers_[i].first_step, layers_[i], {Action::segment_alloc, Action::alloc});
    }
    free_until(times_us_.size());
    return events;
  }

  Value segment_list() {
    std::vector<Value> segments;
    for (const SumLayer& layer : layers_)
      if (!layer.last_step) segments.push_back(made_segment(made_.document, block_of(layer)));
    return made_list(made_.document, segments);
  }

  void warn() {
    made_.warnings.emplace_back(
        "read from a memory timeline of PyTorch's profiler that has sums by category: it has no blocks and no stacks, "
        "so that the category is the only frame, a block is a growth of its sum, and the latest shrinks first; the "
        "device, reserved memory and addresses are unknown, and segments are made up, one for each block");
    if (times_us_.size() > 1 && times_us_[0] == times_us_[1])
      made_.warnings.emplace_back("the first sums are of memory from before the profiler began");
    if (negative_sums_ > 0)
      made_.warnings.push_back(
          fmt::format("{} below zero counted as zero", format_counted(negative_sums_, "sum is", "sums are")));
    if (left_out_rows_ > 0)
      made_.warnings.push_back(
          fmt::format("{} left out: without a time or sums that are possible", format_counted(left_out_rows_, "row")));
  }

  const Document& timeline_;
  std::uint64_t most_events_;
  std::array<SumCurve, kSummedCategories.size()> curves_;
  std::array<std::uint64_t, kSummedCategories.size()> addresses_{};
  std::vector<SumLayer> layers_;
  std::vector<std::int64_t> times_us_; ///< by step
  std::vector<Value> frames_;          ///< by category
  std::uint64_t negative_sums_ = 0;
  std::uint64_t left_out_rows_ = 0;
  ProfilerSnapshot made_;
};

} // namespace

bool is_summed_timeline(const Document& document) {
  const Value root = document.root;
  if (root.kind() != Kind::list || document.list_size(root) != 2) return false;
  const std::vector<Value> halves = listed_items(document, root);
  if (halves[0].kind() != Kind::list || halves[1].kind() != Kind::list) return false;
  const Value sums = first_item(document, halves[1]);
  return document.as_signed(first_item(document, halves[0])) && sums.kind() == Kind::list &&
         document.as_signed(first_item(document, sums));
}

ProfilerSnapshot summed_timeline_snapshot(const Document& timeline, std::uint64_t file_bytes) {
  return SummedTimeline(timeline, file_bytes).make();
}

} // namespace memviz
