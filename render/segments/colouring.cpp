#include "segments/colouring.hpp"

#include "page/hues.hpp"
#include "page/kind_paints.hpp"
#include "page/ranked_list.hpp"

#include "memviz/label.hpp"
#include "story/keeper_words.hpp"
#include "story/kind_words.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace memviz::render {

namespace {

/// Returns the hues of the chosen lines, or else of the largest that have some.
LineHues hues_of(const FrameTable& frames, const std::vector<UserLine>& lines, std::span<const NodeKey> chosen) {
  if (!chosen.empty()) return {frames, chosen};
  std::vector<NodeKey> keys;
  for (const UserLine& line : lines)
    if (has_hue(line.key) && keys.size() < hues().size()) keys.push_back(line.key);
  return {frames, keys};
}

/// Returns the class of those blocks of a line that are of one kind.
BlockClass class_of(const BlockClass& line, const KindOf& kind) {
  const std::string evidence = evidence_text(kind.evidence);
  return {.label = line.label,
          .title = line.title,
          .paint = &kind_paint(kind.kind),
          .amount = {},
          .kinds = fmt::format("{}{}{}", kind_label(kind.kind), evidence.empty() ? "" : ", ", evidence)};
}

/// Returns by which of its facts the lines of a state can be coloured.
ColorBy possible(ColorBy color, const MemoryState& state) {
  const bool is_possible = color == ColorBy::kind ? state.has_kinds : color != ColorBy::keeper;
  return is_possible ? color : ColorBy::origin;
}

} // namespace

Colouring colouring_of(const FrameTable& frames, const std::vector<CodeOrigin>& origins, BlockLines lines,
                       const ColourChoice& choice) {
  Colouring colouring;
  colouring.heading = "Who holds it, by your own line of code";
  const LineHues hues = hues_of(frames, lines.lines, choice.hued_lines);
  const bool are_hues = choice.by == ColorBy::line || choice.by == ColorBy::keeper;
  std::vector<NodeKey> listed;
  for (const UserLine& line : lines.lines) {
    const Paint* paint = &paint::kNoStack;
    const auto* frame = std::get_if<FrameId>(&line.key);
    if (frame != nullptr && choice.by == ColorBy::origin) paint = &render::paint_of(origins[frame->value]);
    if (has_hue(line.key) && are_hues) paint = hues.of(line.key) != nullptr ? hues.of(line.key) : &paint::kLesserLines;
    colouring.classes.push_back(
        {key_label(frames, line.key), key_heading(frames, origins, line.key), paint, line.amount});
    if (listed.size() < kRankedRows) listed.push_back(line.key);
  }
  // Only for those: a note reads the whole path, which a hostile file may give to every block.
  const std::vector<Label> labels = line_labels(frames, listed);
  for (std::size_t i = 0; i < listed.size(); ++i)
    colouring.classes[i].label = labels[i];
  colouring.of_block = std::move(lines.of_block);
  return colouring;
}

Colouring colouring_by_kind(const MemoryState& state, const std::vector<CodeOrigin>& origins, BlockLines lines) {
  Colouring colouring = colouring_of(state.frames(), origins, lines, {ColorBy::origin});
  colouring.lines = std::move(colouring.classes);
  colouring.classes.clear();
  for (std::size_t i = 0; i < lines.lines.size(); ++i) {
    BlockClass& line = colouring.lines[i];
    line.kinds = kinds_cell(lines.lines[i].kinds);
    line.paint = &kind_paint(lines.lines[i].kinds, line.amount.bytes);
    if (const std::string kinds = kinds_lines(lines.lines[i].kinds); !kinds.empty()) line.title += '\n' + kinds;
  }
  std::map<std::tuple<std::uint32_t, MemoryKind, KindEvidence>, std::uint32_t> places;
  for (std::size_t block = 0; block < lines.of_block.size(); ++block) {
    const std::uint32_t line = lines.of_block[block];
    if (line == kNoLine) continue;
    const KindOf& kind = state.facts[block].kind;
    const auto [place, is_new] =
        places.try_emplace({line, kind.kind, kind.evidence}, static_cast<std::uint32_t>(colouring.classes.size()));
    if (is_new) colouring.classes.push_back(class_of(colouring.lines[line], kind));
    BlockClass& held = colouring.classes[place->second];
    held.amount += {state.blocks[block].requested_bytes, 1};
    colouring.of_block[block] = place->second;
  }
  return colouring;
}

Colouring colouring_by_keeper(const MemoryState& state, const std::vector<CodeOrigin>& origins, KeeperLines keepers,
                              std::span<const NodeKey> hued_lines) {
  BlockLines lines{.lines = {}, .of_block = keepers.of_block};
  for (const KeeperLine& line : keepers.lines)
    lines.lines.push_back({.key = key_of(line, keepers.table), .amount = line.amount, .kinds = line.kinds});
  Colouring colouring = colouring_of(state.frames(), origins, std::move(lines), {ColorBy::keeper, hued_lines});
  colouring.heading = "Who keeps it at the end, by variable";
  colouring.is_by_keeper = true;
  for (std::size_t i = 0; i < keepers.lines.size(); ++i) {
    BlockClass& entry = colouring.classes[i];
    entry.title = keeper_title(state.frames(), keepers.table, keepers.lines[i].keeper);
    if (keepers.lines[i].keeper == kNoKeeper) entry.paint = &paint::kLesserLines;
  }
  return colouring;
}

Colouring colouring_for(const MemoryState& state, const std::vector<CodeOrigin>& origins,
                        std::optional<DeviceId> device, const ColourChoice& choice) {
  std::optional<KeeperLines> keepers;
  if (state.recording->keepers.is_recorded) keepers = keeper_lines(KeeperAnswers(*state.recording), state, device);
  Colouring colouring;
  if (choice.by == ColorBy::keeper && keepers)
    colouring = colouring_by_keeper(state, origins, *keepers, choice.hued_lines);
  else if (possible(choice.by, state) == ColorBy::kind)
    colouring = colouring_by_kind(state, origins, block_lines(state, device));
  else
    colouring = colouring_of(state.frames(), origins, block_lines(state, device),
                             {possible(choice.by, state), choice.hued_lines});
  colouring.keepers = std::move(keepers);
  return colouring;
}

std::string colouring_rules(bool dark) {
  return paint_rules(hues(), dark) + paint_rules({&paint::kLesserLines, 1}, dark);
}

} // namespace memviz::render
