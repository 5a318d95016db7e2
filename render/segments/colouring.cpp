#include "segments/colouring.hpp"

#include "page/hues.hpp"
#include "page/ranked_list.hpp"

#include "memviz/label.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace memviz::render {

namespace {

/// The colours of the lines that are frames, in their order: as many as there are hues get one.
std::vector<const Paint*> paints_of(const FrameTable& frames, const std::vector<UserLine>& lines) {
  std::vector<HueWish> wishes;
  for (const UserLine& line : lines)
    if (is_frame(line.key) && wishes.size() < hues().size()) wishes.push_back({node_label(frames, line.key), {}});
  std::vector<const Paint*> paints;
  for (const std::size_t hue : choose_hues(wishes))
    paints.push_back(&hues()[hue]);
  return paints;
}

} // namespace

Colouring colouring_of(const FrameTable& frames, const std::vector<CodeOrigin>& origins, BlockLines lines,
                       ColorBy color) {
  Colouring colouring{.heading = "Who holds it, by your own line of code", .classes = {}, .of_block = {}};
  const std::vector<const Paint*> paints = paints_of(frames, lines.lines);
  std::size_t named = 0;
  std::vector<NodeKey> listed;
  for (const UserLine& line : lines.lines) {
    const Paint* paint = &paint::kNoStack;
    const auto* frame = std::get_if<FrameId>(&line.key);
    if (frame != nullptr && color == ColorBy::origin) paint = &render::paint_of(origins[frame->value]);
    if (frame != nullptr && color == ColorBy::line)
      paint = named < paints.size() ? paints[named++] : &paint::kLesserLines;
    colouring.classes.push_back(
        {key_label(frames, line.key), key_heading(frames, origins, line.key), paint, line.amount});
    if (listed.size() < kRankedRows) listed.push_back(line.key);
  }
  // Only those: a note reads the whole path, which a hostile file may give to every block.
  const std::vector<Label> labels = line_labels(frames, listed);
  for (std::size_t i = 0; i < listed.size(); ++i)
    colouring.classes[i].label = labels[i];
  colouring.of_block = std::move(lines.of_block);
  return colouring;
}

std::string colouring_rules(bool dark) {
  return paint_rules(hues(), dark) + paint_rules({&paint::kLesserLines, 1}, dark);
}

} // namespace memviz::render
