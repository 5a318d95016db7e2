#include "segments/board_data.hpp"

#include "page/frame_list.hpp"
#include "page/frame_paints.hpp"
#include "page/keeper_texts.hpp"
#include "page/shown_frames.hpp"
#include "page/text_fit.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz::render {
namespace {

/// Sizes are written in this unit if all sizes of a segment are multiples of it: the allocator's own granularity.
constexpr std::uint64_t kUnit = 512;

/// Stacks as paths of one tree, outermost frame first: "7:3" is frame 3 called by the seventh entry, and ":3" is frame
/// 3 without a caller.
class StackTree {
public:
  explicit StackTree(FrameList& frames) : frames_(frames) {}

  /// Returns the entry at which the stack ends, plus one; 0 for none.
  [[nodiscard]] std::size_t add(std::span<const FrameId> stack) {
    std::size_t node = 0;
    for (std::size_t i = stack.size(); i-- > 0;) {
      const auto [entry, is_new] = nodes_.try_emplace({node, stack[i]}, nodes_.size() + 1);
      if (is_new) {
        const std::string caller = node == 0 ? "" : std::to_string(node - 1);
        fmt::format_to(std::back_inserter(text_), "{}{}:{}", text_.empty() ? "" : " ", caller,
                       frames_.index_of(stack[i]));
      }
      node = entry->second;
    }
    return node;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

private:
  FrameList& frames_;
  std::map<std::pair<std::size_t, FrameId>, std::size_t> nodes_;
  std::string text_;
};

class DataWriter {
public:
  DataWriter(XmlElement data, const BoardData& source)
      : data_(data), source_(source), shown_(source.state.frames()), stacks_(frames_) {
    if (source.colouring.keepers) keepers_.emplace(source.state.frames(), source.colouring.keepers->table);
  }

  void write(const Board& board) {
    for (const BoardPlace& place : board.places)
      write_place(place);
    XmlElement classes = data_.child("classes");
    for (const std::uint32_t index : used_classes_) {
      const BlockClass& entry = source_.colouring.classes[index];
      XmlElement drawn = classes.child("c").set("n", entry.label.name).set("p", entry.label.place);
      drawn.set("c", entry.paint->name);
      if (!entry.kinds.empty()) drawn.set("k", entry.kinds);
    }
    data_.child("stacks").text(stacks_.text());
    if (notes_.empty()) return;
    XmlElement notes = data_.child("notes");
    for (const std::string& note : notes_)
      notes.child("t").text(note);
  }

  void write_frames(XmlElement svg) const {
    const FrameTable& frames = source_.state.frames();
    frames_.write(svg, frames, source_.origins, FramePaints(frames, source_.origins), source_.max_bytes);
  }

private:
  void write_place(const BoardPlace& place) {
    XmlElement element = data_.child("place").set("n", place_name(source_.state, place)).set("t", place_text(place));
    if (place.is_closed) element.set("closed", "1");
    if (const Paint* const paint = place_paint(place)) element.set("c", paint->name);
    const Moment& at = moment_of(place.place.device);
    if (!at.event.is_none()) element.set("e", at.event.value());
    for (const BoardBand& band : place.bands) {
      XmlElement drawn = element.child("band").set("t", band_text(source_.state, band));
      for (const Cell& cell : band.cells)
        write_cell(drawn, cell);
    }
  }

  void write_cell(XmlElement band, const Cell& cell) {
    const Segment& segment = source_.state.segments[cell.segment];
    const Moment& at = moment_of(segment.device);
    XmlElement element = band.child("cell").set("a", format_address(segment.address)).set("b", segment.total_bytes);
    if (segment.is_expandable) element.set("x", "1");
    if (cell.count > 1) element.set("n", cell.count);
    are_items_named_ = cell.count == 1; // segments that look alike have other items
    const bool has_units =
        std::ranges::all_of(cell.pieces, [](const Piece& piece) { return piece.size_bytes % kUnit == 0; });
    const std::uint64_t unit = has_units ? kUnit : 1;
    element.set("u", unit);
    std::string text;
    for (const Piece& piece : cell.pieces)
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : " ", piece_text(piece, unit, at));
    element.text(text);
  }

  [[nodiscard]] const Moment& moment_of(DeviceId device) const {
    static const Moment unknown;
    const DeviceState* const device_state = source_.state.device_at(device);
    return device_state == nullptr ? unknown : device_state->moment;
  }

  /// ",USES,AGE,NOTES": how often the address was used before, for how many microseconds the block has lived, and the
  /// numbers of its texts, of its keeper with its items and from events, separated by ';'.
  [[nodiscard]] std::string birth_text(std::uint32_t block, const Moment& at) {
    const std::optional<BlockBirth>& birth = source_.state.facts[block].birth;
    const std::string keeper = keeper_note(block);
    if (!birth) return keeper.empty() ? "" : ",,," + keeper;
    const bool has_age = birth->time_us && at.time_us && *birth->time_us <= *at.time_us;
    std::string text = "," + (birth->earlier_uses == 0 ? "" : std::to_string(birth->earlier_uses)) + ",";
    if (has_age)
      text += std::to_string(static_cast<std::uint64_t>(*at.time_us) - static_cast<std::uint64_t>(*birth->time_us));
    const std::string notes = notes_on(*birth);
    text += "," + keeper + (keeper.empty() || notes.empty() ? "" : ";") + notes;
    text.resize(text.find_last_not_of(',') + 1);
    return text;
  }

  /// Returns the number of the note about the keeper of a block, and item_numbers(): "5:3"; "" if keepers are unknown.
  [[nodiscard]] std::string keeper_note(std::uint32_t block) {
    if (!keepers_) return "";
    const BlockPath& kept = source_.colouring.keepers->path_of_block[block];
    std::string number = std::to_string(note_number(keepers_->texts()[keepers_->number_of(kept.path)]));
    if (!are_items_named_) return number;
    return number + item_numbers(source_.state.frames(), source_.colouring.keepers->table.paths.items_until(kept.item),
                                 [this](const std::string& name) { return note_number(name); });
  }

  [[nodiscard]] std::size_t note_number(const std::string& note) {
    const auto [entry, is_new] = note_numbers_.try_emplace(note, notes_.size());
    if (is_new) notes_.push_back(note);
    return entry->second;
  }

  /// Returns the program's own text for a block, and the innermost frame of its forward pass, for a block of the
  /// backward pass.
  [[nodiscard]] std::string notes_on(const BlockBirth& birth) {
    constexpr std::size_t kMostForward = 8;
    const FrameTable& frames = source_.state.frames();
    std::string numbers;
    const auto add = [&](const std::string& note) {
      numbers += (numbers.empty() ? "" : ";") + std::to_string(note_number(note));
    };
    for (const StringId annotation : birth.annotations)
      add("annotated: " + annotation_text(frames.text(annotation)));
    const std::span<const FrameId> forward = frames.stack(birth.forward_stack);
    for (const FrameId frame : forward.first(std::min(forward.size(), kMostForward)))
      add("forward: " + annotation_text(frames.name(frame)));
    return numbers;
  }

  /// A free part "=SIZE", a part that no block covers "!SIZE", several "*SIZE,USED,BLOCKS,HOLES,CLASS"; a block
  /// "SIZE,ROUNDING,CLASS,STACK,EVENT" and birth_text(), after "~" if it waits to be freed. SIZE counts units.
  std::string piece_text(const Piece& piece, std::uint64_t unit, const Moment& at) {
    const std::uint64_t size = piece.size_bytes / unit;
    switch (piece.kind) {
    case PieceKind::hole: return fmt::format("={}", size);
    case PieceKind::unaccounted: return fmt::format("!{}", size);
    case PieceKind::smaller:
      return fmt::format("*{},{},{},{},{}", size, piece.used_bytes, piece.blocks, piece.holes,
                         piece.blocks == 0 ? "" : std::to_string(class_of(piece.block)));
    case PieceKind::block: break;
    }
    const Block& block = source_.state.blocks[piece.block];
    const std::size_t node = stack_node(block.stack);
    const EventIndex event = source_.state.facts[piece.block].history.alloc_event;
    return fmt::format("{}{},{},{},{},{}{}", block.state == BlockState::active_pending_free ? "~" : "", size,
                       block.rounding_bytes(), class_of(piece.block), node == 0 ? "" : std::to_string(node - 1),
                       event.is_none() ? "" : std::to_string(event.value()), birth_text(piece.block, at));
  }

  std::size_t stack_node(StackId id) {
    const auto [entry, is_new] = stack_nodes_.try_emplace(id);
    if (is_new) {
      entry->second = stacks_.add(shown_.of(id, source_.most_frames));
    }
    return entry->second;
  }

  /// Returns the number of its class among those that are written.
  std::size_t class_of(std::uint32_t block) {
    const std::uint32_t index = source_.colouring.of_block[block];
    const auto [entry, is_new] = class_numbers_.try_emplace(index, used_classes_.size());
    if (is_new) used_classes_.push_back(index);
    return entry->second;
  }

  XmlElement data_;
  const BoardData& source_;
  ShownFrames shown_;
  FrameList frames_{"board-frames"};
  StackTree stacks_;
  std::map<StackId, std::size_t> stack_nodes_;
  std::map<std::uint32_t, std::size_t> class_numbers_;
  std::vector<std::uint32_t> used_classes_;
  std::map<std::string, std::size_t> note_numbers_;
  std::vector<std::string> notes_;
  std::optional<KeeperTexts> keepers_;
  bool are_items_named_ = true;
};

} // namespace

void write_board_data(XmlElement svg, const BoardData& data, const Board& board) {
  DataWriter writer(svg.child("metadata").set("id", "board-data").set("data-column-width", 12 * kMonoEm), data);
  writer.write(board);
  writer.write_frames(svg);
}

} // namespace memviz::render
