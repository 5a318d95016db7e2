#include "story/keeper_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/label.hpp"
#include "text/keeper_code.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
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

/// Returns ", set in lines 8 and 13" of a local variable, ", set by <module> train.py:3, used by hook train.py:8" of a
/// global; "" if no line is known.
std::string variable_places_text(const FrameTable& frames, const KeptVariable& variable) {
  const KeeperStep& root = variable.steps.front();
  std::string text;
  if (const Places sets = places_with(frames, variable, CodeRelation::sets); !sets.empty())
    text += ", set " + lines_text(frames, sets, root);
  if (const Places uses = places_with(frames, variable, CodeRelation::uses); !uses.empty())
    text += ", used by " + code_text(frames, code_of(uses.front()));
  return text;
}

/// Returns ", which would set `model`" for the variable that gets the value of running code, ", whose value would set
/// `model` in <module> train.py:9" if code that called it gives it that value; "" without one.
std::string pending_text(const FrameTable& frames, const KeeperStep& code,
                         const std::optional<PendingVariable>& pending) {
  if (!pending) return "";
  const std::string name = elided(frames.text(pending->name), kMostPendingColumns);
  if (pending->code == code) return fmt::format(", which would set `{}`", name);
  return fmt::format(", whose value would set `{}` in {}", name, code_text(frames, pending->code));
}

constexpr std::size_t kMostColumns = 100;
/// Variables that keep less than a tenth of the memory in use are not worth a sentence, nor other parts below a
/// twentieth.
constexpr std::uint64_t kLeastVariable = 10;
constexpr std::uint64_t kLeastKept = 20;
constexpr std::size_t kMostNamed = 3;

std::string shown(const FrameTable& frames, StringId text) {
  return elided(frames.text(text), kMostColumns);
}

/// Whether the locals of this function are the variables of its module.
bool is_module_code(const FrameTable& frames, const KeeperStep& code) {
  return frames.text(code.text) == "<module>";
}

/// `item`: the text of the item for which a step `[*]` stands
void add_step(std::string& text, const FrameTable& frames, const KeeperStep& step, std::string_view item) {
  switch (step.part) {
  case KeeperPart::variable: text += text.empty() ? shown(frames, step.text) : " -> " + shown(frames, step.text); break;
  case KeeperPart::attribute: text += '.' + shown(frames, step.text); break;
  case KeeperPart::key: text += fmt::format("['{}']", shown(frames, step.text)); break;
  case KeeperPart::items: text += fmt::format("[{}]", item); break;
  case KeeperPart::object: {
    const std::string name = step.text == kEmptyString ? "<object>" : shown(frames, step.text);
    text += text.empty() ? name : " -> " + name;
    break;
  }
  default: break; // a traceback is named after its variable, a graph before the path
  }
}

/// ": 188 MiB itself, 1.4 GiB by its graph"; "" without a graph
std::string shares_text(const KeptVariable& variable) {
  if (variable.graph_bytes == 0) return "";
  const bool is_tensor = variable.object.kind == KeeperKind::tensor || variable.object.kind == KeeperKind::parameter;
  const std::string graph =
      fmt::format("{} by {}", format_bytes(variable.graph_bytes), is_tensor ? "its graph" : "its tensors' graphs");
  return variable.own_bytes == 0 ? ": " + graph
                                 : fmt::format(": {} itself, {}", format_bytes(variable.own_bytes), graph);
}

/// `is_whole`: whether the walk saw all references; a reference that it did not see may keep a part.
std::string freed_text(const KeptVariable& variable, bool is_whole) {
  const std::string places = format_counted(variable.other_references, "other reference");
  if (variable.retained_bytes < variable.bytes() / kLeastKept) return " Other objects refer to this memory as well.";
  if (variable.other_references == 0)
    return fmt::format(" Dropping it frees {}{}.", is_whole ? "" : "at most ", format_bytes(variable.retained_bytes));
  return fmt::format(" {}{} goes with the object, which has {}.", is_whole ? "" : "At most ",
                     format_bytes(variable.retained_bytes), places);
}

/// ";", and as a line "dropping predictions frees 1.33 GiB"; "" if most of its memory has other keepers as well.
std::string freed_with_text(const FrameTable& frames, const KeptVariable& variable, bool is_whole) {
  const std::string name = keeper_path_text(frames, variable.steps);
  if (name.empty() || variable.retained_bytes < variable.bytes() / kLeastKept) return "";
  const std::string bytes = (is_whole ? "" : "at most ") + format_bytes(variable.retained_bytes);
  if (variable.other_references == 0) return fmt::format(";\ndropping {} frees {}", name, bytes);
  return fmt::format(";\n{} goes with the object of {}, which has {}", bytes, name,
                     format_counted(variable.other_references, "other reference"));
}

/// "in validate train.py:12", "in train.py" of a global
std::string place_text(const FrameTable& frames, const KeeperStep& root) {
  if (root.part == KeeperPart::running && !is_module_code(frames, root)) return "in " + code_text(frames, root);
  const std::string_view file = known_basename(frames.text(root.file));
  return "in " + (file.empty() ? shown(frames, root.text) : elided(file, kMostColumns));
}

/// Returns the reason why no variable keeps the blocks below this first step of a path; "" if one may.
std::string_view without_variable_text(KeeperPart part) {
  switch (part) {
  case KeeperPart::cycle:
    return "kept by objects that refer to each other, and that no variable reaches: gc.collect() frees them";
  case KeeperPart::temporary: return "no variable refers to it: a value of the line that runs, or held by C++";
  case KeeperPart::no_object: return "no Python object refers to it: a library's workspace, or held by C++";
  case KeeperPart::unknown: return "unknown: the walk over the heap ended early";
  default: return "";
  }
}

std::vector<const KeptVariable*> named_variables(const DeviceKeepers& keepers) {
  std::vector<const KeptVariable*> named;
  for (const KeptVariable& variable : keepers.variables)
    if (named.size() < kMostNamed && variable.bytes() >= keepers.account.total_bytes() / kLeastVariable)
      named.push_back(&variable);
  return named;
}

} // namespace

std::string keeper_item_text(const FrameTable& frames, const KeeperItem& item) {
  if (item.index) return std::to_string(*item.index);
  return item.key == kEmptyString ? "*" : fmt::format("'{}'", shown(frames, item.key));
}

std::string keeper_path_text(const FrameTable& frames, std::span<const KeeperStep> steps,
                             std::span<const KeeperItem> items) {
  std::string text;
  const KeeperStep* code = nullptr;
  for (const KeeperStep& step : steps.subspan(std::min<std::size_t>(1, steps.size()))) {
    if (text.size() > kMostColumns) return text + "...";
    const bool is_known = step.part == KeeperPart::items && !items.empty();
    add_step(text, frames, step, is_known ? keeper_item_text(frames, items.front()) : "*");
    if (is_known) items = items.subspan(1);
    if (step.part == KeeperPart::traceback) {
      text += ".__traceback__";
      code = &step;
    } else if (code != nullptr && step.part == KeeperPart::variable) {
      text += " in " + code_text(frames, *code);
      code = nullptr;
    }
  }
  return text;
}

std::string keeper_root_text(const FrameTable& frames, const KeeperStep& root) {
  switch (root.part) {
  case KeeperPart::running:
    if (!is_module_code(frames, root)) return "in " + code_text(frames, root);
    [[fallthrough]];
  case KeeperPart::globals: {
    const std::string_view file = known_basename(frames.text(root.file));
    return "a global of " + (file.empty() ? shown(frames, root.text) : elided(file, kMostColumns));
  }
  case KeeperPart::exception: return "the exception that is handled";
  case KeeperPart::cycle: return "cycle";
  case KeeperPart::temporary: return "temporary";
  case KeeperPart::no_object: return "no Python object";
  default: return "unknown: the walk over the heap ended early";
  }
}

std::string keeper_path_and_root(const FrameTable& frames, std::span<const KeeperStep> steps,
                                 std::span<const KeeperItem> items) {
  const std::string root = keeper_root_text(frames, steps.front());
  const std::string name = keeper_path_text(frames, steps, items);
  return name.empty() ? root : fmt::format("{}{} {}", name, root.starts_with("in ") ? "" : ",", root);
}

std::string variable_object_text(const FrameTable& frames, const KeeperObject& object) {
  const std::string_view word = keeper_word(object.kind);
  switch (object.kind) {
  case KeeperKind::dict:
  case KeeperKind::list:
  case KeeperKind::tuple:
  case KeeperKind::set:
  case KeeperKind::deque:
    return object.items ? fmt::format("{} of {}", word, format_count(*object.items)) : std::string(word);
  case KeeperKind::instance:
  case KeeperKind::module:
  case KeeperKind::optimizer:
  case KeeperKind::exception:
  case KeeperKind::object: {
    const std::string_view name = frames.text(object.name);
    const std::size_t dot = name.rfind('.');
    return elided(dot == std::string_view::npos ? name : name.substr(dot + 1), kMostColumns);
  }
  case KeeperKind::tensor:
  case KeeperKind::parameter:
  case KeeperKind::function:
  case KeeperKind::method:
  case KeeperKind::generator: return std::string(word);
  default: return "";
  }
}

std::string variable_text(const FrameTable& frames, const KeptVariable& variable) {
  const std::string object = variable_object_text(frames, variable.object);
  const std::string root = keeper_root_text(frames, variable.steps.front());
  const std::string name = keeper_path_text(frames, variable.steps);
  const std::string kind = object.empty() ? "" : " (" + object + ")";
  const std::string caller = variable.called_by
                                 ? fmt::format(", called by {}{}", code_text(frames, *variable.called_by),
                                               pending_text(frames, *variable.called_by, variable.pending))
                                 : "";
  if (name.empty()) return root + kind + caller;
  return fmt::format("`{}`{}{}{}{}", name, kind, root.starts_with("in ") ? " " : ", ", root, caller);
}

std::string stack_keeper_text(const FrameTable& frames, const StackKeeper& keeper) {
  if (!keeper.variable || keeper.bytes < keeper.stack_bytes / 2 || keeper.bytes == 0) return "";
  return "kept by " + variable_text(frames, *keeper.variable);
}

Label keeper_line_label(const FrameTable& frames, const KeptVariable& keeper) {
  const KeeperStep& root = keeper.steps.front();
  std::string name = keeper_path_text(frames, keeper.steps);
  if (name.empty()) return {.name = node_label(frames, root), .place = {}, .note = {}};
  return {
      .name = std::move(name), .place = place_text(frames, root), .note = variable_object_text(frames, keeper.object)};
}

std::string block_keeper_text(const FrameTable& frames, const KeeperTable& table, const BlockPath& block) {
  const PathId path = block.path;
  const std::uint32_t keeper = path == kNoPath ? kNoKeeper : table.keeper_of_path[path.value];
  if (keeper == kNoKeeper) return "freed before the end of the recording: no keeper";
  const std::vector<KeeperStep> steps = table.paths.steps_of(path);
  if (const std::string_view reason = without_variable_text(steps.front().part); !reason.empty())
    return std::string(reason);
  const KeptVariable& kept = table.keepers[keeper];
  const std::string graph = table.paths.paths[path.value].is_in_graph ? ", through its graph" : "";
  const std::vector<KeeperItem> items = table.paths.items_until(block.item);
  return fmt::format("kept by {}{}{}", keeper_path_and_root(frames, steps, items), graph,
                     freed_with_text(frames, kept, table.limit == KeeperLimit::none));
}

std::string keeper_title(const FrameTable& frames, const KeeperTable& table, std::uint32_t keeper) {
  if (keeper == kNoKeeper) return "freed before the end of the recording, at which keepers are known";
  const KeptVariable& kept = table.keepers[keeper];
  if (const std::string_view reason = without_variable_text(kept.steps.front().part); !reason.empty())
    return std::string(reason);
  const std::string shares = shares_text(kept);
  return fmt::format("{}\n{} at the end{}\n{}", variable_text(frames, kept), format_bytes(kept.bytes()), shares,
                     keeper_freed_text(table, keeper));
}

std::string keeper_freed_text(const KeeperTable& table, std::uint32_t keeper) {
  return freed_text(table.keepers[keeper], table.limit == KeeperLimit::none).substr(1);
}

std::vector<std::string> keeper_sentences(const FrameTable& frames, const DeviceKeepers& keepers) {
  std::vector<std::string> sentences;
  const std::uint64_t total_bytes = keepers.account.total_bytes();
  const auto is_notable = [&](std::uint64_t bytes) { return bytes > 0 && bytes >= total_bytes / kLeastKept; };
  for (const KeptVariable* const variable : named_variables(keepers)) {
    const std::string of = sentences.empty() ? fmt::format(" of {}", format_bytes(total_bytes)) : "";
    sentences.push_back(fmt::format("Keeper: {}{} is kept by {}{}{}.{}", format_bytes(variable->bytes()), of,
                                    variable_text(frames, *variable), variable_places_text(frames, *variable),
                                    shares_text(*variable), freed_text(*variable, keepers.limit == KeeperLimit::none)));
  }
  const KeeperAccount& account = keepers.account;
  if (is_notable(account.cycle_bytes))
    sentences.push_back(fmt::format("Cycles: {} waits for the garbage collector: {} of objects that refer to each "
                                    "other, and that no variable reaches. gc.collect() frees them.",
                                    format_bytes(account.cycle_bytes), format_counted(keepers.blocks.cycle, "block")));
  if (is_notable(account.temporary_bytes)) {
    const std::string line = keepers.running ? fmt::format(", {}{},", code_text(frames, *keepers.running),
                                                           pending_text(frames, *keepers.running, keepers.pending))
                                             : "";
    const std::string container =
        keepers.temporary ? fmt::format(" (the largest is a {})", variable_object_text(frames, *keepers.temporary))
                          : "";
    sentences.push_back(fmt::format("Temporaries: {} has no name: objects of the line that runs{}{} or held by C++.",
                                    format_bytes(account.temporary_bytes), line, container));
  }
  if (is_notable(account.unknown_bytes))
    sentences.push_back(fmt::format("Unknown: the keeper of {}, because the walk over the heap ended early.",
                                    format_bytes(account.unknown_bytes)));
  return sentences;
}

} // namespace memviz
