#include "answers/rank_parts.hpp"

#include "base/printable.hpp"
#include "memviz/answers.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/several_snapshots.hpp"
#include "story/keeper_words.hpp"

#include <fmt/format.h>

namespace memviz {
namespace {

constexpr std::size_t kKeeperColumns = 100;

void name_keepers(RankPart& part, const MemoryState& state) {
  const KeepersByDevice keepers = keepers_of(state);
  const auto found = keepers.find(part.device);
  if (found == keepers.end()) return;
  for (const KeptVariable* const variable : largest_variables(found->second, kMostKeepers))
    part.keepers.push_back({elided(variable_text(state.frames(), *variable), kKeeperColumns), variable->bytes()});
}

RankPart part_of_snapshot(const std::string& name, Session& session, const PartQuestion& question) {
  LinePeaks peaks;
  const Opened opened = session.open(
      {.moment = moment_of(automatic_scope()), .kinds = true, .kind_rules = question.kind_rules, .sink = &peaks});
  RankPart part = part_of(name, opened.state, peaks, question.most_text_bytes);
  name_keepers(part, opened.state);
  return part;
}

} // namespace

std::vector<RankPart> rank_parts(const std::string& name, Session& session, const PartQuestion& question) {
  const bool is_rewritten = session.options().rewriter != nullptr; // a subscript may be a name
  std::vector<RankPart> parts;
  try {
    parts.push_back(part_of_snapshot(name, session, question));
  } catch (const SeveralSnapshots&) {
    session.read_each([&](const std::string& inside, Session& one) {
      parts.push_back(
          part_of_snapshot(name + (is_rewritten ? fmt::format("[{}]", parts.size()) : inside), one, question));
    });
  }
  return parts;
}

} // namespace memviz
