#include "formats/recording_rows.hpp"

#include "analysis/tree/user_lines.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "export/text_limit.hpp"
#include "formats/described_tables.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/label.hpp"
#include "story/keeper_words.hpp"

#include <string>
#include <variant>
#include <vector>

namespace memviz {

namespace {

bool has_notes(const Event& event) {
  for (const StringId text : {event.action_text, event.user_metadata, event.internal_metadata})
    if (text != kEmptyString) return true;
  return event.forward_stack != kNoFrames;
}

/// Writes rows for the memory that is live at the moment of the state, by the user's lines.
class LiveRows {
public:
  LiveRows(TableRows& rows, const MemoryState& state)
      : state_(state), lines_(state), labels_(state.frames().frame_count()), rows_(rows) {}

  void add(std::optional<DeviceId> device) {
    for (const Segment& segment : state_.segments_of(device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active()) add(segment.device, i);
    for (const DeviceState& of_device : state_.devices_of(device))
      for (const OutsideMemory& outside : of_device.outside)
        write_row(rows_, kLiveTable,
                  {++id_, of_device.device, std::nullopt, outside.requested_bytes, outside.stack, outside.alloc_event,
                   KindOf(), label(lines_.line_of(of_device.device, outside))});
  }

private:
  void add(DeviceId device, std::uint32_t index) {
    const Block& block = state_.blocks[index];
    const BlockFacts& facts = state_.facts[index];
    write_row(rows_, kLiveTable,
              {++id_, device, block.address, block.requested_bytes, block.stack, facts.history.alloc_event, facts.kind,
               label(lines_.line_of(device, index))});
  }

  [[nodiscard]] const std::string& label(const NodeKey& line) {
    const auto* const frame = std::get_if<FrameId>(&line);
    std::string& known = frame == nullptr ? other_ : labels_[frame->value];
    if (frame == nullptr || known.empty()) known = elided(node_label(state_.frames(), line), kMostColumns);
    return known;
  }

  static constexpr std::size_t kMostColumns = 200;

  const MemoryState& state_;
  UserLines lines_;
  std::vector<std::string> labels_; ///< by FrameId, for those used
  std::string other_;
  TableRows& rows_;
  std::int64_t id_ = 0;
};

/// Writes rows for the blocks in use at the end, with the variables that keep them.
class KeeperRows {
public:
  KeeperRows(TableRows& rows, const Recording& recording)
      : recording_(recording), answers_(recording), texts_(answers_.paths().paths.size()),
        limit_(recording.origin.size_bytes, "--device writes fewer keepers"), rows_(rows) {}

  void add(std::optional<DeviceId> only) {
    for (const DeviceId device : recording_.devices()) {
      if (is_host(device) || (only && *only != device)) continue;
      const BlockKeepers keepers = answers_.of_blocks(device);
      std::vector<std::string> names;
      for (const KeptVariable& variable : keepers.variables)
        names.push_back(variable_text(recording_.frames, variable));
      for (const Segment& segment : recording_.end.segments_of(device))
        for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
          if (recording_.end.blocks[i].is_active()) add(device, i, keepers, names);
    }
  }

private:
  struct PathText {
    std::string root;
    std::string path;
  };

  void add(DeviceId device, std::uint32_t index, const BlockKeepers& keepers, const std::vector<std::string>& names) {
    const Block& block = recording_.end.blocks[index];
    const PathId path = answers_.paths().path_of_block[index];
    const PathText& text = text_of(path);
    const std::optional<std::uint32_t>& variable = keepers.variable_of_block[index];
    limit_.add(text.root.size() + text.path.size() + (variable ? names[*variable].size() : 0));
    write_row(rows_, kKeeperTable,
              {++id_, device, &block, variable ? &names[*variable] : nullptr, text.root, text.path,
               answers_.paths().paths[path.value].is_in_graph,
               variable ? std::optional(keepers.variables[*variable].retained_bytes) : std::nullopt});
  }

  const PathText& text_of(PathId path) {
    PathText& text = texts_[path.value];
    if (text.root.empty()) {
      const std::vector<KeeperStep> steps = answers_.paths().steps_of(path);
      text = {keeper_root_text(recording_.frames, steps.front()), keeper_path_text(recording_.frames, steps)};
    }
    return text;
  }

  const Recording& recording_;
  KeeperAnswers answers_;
  std::vector<PathText> texts_; ///< by path, for those used
  TextLimit limit_;
  TableRows& rows_;
  std::int64_t id_ = 0;
};

} // namespace

std::string column_text(std::string_view text) {
  constexpr std::size_t kMostBytes = 65536;
  if (text.size() <= kMostBytes) return printable(text);
  return printable(beginning_of(text, kMostBytes)) + "...";
}

void EventRows::take(DeviceId device, std::span<const Event> events) {
  if (only_ && *only_ != device) return;
  // The traces of several devices come one after the other.
  if (current_ != device) index_ = 0;
  current_ = device;
  for (const Event& event : events) {
    add(device, event);
    ++index_;
  }
}

void EventRows::add(DeviceId device, const Event& event) {
  const EventRow row{device, index_, &event};
  if (events_ != nullptr) write_row(*events_, kEventTable, row);
  if (notes_ != nullptr && has_notes(event)) write_row(*notes_, kNoteTable, row);
}

void write_device_rows(TableRows& rows, const MemoryState& state, std::optional<DeviceId> device) {
  for (const DeviceState& device_state : state.devices_of(device))
    write_row(rows, kDeviceTable, device_state);
}

void write_segment_rows(TableRows& rows, const MemoryMap& memory, std::optional<DeviceId> device) {
  std::int64_t id = 0;
  for (const Segment& segment : memory.segments_of(device))
    write_row(rows, kSegmentTable, {++id, &segment});
}

void write_block_rows(TableRows& rows, const MemoryMap& memory, std::optional<DeviceId> device) {
  std::int64_t segment_id = 0;
  std::int64_t id = 0;
  for (const Segment& segment : memory.segments_of(device)) {
    ++segment_id;
    for (const Block& block : memory.blocks_of(segment))
      write_row(rows, kBlockTable, {++id, segment_id, segment.device, &block});
  }
}

void write_live_rows(TableRows& rows, const MemoryState& state, std::optional<DeviceId> device) {
  LiveRows(rows, state).add(device);
}

void write_keeper_rows(TableRows& rows, const Recording& recording, std::optional<DeviceId> device) {
  if (recording.keepers.is_recorded) KeeperRows(rows, recording).add(device);
}

void write_text_rows(TableRows& rows, const FrameTable& frames) {
  for (std::uint32_t id = 0; id < frames.string_count(); ++id)
    write_row(rows, kTextTable, {id, column_text(frames.text({id}))});
}

} // namespace memviz
