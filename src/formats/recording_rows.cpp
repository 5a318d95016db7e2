#include "formats/recording_rows.hpp"

#include "analysis/tree/user_lines.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "export/text_limit.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/keeper_words.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/moment_words.hpp"

#include <string>
#include <variant>
#include <vector>

namespace memviz {

namespace {

std::optional<std::uint32_t> id_or_none(StringId text) {
  return text == kEmptyString ? std::nullopt : std::optional(text.value);
}

std::optional<std::uint32_t> id_or_none(StackId frames) {
  return frames == kNoFrames ? std::nullopt : std::optional(frames.value);
}

/// Returns a null pointer if the pool is unknown.
const std::uint64_t* pool_part(const Event& event, std::uint64_t PoolId::*part) {
  return event.pool ? &(*event.pool.*part) : nullptr;
}

bool has_notes(const Event& event) {
  for (const StringId text : {event.action_text, event.user_metadata, event.internal_metadata})
    if (text != kEmptyString) return true;
  return event.forward_stack != kNoFrames;
}

std::optional<std::int64_t> number_of(EventIndex event) {
  return event.is_none() ? std::nullopt : std::optional(event.number());
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
        rows_.row(++id_, device_number(of_device.device), std::optional<Wide<std::uint64_t>>(), outside.requested_bytes,
                  id_or_none(outside.stack), number_of(outside.alloc_event), kind_name(MemoryKind::unknown),
                  evidence_name(KindEvidence::none), label(lines_.line_of(of_device.device, outside)));
  }

private:
  void add(DeviceId device, std::uint32_t index) {
    const Block& block = state_.blocks[index];
    rows_.row(++id_, device_number(device), std::optional(Wide{block.address}), block.requested_bytes,
              id_or_none(block.stack), number_of(state_.facts[index].history.alloc_event),
              kind_name(state_.facts[index].kind.kind), evidence_name(state_.facts[index].kind.evidence),
              label(lines_.line_of(device, index)));
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
    rows_.row(++id_, device_number(device), Wide{block.address}, block.requested_bytes,
              variable ? std::optional(names[*variable]) : std::nullopt, text.root, text.path,
              answers_.paths().paths[path.value].is_in_graph,
              variable ? std::optional(keepers.variables[*variable].retained_bytes) : std::nullopt);
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
  if (events_ != nullptr)
    events_->row(device_number(device), index_, action_name(event.action), Wide{event.address}, event.size_bytes,
                 Wide{event.stream}, event.time_us, id_or_none(event.stack), pool_part(event, &PoolId::first),
                 pool_part(event, &PoolId::second), id_or_none(event.compile_context));
  if (notes_ != nullptr && has_notes(event))
    notes_->row(device_number(device), index_, id_or_none(event.action_text), id_or_none(event.user_metadata),
                id_or_none(event.internal_metadata), id_or_none(event.forward_stack));
}

void write_device_rows(TableRows& rows, const MemoryState& state, std::optional<DeviceId> device) {
  for (const DeviceState& device_state : state.devices_of(device))
    rows.row(device_number(device_state.device), device_name(device_state), device_state.figures.events,
             device_state.figures.baseline_bytes, device_state.figures.peak_requested_bytes,
             number_of(device_state.peak_event), moment_text(device_state));
}

void write_segment_rows(TableRows& rows, const MemoryMap& memory, std::optional<DeviceId> device) {
  std::int64_t id = 0;
  for (const Segment& segment : memory.segments_of(device))
    rows.row(++id, device_number(segment.device), Wide{segment.address}, segment.total_bytes, Wide{segment.stream},
             segment.pool.first, segment.pool.second, segment.is_expandable, segment.is_large,
             id_or_none(segment.stack));
}

void write_block_rows(TableRows& rows, const MemoryMap& memory, std::optional<DeviceId> device) {
  std::int64_t segment_id = 0;
  std::int64_t id = 0;
  for (const Segment& segment : memory.segments_of(device)) {
    ++segment_id;
    for (const Block& block : memory.blocks_of(segment))
      rows.row(++id, segment_id, device_number(segment.device), Wide{block.address}, block.size_bytes,
               block.requested_bytes, state_name(block.state), id_or_none(block.stack));
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
    rows.row(id, column_text(frames.text({id})));
}

} // namespace memviz
