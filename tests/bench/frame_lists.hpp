#pragma once

// Lists of frames -> the pickle: the whole list where it occurs first, a reference after that.

#include "device.hpp"
#include "pickler.hpp"
#include "program.hpp"
#include "snapshot_writer.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace memviz::bench {

class FrameLists {
public:
  FrameLists(Shape shape, const Program& program, Pickler& pickler);

  /// Told of each event before anything is written: what occurs once is not worth a place in the memo of the C++
  /// writer.
  void count(const Event& event);
  void end_counting();

  /// The list that this event has under `frames`; nullopt where it has none.
  [[nodiscard]] std::optional<List> list_of(const Event& event) const;

  /// The frames of a block or a segment, which come before the events.
  void write_kept(const List& list);
  /// The frames of an event, in the order of the events.
  void write(const Event& event, const List& list);

private:
  struct Recent {
    std::uint64_t born = 0;
    Shared place;
  };
  static constexpr std::size_t kRecent =
      4096; ///< so many events after a list was made, nothing but a free refers to it

  Shared write_list(Shared place, std::uint32_t stack);

  Shape shape_;
  const Program& program_;
  Pickler& pickler_;
  std::vector<std::uint64_t> lists_of_stack_;
  std::vector<bool> is_frame_shared_;
  std::vector<Shared> frames_;
  std::vector<Shared> stacks_;                     ///< Shape::shared
  std::unordered_map<std::uint64_t, Shared> kept_; ///< those of blocks and segments, by birth
  std::vector<Recent> recent_;
  std::vector<Shared> allocations_; ///< Shape::alloc: of what lives in each slot, now that the events are written
  Shared empty_;
  SharedText name_{"name"};
  SharedText filename_{"filename"};
  SharedText line_{"line"};
};

} // namespace memviz::bench
