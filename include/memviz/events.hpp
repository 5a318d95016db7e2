#pragma once

// The trace of one device: what the allocator did, oldest first. It is stored by column, because a long recording has
// millions of events and most columns of most files hold one value throughout.

#include "memviz/device_id.hpp"
#include "memviz/event_index.hpp"
#include "memviz/frames.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace memviz {

/// `segment_pool_id`: (0,0) is the default pool, (x,0) a pool made by a graph capture, (0,y) one made by the user.
struct PoolId {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend auto operator<=>(const PoolId&, const PoolId&) = default;
  [[nodiscard]] bool is_private() const { return first != 0 || second != 0; }
};

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  annotate, ///< the program describes a live allocation (PyTorch 2.15); its text is Event::user_metadata
  other,    ///< any action that memviz does not know: kept, but not interpreted
};

/// Returns PyTorch's own spelling; "other" for Action::other, whose text is Event::action_text.
[[nodiscard]] std::string_view action_name(Action action);
[[nodiscard]] Action action_of(std::string_view text);

struct Event {
  Action action = Action::other;
  StringId action_text; ///< the file's own text if the action is Action::other; else empty
  /// Address of the block or segment. An `oom` event has `device_free` instead: the free bytes of the device.
  std::uint64_t address = 0;
  /// Requested bytes for alloc and free_*, actual bytes for segment_*, the rounded request for oom.
  std::uint64_t size_bytes = 0;
  std::int64_t stream = 0;
  std::optional<std::int64_t> time_us; ///< absent before PyTorch 2.2
  StackId stack = kNoFrames;
  StringId compile_context;
  StringId user_metadata;
  std::optional<PoolId> pool;        ///< only written in 2026
  StackId forward_stack = kNoFrames; ///< `forward_frames` (2026): frames with a name only, as in the file
  StringId internal_metadata;        ///< PyTorch's own tag of an allocation (2026)
};

/// Receives the events of a snapshot while it is read, for code that needs only a summary of them and need not keep
/// them.
class EventSink {
public:
  virtual ~EventSink() = default;
  /// Called before the first events, with the table that holds the stacks and texts of all events to come, and outlives
  /// them.
  virtual void begin(const FrameTable& /*frames*/) {}
  /// Takes the next events of `device`, oldest first, after those of earlier calls. The traces of several devices come
  /// one after the other. An exception ends the reading. Errors in the events must be reported later, because restart()
  /// may discard them.
  virtual void take(DeviceId device, std::span<const Event> events) = 0;
  /// Discards everything received: the reader starts again from the first event.
  virtual void restart() = 0;
};

/// A list of values in chunks that never move, so that millions of them do not take twice their memory while the list
/// grows.
template <class T> class ChunkedColumn {
public:
  void push_back(const T& value) {
    if (chunks_.empty() || chunks_.back().size() == kChunk) {
      chunks_.emplace_back();
      if (chunks_.size() > 1) chunks_.back().reserve(kChunk);
    }
    chunks_.back().push_back(value);
  }
  [[nodiscard]] const T& operator[](std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }
  [[nodiscard]] std::size_t size() const noexcept {
    return chunks_.empty() ? 0 : (chunks_.size() - 1) * kChunk + chunks_.back().size();
  }
  [[nodiscard]] bool empty() const noexcept { return chunks_.empty(); }

private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;
  std::vector<std::vector<T>> chunks_; ///< all except the last have kChunk values
};

/// A vector that stores nothing while every value pushed equals the first one.
template <class T> class Column {
public:
  void push_back(const T& value) {
    if (values_.empty()) {
      if (size_ == 0) first_ = value;
      if (value == first_) {
        ++size_;
        return;
      }
      for (std::size_t i = 0; i < size_; ++i)
        values_.push_back(first_);
    }
    values_.push_back(value);
    ++size_;
  }
  [[nodiscard]] T operator[](std::size_t index) const { return values_.empty() ? first_ : values_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  T first_{};
  std::size_t size_ = 0;
  ChunkedColumn<T> values_;
};

class EventTable {
public:
  void push(const Event& event);
  [[nodiscard]] Event operator[](std::size_t index) const;
  [[nodiscard]] std::size_t size() const noexcept { return actions_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  // The columns that a replay or a search needs, read without building an Event.
  [[nodiscard]] Action action(std::size_t index) const { return actions_[index]; }
  [[nodiscard]] std::uint64_t address(std::size_t index) const { return addresses_[index]; }
  [[nodiscard]] std::uint64_t size_bytes(std::size_t index) const { return sizes_[index]; }
  [[nodiscard]] StackId stack(std::size_t index) const { return stacks_[index]; }
  [[nodiscard]] StackId forward_stack(std::size_t index) const { return forward_stacks_[index]; }
  [[nodiscard]] StringId action_text(std::size_t index) const { return action_texts_[index]; }
  [[nodiscard]] StringId compile_context(std::size_t index) const { return compile_contexts_[index]; }
  [[nodiscard]] StringId user_metadata(std::size_t index) const { return user_metadata_[index]; }
  [[nodiscard]] StringId internal_metadata(std::size_t index) const { return internal_metadata_[index]; }

private:
  friend class EventTableReader; ///< of a page's columns

  ChunkedColumn<Action> actions_;
  ChunkedColumn<std::uint64_t> addresses_;
  ChunkedColumn<std::uint64_t> sizes_;
  ChunkedColumn<StackId> stacks_;
  Column<StringId> action_texts_;
  Column<std::int64_t> streams_;
  Column<std::int64_t> times_;    ///< 0 where there is none
  Column<std::uint8_t> has_time_; ///< 1, or 0
  Column<StringId> compile_contexts_;
  Column<StringId> user_metadata_;
  Column<std::uint64_t> first_pool_ids_;  ///< PoolId::first; 0 where there is none
  Column<std::uint64_t> second_pool_ids_; ///< PoolId::second
  Column<std::uint8_t> has_pool_;         ///< 1, or 0
  Column<StackId> forward_stacks_;
  Column<StringId> internal_metadata_;
};

} // namespace memviz
