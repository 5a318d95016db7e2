#pragma once

// The keepers of the memory of a device, in JSON.

#include "base/json_object.hpp"
#include "memviz/frames.hpp"
#include "memviz/keeper_answers.hpp"
#include "story/keeper_words.hpp"

#include <span>
#include <string_view>

namespace memviz {

inline constexpr std::string_view kKeepersMeaning = "Who keeps the memory: what refers to it, by the walk over the "
                                                    "Python heap that memviz's recorder made when it wrote "
                                                    "the file; null if the file has none, or the moment is not its end";

inline constexpr auto kKeeperAccount = json_object<KeeperAccount>(
    {}, member("total_bytes", "All of them", &KeeperAccount::total_bytes),
    member("kept_bytes", "Reachable from a variable", &KeeperAccount::kept_bytes),
    member("cycle_bytes",
           "In objects that no variable reaches and that refer to each other: until the garbage collector runs",
           &KeeperAccount::cycle_bytes),
    member("temporary_bytes", "Without a name: temporaries of the line that runs, or held by C++",
           &KeeperAccount::temporary_bytes),
    member("no_object_bytes", "No Python object refers to it", &KeeperAccount::no_object_bytes),
    member("unknown_bytes", "Not reached, because the walk over the heap ended early", &KeeperAccount::unknown_bytes));

struct KeeperStepsInJson {
  const FrameTable& frames;
  std::span<const KeeperStep> steps;
};

inline constexpr auto kKeeperSteps = json_object<KeeperStepsInJson>(
    {},
    member("root", "Where the path begins: a running function, a module's globals, a cycle, ...",
           [](const KeeperStepsInJson& path) { return keeper_root_text(path.frames, path.steps.front()); }),
    member("path", "The path from there as in Python, with [*] for every index; empty if the root is all",
           [](const KeeperStepsInJson& path) { return keeper_path_text(path.frames, path.steps); }));

struct CodePlaceInJson {
  const FrameTable& frames;
  const CodePlace& place;
};

inline constexpr auto kCodePlace = json_object<CodePlaceInJson>(
    {.meaning = "A line"},
    member(
        "how", "Whether it sets or uses the variable", [](const CodePlaceInJson& in) { return in.place.how; },
        named(keeper_word, CodeRelation::sets, CodeRelation::uses)),
    member("function", "<module> for a module's own code",
           [](const CodePlaceInJson& in) { return in.frames.text(in.place.function); }),
    member("file", "As in stacks", [](const CodePlaceInJson& in) { return in.frames.text(in.place.file); }),
    member("line", "In the file", [](const CodePlaceInJson& in) { return in.place.line; }).at_least(1));

struct PendingVariableInJson {
  const FrameTable& frames;
  const PendingVariable& pending;
};

inline constexpr auto kPendingVariable = json_object<PendingVariableInJson>(
    {.meaning = "A variable that a running line would set once it ends, and that line", .name = "pending_variable"},
    member("variable", "Its name, also self.model or loss, logits",
           [](const PendingVariableInJson& in) { return in.frames.text(in.pending.name); }),
    member("function", "<module> for a module's own code",
           [](const PendingVariableInJson& in) { return in.frames.text(in.pending.code.text); }),
    member("file", "As in stacks",
           [](const PendingVariableInJson& in) { return in.frames.text(in.pending.code.file); }),
    member("line", "In the file", [](const PendingVariableInJson& in) { return in.pending.code.line; }).at_least(1));

struct KeptVariableInJson {
  const FrameTable& frames;
  const KeptVariable& variable;
};

inline constexpr auto kKeptBytes = json_object<KeptVariable>(
    {}, member("own_bytes", "Not through autograd's graphs", &KeptVariable::own_bytes),
    member("graph_bytes", "Through the graphs of its tensors", &KeptVariable::graph_bytes),
    member("blocks", "How many blocks", &KeptVariable::blocks),
    member("retained_bytes", "Becomes free when the object goes, whichever variables these blocks belong to",
           &KeptVariable::retained_bytes),
    member("other_references", "To the object, besides this variable", &KeptVariable::other_references));

inline constexpr auto kKeptVariable = json_object<KeptVariableInJson>(
    {.meaning = "A variable, and the blocks whose best path begins with it: no block belongs to two",
     .name = "kept_variable"},
    members_of(kKeeperSteps,
               [](const KeptVariableInJson& kept) {
                 return KeeperStepsInJson{kept.frames, kept.variable.steps};
               }),
    member("object", "Its class, or the number of its items: list of 27",
           [](const KeptVariableInJson& kept) { return variable_object_text(kept.frames, kept.variable.object); }),
    members_of(
        kKeptBytes, [](const KeptVariableInJson& kept) -> const auto& { return kept.variable; }),
    member(
        "places", "The lines that set the variable, and one that uses a global: at most 8. Empty if they are unknown",
        [](const KeptVariableInJson& kept) -> const auto& { return kept.variable.places; },
        made_by(
            [](const KeptVariableInJson& kept, const CodePlace& place) {
              return CodePlaceInJson{kept.frames, place};
            },
            kCodePlace)),
    member(
        "pending",
        "For a variable of a library's function: the variable that gets the value of the program's own line which "
        "called "
        "that function; null if that is unknown, or there is none",
        [](const KeptVariableInJson& kept) -> const auto& { return kept.variable.pending; },
        made_by(
            [](const KeptVariableInJson& kept, const PendingVariable& pending) {
              return PendingVariableInJson{kept.frames, pending};
            },
            kPendingVariable)),
    member("text", "The variable in words",
           [](const KeptVariableInJson& kept) { return variable_text(kept.frames, kept.variable); }));

struct KeeperGroupInJson {
  const FrameTable& frames;
  const KeeperGroup& group;
};

inline constexpr auto kKeeperGroup = json_object<KeeperGroupInJson>(
    {.meaning = "Blocks that have one path", .name = "keeper_group"},
    members_of(kKeeperSteps,
               [](const KeeperGroupInJson& one) {
                 return KeeperStepsInJson{one.frames, one.group.steps};
               }),
    member("through_graph", "Whether autograd's graph of the tensors at that path keeps them",
           [](const KeeperGroupInJson& one) { return one.group.is_in_graph; }),
    member("bytes", "Requested bytes", [](const KeeperGroupInJson& one) { return one.group.bytes; }),
    member("blocks", "How many blocks", [](const KeeperGroupInJson& one) { return one.group.blocks; }));

struct KeepersInJson {
  const FrameTable& frames;
  const DeviceKeepers& keepers;
};

inline constexpr auto kKeepers = json_object<KeepersInJson>(
    {.meaning = "The memory in use, by what refers to it", .name = "keepers"},
    member(
        "account", "Requested bytes of the blocks in use; the parts add up to the total",
        [](const KeepersInJson& in) -> const auto& { return in.keepers.account; }, kKeeperAccount),
    member(
        "pending",
        "The variable that gets the value of the line that runs, to which temporaries may belong; null if that is "
        "unknown, or there is none",
        [](const KeepersInJson& in) -> const auto& { return in.keepers.pending; },
        made_by(
            [](const KeepersInJson& in, const PendingVariable& pending) {
              return PendingVariableInJson{in.frames, pending};
            },
            kPendingVariable)),
    member(
        "variables", "Those that matter most, models and optimizers last",
        [](const KeepersInJson& in) -> const auto& { return in.keepers.variables; },
        made_by(
            [](const KeepersInJson& in, const KeptVariable& variable) {
              return KeptVariableInJson{in.frames, variable};
            },
            kKeptVariable)),
    member(
        "groups", "The largest groups of blocks that have one path",
        [](const KeepersInJson& in) -> const auto& { return in.keepers.groups; },
        made_by(
            [](const KeepersInJson& in, const KeeperGroup& group) {
              return KeeperGroupInJson{in.frames, group};
            },
            kKeeperGroup)),
    member(
        "limit",
        "What ended the walk over the heap early: its time, the number of objects walked or written, the depth of a "
        "graph; empty for a complete walk. After an early end retained_bytes are upper bounds",
        [](const KeepersInJson& in) { return in.keepers.limit; },
        named(keeper_word, KeeperLimit::none, KeeperLimit::unknown)),
    member("texts", "The same in sentences",
           [](const KeepersInJson& in) { return keeper_sentences(in.frames, in.keepers); }));

} // namespace memviz
