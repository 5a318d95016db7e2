#include "story/keeper_places.hpp"

#include "base/printable.hpp"
#include "memviz/label.hpp"
#include "text/keeper_code.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace memviz {
namespace {

constexpr std::size_t kMostLines = 3;
constexpr std::size_t kMostPendingColumns = 100;

using Places = std::vector<CodePlace>;

KeeperStep code_of(const CodePlace& place) {
  return {.part = KeeperPart::running, .text = place.function, .file = place.file, .line = place.line};
}

/// Returns those in the program's own code, which can be changed.
Places places_with(const FrameTable& frames, const KeptVariable& variable, CodeRelation how) {
  Places found;
  std::ranges::copy_if(variable.places, std::back_inserter(found), [&](const CodePlace& one) {
    return one.how == how && origin_of(frames.text(one.file)) == CodeOrigin::user;
  });
  return found;
}

/// Returns "a", "a and b", "a, b and c" or "a, b, c and others".
std::string joined(std::vector<std::string> texts) {
  if (texts.size() > kMostLines) {
    texts.resize(kMostLines);
    texts.emplace_back("others");
  }
  std::string text = texts.front();
  for (std::size_t i = 1; i < texts.size(); ++i)
    text += (i + 1 == texts.size() ? " and " : ", ") + texts[i];
  return text;
}

/// Returns "in line 8", or "by f train.py:8" where they are not those of the function that has the variable.
std::string lines_text(const FrameTable& frames, const Places& places, const KeeperStep& root) {
  std::vector<std::string> texts;
  const bool is_of_function = std::ranges::all_of(
      places, [&](const CodePlace& one) { return one.function == root.text && one.file == root.file; });
  if (is_of_function && root.part == KeeperPart::running) {
    for (const CodePlace& place : places)
      texts.push_back(std::to_string(place.line));
    return (places.size() == 1 ? "in line " : "in lines ") + joined(std::move(texts));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    KeeperStep code = code_of(places[i]);
    if (i > 0 && places[i].function == places[i - 1].function) code.text = kEmptyString;
    texts.push_back(code_text(frames, code));
  }
  return "by " + joined(std::move(texts));
}

} // namespace

std::string variable_places_text(const FrameTable& frames, const KeptVariable& variable) {
  const KeeperStep& root = variable.steps.front();
  std::string text;
  if (const Places sets = places_with(frames, variable, CodeRelation::sets); !sets.empty())
    text += ", set " + lines_text(frames, sets, root);
  if (const Places uses = places_with(frames, variable, CodeRelation::uses); !uses.empty())
    text += ", used by " + code_text(frames, code_of(uses.front()));
  return text;
}

std::string pending_text(const FrameTable& frames, const KeeperStep& code,
                         const std::optional<PendingVariable>& pending) {
  if (!pending) return "";
  const std::string name = elided(frames.text(pending->name), kMostPendingColumns);
  if (pending->code == code) return fmt::format(", which would set `{}`", name);
  return fmt::format(", whose value would set `{}` in {}", name, code_text(frames, pending->code));
}

} // namespace memviz
