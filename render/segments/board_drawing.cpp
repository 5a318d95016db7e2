#include "segments/board_drawing.hpp"

#include "page/palette.hpp"
#include "page/text_fit.hpp"
#include "web/embedded.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace memviz::render {
namespace {

// web/state/drawing.js draws by the same rules.
constexpr double kCharacterWidth = 12 * kMonoEm;
constexpr double kPadding = 4;
constexpr double kBaseline = 13;
constexpr double kNarrowBlock = 1.2; ///< neighbours narrower than this are drawn as one
constexpr double kLeastBlock = 3;    ///< a narrower block extends into up to half of the free part after it
constexpr double kGapFrom = 4;       ///< wider blocks have a gap to the next
constexpr double kBlockGap = 0.75;
constexpr double kWorthALabel = 60; ///< a part at least this wide has the label of its piece

std::string rect_path(double x, double y, double width) {
  return fmt::format("M{} {}h{}v{}H{}z", px(x), px(y), px(width), px(kStripHeight), px(x));
}

std::string first_fitting(std::initializer_list<std::string> forms, std::size_t columns) {
  for (const std::string& form : forms)
    if (columns_of(form) <= columns) return form;
  return "";
}

std::size_t columns_in(double width) {
  return static_cast<std::size_t>(std::max(0.0, (width - 2 * kPadding) / kCharacterWidth));
}

/// Returns the size of a piece: "72 × 100 MiB" if it represents those of 72 segments that look the same.
std::string size_text(std::uint64_t bytes, std::uint64_t count) {
  return count == 1 ? format_bytes(bytes) : fmt::format("{} × {}", format_count(count), format_bytes(bytes));
}

std::string block_label(const Label& label, const std::string& size, std::size_t columns) {
  constexpr std::size_t kLeastName = 5;
  if (!label.place.empty()) return fit_line_label({.name = label.name, .place = label.place, .note = size}, columns);
  const bool has_no_stack = label.name.starts_with("<no stack");
  std::string text =
      first_fitting({label.name + "  " + size, label.name, has_no_stack ? "no stack" : label.name}, columns);
  return text.empty() && columns >= kLeastName && !has_no_stack ? cut_name(label.name, columns) : text;
}

class BoardDrawer {
public:
  BoardDrawer(XmlElement parent, const MemoryMap& memory, const Colouring& colouring)
      : parent_(parent), memory_(memory), colouring_(colouring) {}

  void draw(const BoardLayout& layout) {
    for (const PlaceMark& mark : layout.marks)
      add_rect(add_group(parent_, mark.paint->name), 0, mark.y, 4, mark.height).set("rx", 2);
    XmlElement ground = add_group(parent_, paint::kFree.name);
    for (const BoardStrip& strip : layout.strips) {
      add_rect(ground, strip.x, strip.y, strip.width, kStripHeight);
      add_pieces(strip);
    }
    for (const auto& [name, shapes] : shapes_)
      add_group(parent_, name).child("path").set("class", "dust").set("d", shapes);
    if (!pending_.empty()) add_group(parent_, "waiting").child("path").set("class", "dust").set("d", pending_);
    for (const BlockText& label : labels_)
      add_text(add_group(parent_, label.css_class), label.x, label.y, "mono", label.text);
    for (const BoardText& text : layout.texts)
      add_text(parent_, text.x, text.y, text.css_class, text.text);
  }

private:
  /// The part of a piece on one line.
  struct Part {
    double x;
    double y;
    double width;
    bool has_label;      ///< no longer part of it is on an earlier line
    std::uint64_t count; ///< of the segments that look the same
  };
  struct BlockText {
    double x;
    double y;
    std::string text;
    std::string_view css_class;
  };

  void add_pieces(const BoardStrip& strip) {
    const auto shown = static_cast<double>(std::max<std::uint64_t>(strip.end_bytes - strip.begin_bytes, 1));
    const double pixels_per_byte = strip.width / shown;
    const auto least_bytes = static_cast<std::uint64_t>(kNarrowBlock / pixels_per_byte);
    const std::vector<Piece> pieces = merged_small(memory_, strip.cell->pieces, least_bytes);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      if (piece.end_bytes() <= strip.begin_bytes) continue;
      if (piece.begin_bytes >= strip.end_bytes) break;
      const std::uint64_t begin = std::max(piece.begin_bytes, strip.begin_bytes) - strip.begin_bytes;
      const std::uint64_t end = std::min(piece.end_bytes(), strip.end_bytes) - strip.begin_bytes;
      const std::uint64_t before = strip.begin_bytes - std::min(strip.begin_bytes, piece.begin_bytes);
      const double x = strip.x + static_cast<double>(begin) * pixels_per_byte;
      const double width = static_cast<double>(end - begin) * pixels_per_byte;
      const bool has_hole = i + 1 < pieces.size() && pieces[i + 1].kind == PieceKind::hole;
      const double hole = has_hole ? static_cast<double>(pieces[i + 1].size_bytes) * pixels_per_byte : 0;
      add_piece(piece, {.x = x,
                        .y = strip.y,
                        .width = std::max(width, std::min({kLeastBlock, width + hole / 2, strip.x + strip.width - x})),
                        .has_label = static_cast<double>(before) * pixels_per_byte < kWorthALabel,
                        .count = strip.cell->count});
    }
  }

  void add_piece(const Piece& piece, const Part& at) {
    if (piece.kind == PieceKind::unaccounted) {
      shapes_[paint::kUnaccounted.name] += rect_path(at.x, at.y, at.width);
      return;
    }
    if (piece.kind == PieceKind::hole)
      add_label(at, paint::kFree.name,
                first_fitting({"free " + size_text(piece.size_bytes, at.count), "free"}, columns_in(at.width)));
    if (piece.is_mostly_free() || piece.block == kNoBlock) return;
    const BlockClass& holder = colouring_.class_of(piece.block);
    const std::string shape = rect_path(at.x, at.y, at.width > kGapFrom ? at.width - kBlockGap : at.width);
    shapes_[holder.paint->name] += shape;
    if (piece.kind != PieceKind::block) return;
    const Block& block = memory_.blocks[piece.block];
    if (block.state == BlockState::active_pending_free) pending_ += shape;
    add_label(at, holder.paint->name,
              block_label(holder.label, size_text(block.size_bytes, at.count), columns_in(at.width)));
  }

  void add_label(const Part& at, std::string_view css_class, std::string text) {
    if (at.has_label && !text.empty())
      labels_.push_back({at.x + kPadding, at.y + kBaseline, std::move(text), css_class});
  }

  XmlElement parent_;
  const MemoryMap& memory_;
  const Colouring& colouring_;
  std::map<std::string_view, std::string> shapes_; ///< by the class of their colour
  std::string pending_;
  std::vector<BlockText> labels_;
};

} // namespace

void define_board_styles(Page& page) {
  XmlElement pattern = page.svg().child("defs").child("pattern").set("id", "pending-hatch");
  pattern.set("width", 6).set("height", 6).set("patternUnits", "userSpaceOnUse").set("patternTransform", "rotate(45)");
  pattern.child("path").set("d", "M1 0v6");
  constexpr std::array kColours{
      PageColour{"#pending-hatch path", "stroke", paint::kPending.light_fill, paint::kPending.dark_fill}};
  const std::string colours =
      in_both_schemes([&](bool dark) { return colouring_rules(dark) + colour_rules(kColours, dark); });
  page.svg().child("style").cdata(paints_css(room_paints()) + colours + std::string(kStateStyle));
}

void draw_board(XmlElement parent, const MemoryMap& memory, const Colouring& colouring, const BoardLayout& layout) {
  BoardDrawer(parent, memory, colouring).draw(layout);
}

} // namespace memviz::render
