#include "memviz/keeper_answers.hpp"

#include "export/keepers_text.hpp"
#include "story/keeper_words.hpp"
#include "support/keeper_heap.hpp"
#include "support/states.hpp"

#include <array>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

DeviceKeepers keepers_in(const Recording& recording) {
  DeviceKeepers found = KeeperAnswers(recording).of(DeviceId{0});
  std::uint64_t requested_bytes = 0;
  for (const Block& block : recording.end.blocks)
    requested_bytes += block.requested_bytes;
  CHECK(found.account.total_bytes() == requested_bytes);
  return found;
}

/// "running train / variable x / items / graph"
std::string text_of(const Recording& recording, const std::vector<KeeperStep>& steps) {
  static constexpr std::array<std::string_view, 15> kParts{"running", "globals", "exception", "cycle",    "temporary",
                                                           "none",    "unknown", "freed",     "variable", "attr",
                                                           "key",     "items",   "after",     "object",   "graph"};
  std::string text;
  for (const KeeperStep& step : steps) {
    const std::string_view name = recording.frames.text(step.text);
    text += fmt::format("{}{}{}", text.empty() ? "" : " / ", kParts.at(static_cast<std::size_t>(step.part)),
                        name.empty() ? "" : fmt::format(" {}", name));
  }
  return text;
}

std::string path_of_block(const Recording& recording, std::size_t block) {
  const KeeperPaths paths = keeper_paths(recording);
  return text_of(recording, paths.steps_of(paths.path_of_block.at(block)));
}

} // namespace

TEST_CASE("a list of outputs keeps its tensors and, through their graphs, what these saved") {
  KeeperBuilder keepers;
  const int validate = frame(keepers, "validate");
  const int list = keepers.object("list", {.items = 2});
  keepers.refer(validate, "local", "predictions", list);
  for (int i = 0; i < 2; ++i) {
    const int tensor = keepers.tensor(at(static_cast<std::uint64_t>(i)), MiB);
    const int function = keepers.object("autograd", {.name = "MulBackward0"});
    const int next = keepers.object("autograd", {.name = "AddBackward0"});
    keepers.refer(list, "index", i, tensor).refer(tensor, "grad_fn", "", function).refer(function, "next", "", next);
    keepers.storage(next, at(2 + static_cast<std::uint64_t>(i)), MiB);
  }
  const Recording recording = heap_of(keepers.python());
  const DeviceKeepers found = keepers_in(recording);
  REQUIRE(found.variables.size() == 1);
  CHECK(text_of(recording, found.variables[0].steps) == "running validate / variable predictions");
  CHECK(found.variables[0].object.kind == KeeperKind::list);
  CHECK(found.variables[0].object.items == 2);
  CHECK(found.variables[0].own_bytes == 2 * (MiB - KiB));
  CHECK(found.variables[0].graph_bytes == 2 * (MiB - KiB));
  CHECK(found.variables[0].retained_bytes == 4 * (MiB - KiB));
  CHECK(found.variables[0].other_references == 0);
  CHECK(found.variables[0].blocks == 4);
  CHECK(found.account.kept_bytes == 4 * (MiB - KiB));
  CHECK(found.account.no_object_bytes == 6 * (MiB - KiB));
  REQUIRE(found.groups.size() == 3);
  CHECK(text_of(recording, found.groups[0].steps) == "none");
  CHECK(found.groups[0].blocks == 6);
  CHECK(path_of_block(recording, 0) == "running validate / variable predictions / items");
  CHECK(path_of_block(recording, 2) == "running validate / variable predictions / items / graph");
  REQUIRE(found.running);
  CHECK(recording.frames.text(found.running->text) == "validate");
}

TEST_CASE("what two variables refer to goes with neither of them") {
  KeeperBuilder keepers;
  const int train = frame(keepers, "train");
  const int model = keepers.object("module", {.name = "Net"});
  const int optimizer = keepers.object("optimizer", {.name = "torch.optim.adamw.AdamW"});
  const int weight = keepers.tensor(at(0), MiB, "parameter");
  const int average = keepers.tensor(at(1), MiB);
  keepers.refer(train, "local", "model", model).refer(train, "local", "optimizer", optimizer);
  keepers.refer(model, "attribute", "weight", weight).refer(optimizer, "attribute", "param_groups", weight);
  keepers.refer(optimizer, "attribute", "exp_avg", average);
  const Recording recording = heap_of(keepers.python());
  const DeviceKeepers found = keepers_in(recording);
  REQUIRE(found.variables.size() == 2);
  CHECK(found.variables[0].bytes() == MiB - KiB);
  CHECK(text_of(recording, found.variables[0].steps) == "running train / variable optimizer");
  CHECK(found.variables[0].retained_bytes == MiB - KiB); // its own state goes with it
  CHECK(found.variables[1].retained_bytes == 0);
}

TEST_CASE("locals are preferred to globals, own code to libraries, and variables to graphs") {
  KeeperBuilder keepers;
  const int inner = frame(keepers, "forward", "/usr/lib/python3/site-packages/torch/nn/functional.py");
  const int outer = frame(keepers, "train");
  const int globals = keepers.object("globals", {.name = "__main__", .file = "/home/me/train.py"});
  keepers.root("main", globals);
  const int passed_on = keepers.tensor(at(0), MiB);
  keepers.refer(inner, "local", "input", passed_on).refer(outer, "local", "x", passed_on);
  const int local = keepers.tensor(at(1), MiB);
  keepers.refer(globals, "global", "data", local).refer(outer, "local", "batch", local);
  const int loss = keepers.tensor(at(2), MiB);
  const int function = keepers.object("autograd");
  keepers.refer(outer, "local", "loss", loss).refer(loss, "grad_fn", "", function);
  const int model = keepers.object("module");
  const int weight = keepers.tensor(at(3), MiB);
  keepers.refer(globals, "global", "model", model).refer(model, "attribute", "weight", weight);
  keepers.storage(function, at(3), MiB);
  const Recording recording = heap_of(keepers.python());
  CHECK(path_of_block(recording, 0) == "running train / variable x");
  CHECK(path_of_block(recording, 1) == "running train / variable batch");
  CHECK(path_of_block(recording, 3) == "globals __main__ / variable model / attr weight");
}

TEST_CASE("of functions that pass an object on, the outermost keeps it") {
  KeeperBuilder keepers;
  const int inner = frame(keepers, "loss_of");
  const int outer = frame(keepers, "train");
  const int tensor = keepers.tensor(at(0), MiB);
  keepers.refer(inner, "local", "logits", tensor).refer(outer, "local", "outputs", tensor);
  CHECK(path_of_block(heap_of(keepers.python()), 0) == "running train / variable outputs");
}

TEST_CASE("a variable of the caller or a global is preferred to an argument, and an argument to a graph") {
  KeeperBuilder keepers;
  const int globals = keepers.object("globals", {.name = "__main__", .file = "/home/me/train.py"});
  const int inner = frame(keepers, "step");
  const int library = frame(keepers, "cuda", "/usr/lib/python3/site-packages/torch/nn/modules/module.py");
  const int outer = frame(keepers, "train");
  keepers.root("main", globals);
  const int optimizer = keepers.tensor(at(0), MiB);
  const int batch = keepers.tensor(at(1), MiB);
  const int saved = keepers.tensor(at(2), MiB);
  const int alone = keepers.tensor(at(3), MiB);
  const int item = keepers.tensor(at(4), MiB);
  const int list = keepers.object("list", {.items = 1});
  keepers.refer(inner, "argument", "optimizer", optimizer).refer(outer, "argument", "optimizer", optimizer);
  keepers.refer(globals, "global", "own_optimizer", optimizer);
  keepers.refer(inner, "argument", "inputs", batch).refer(outer, "local", "batch", batch);
  const int loss = keepers.object("tensor");
  const int graph = keepers.object("autograd");
  keepers.refer(inner, "argument", "saved", saved).refer(outer, "local", "loss", loss);
  keepers.refer(loss, "grad_fn", "", graph).refer(graph, "saved", "self", saved);
  keepers.refer(library, "argument", "self", alone);
  keepers.refer(inner, "argument", "item", item).refer(globals, "global", "images", list).refer(list, "index", 0, item);
  const Recording recording = heap_of(keepers.python());
  CHECK(path_of_block(recording, 0) == "globals __main__ / variable own_optimizer");
  CHECK(path_of_block(recording, 1) == "running train / variable batch");
  CHECK(path_of_block(recording, 2) == "running step / variable saved");
  CHECK(path_of_block(recording, 3) == "running cuda / variable self");
  CHECK(path_of_block(recording, 4) == "globals __main__ / variable images / items");
  const DeviceKeepers found = keepers_in(recording);
  CHECK(found.account.kept_bytes == 5 * (MiB - KiB));
}

TEST_CASE("of two variables that hold one graph, that of the module keeps what both reach") {
  KeeperBuilder keepers;
  const int window = frame(keepers, "window");
  frame(keepers, "<module>");
  const int globals = keepers.object("globals", {.name = "__main__", .file = "/home/me/train.py"});
  keepers.root("main", globals);
  const int newer = keepers.tensor(at(0), MiB);
  const int older = keepers.tensor(at(1), MiB);
  const int newer_graph = keepers.object("autograd");
  const int older_graph = keepers.object("autograd");
  keepers.refer(window, "local", "state", newer).refer(newer, "grad_fn", "", newer_graph);
  keepers.refer(globals, "global", "kept_state", older).refer(older, "grad_fn", "", older_graph);
  keepers.refer(newer_graph, "next", "", older_graph).storage(newer_graph, at(2), MiB).storage(older_graph, at(3), MiB);
  const Recording recording = heap_of(keepers.python());
  CHECK(path_of_block(recording, 2) == "running window / variable state / graph");
  CHECK(path_of_block(recording, 3) == "globals __main__ / variable kept_state / graph");
}

TEST_CASE(
    "what every program has, its model and its optimizer, comes after other variables unless the list is by size") {
  KeeperBuilder keepers;
  const int globals = keepers.object("globals", {.name = "__main__", .file = "/home/me/train.py"});
  keepers.root("main", globals);
  const int optimizer = keepers.object("optimizer", {.name = "AdamW"});
  const int model = keepers.object("module", {.name = "Net"});
  keepers.refer(globals, "global", "optimizer", optimizer).refer(globals, "global", "model", model);
  keepers.refer(globals, "global", "image", keepers.tensor(at(0), MiB));
  keepers.refer(optimizer, "attribute", "exp_avg", keepers.tensor(at(1), MiB));
  keepers.refer(optimizer, "attribute", "exp_avg_sq", keepers.tensor(at(2), MiB));
  for (std::uint64_t i = 3; i < 6; ++i)
    keepers.refer(model, "parameter", fmt::format("weight{}", i), keepers.tensor(at(i), MiB));
  const Recording recording = heap_of(keepers.python());
  const DeviceKeepers found = keepers_in(recording);
  const auto name_of = [&](const KeptVariable& variable) { return text_of(recording, variable.steps); };
  REQUIRE(found.variables.size() == 3);
  CHECK(name_of(found.variables[0]) == "globals __main__ / variable image");
  CHECK(name_of(found.variables[1]) == "globals __main__ / variable model");
  CHECK(name_of(found.variables[2]) == "globals __main__ / variable optimizer");
  const std::vector<const KeptVariable*> largest = largest_variables(found, 2);
  REQUIRE(largest.size() == 2);
  CHECK(largest[0] == &found.variables[1]);
  CHECK(largest[1] == &found.variables[2]);
}

TEST_CASE("a variable has the lines that set and use it, each variable of a name its own") {
  KeeperBuilder keepers;
  const int inner = frame(keepers, "step");
  const int outer = frame(keepers, "train");
  keepers.refer(inner, "local", "x", keepers.tensor(at(0), MiB)).refer(outer, "local", "x", keepers.tensor(at(1), 1));
  keepers.refer(outer, "local", "y", keepers.tensor(at(2), MiB));
  keepers.place(outer, "x", "set", {.name = "train", .line = 20}).place(inner, "x", "set", {.name = "step", .line = 3});
  for (int line = 4; line < 40; ++line)
    keepers.place(inner, "x", "used", {.name = "hook", .line = line});
  const Recording recording = heap_of(keepers.python());
  const DeviceKeepers found = keepers_in(recording);
  REQUIRE(found.variables.size() == 3);
  for (const KeptVariable& variable : found.variables) {
    const std::string path = text_of(recording, variable.steps);
    CAPTURE(path);
    if (path.ends_with("y")) {
      CHECK(variable.places.empty());
      continue;
    }
    const bool is_inner = path == "running step / variable x";
    REQUIRE(variable.places.size() == (is_inner ? KeptVariable::kMostPlaces : 1));
    CHECK(variable.places[0].line == (is_inner ? 3 : 20));
  }
}

TEST_CASE(
    "the variable that a line would set is named with what that line runs, and is no variable that keeps memory") {
  const std::string library = "/usr/lib/python3/site-packages/torch/nn/module.py";
  KeeperBuilder keepers;
  const int cuda = frame(keepers, "cuda", library);
  const int load = frame(keepers, "load");
  const int main = frame(keepers, "<module>");
  keepers.refer(cuda, "argument", "self", keepers.object("module", {.name = "Net"}));
  keepers.refer(3, "parameter", "weight", keepers.tensor(at(0), MiB));
  keepers.refer(load, "local", "model", keepers.tensor(at(1), MiB));
  const BuiltObject line{.name = "<module>", .file = "/home/me/train.py", .line = 30};
  keepers.place(load, "model", "would set", line).place(main, "model", "would set", line);
  const Recording recording = heap_of(keepers.python());
  const DeviceKeepers found = keepers_in(recording);
  REQUIRE(found.pending);
  CHECK(recording.frames.text(found.pending->name) == "model");
  CHECK(recording.frames.text(found.pending->code.text) == "<module>");
  CHECK(found.pending->code.line == 30);
  REQUIRE(found.variables.size() == 2);
  for (const KeptVariable& variable : found.variables) {
    const bool is_of_library = text_of(recording, variable.steps) == "running cuda / variable self";
    CHECK(variable.pending.has_value() == is_of_library);
    CHECK(variable.places.empty());
  }
}

TEST_CASE("numbered modules and keys of large dicts are items, and a caught exception names the function") {
  KeeperBuilder keepers;
  const int search = frame(keepers, "search");
  const int model = keepers.object("module");
  const int layers = keepers.object("module");
  const int layer = keepers.object("module");
  keepers.refer(search, "local", "model", model).refer(model, "attribute", "layers", layers);
  keepers.refer(layers, "attribute", "3", layer).refer(layer, "attribute", "weight", keepers.tensor(at(0), MiB));
  const int small = keepers.object("dict", {.items = 1});
  keepers.refer(search, "local", "state", small).refer(small, "key", "exp_avg", keepers.tensor(at(1), MiB));
  const int large = keepers.object("dict", {.items = 20});
  keepers.refer(search, "local", "weights", large);
  for (int i = 0; i < 20; ++i)
    keepers.refer(large, "key", fmt::format("layer{}", i), keepers.tensor(at(2), MiB));
  const int error = keepers.object("exception", {.name = "torch.OutOfMemoryError"});
  const int outer = keepers.object("traceback", {.name = "attempt", .file = "/home/me/train.py", .line = 8});
  const int inner = keepers.object("traceback", {.name = "forward", .file = "/home/me/model.py", .line = 5});
  keepers.refer(search, "local", "error", error).refer(error, "traceback", "", outer);
  keepers.refer(outer, "attribute", "tb_next", inner).refer(inner, "local", "x", keepers.tensor(at(3), MiB));
  const Recording recording = heap_of(keepers.python());
  CHECK(path_of_block(recording, 0) == "running search / variable model / attr layers / items / attr weight");
  CHECK(path_of_block(recording, 1) == "running search / variable state / key exp_avg");
  CHECK(path_of_block(recording, 2) == "running search / variable weights / items");
  CHECK(path_of_block(recording, 3) == "running search / variable error / after forward / variable x");
}

TEST_CASE("a closure's cell makes no step, and self is named with its attribute") {
  KeeperBuilder keepers;
  const int run = frame(keepers, "run");
  const int trainer = keepers.object("instance", {.name = "Trainer"});
  const int hook = keepers.object("function", {.name = "hook", .file = "/home/me/train.py"});
  const int cell = keepers.object("closure");
  keepers.refer(run, "local", "self", trainer).refer(trainer, "attribute", "hook", hook);
  keepers.refer(hook, "closure", "features", cell).refer(cell, "refers", "", keepers.tensor(at(0), MiB));
  const Recording recording = heap_of(keepers.python());
  CHECK(path_of_block(recording, 0) == "running run / variable self / attr hook / variable features");
  const DeviceKeepers found = keepers_in(recording);
  REQUIRE(found.variables.size() == 1);
  CHECK(text_of(recording, found.variables[0].steps) == "running run / variable self / attr hook");
}

TEST_CASE("cycles, temporaries and a cut walk have their own accounts") {
  KeeperBuilder keepers;
  const int node = keepers.object("instance", {.name = "Node"});
  keepers.refer(node, "attribute", "me", node).refer(node, "attribute", "tensor", keepers.tensor(at(0), MiB));
  keepers.root("cycle", node).root("temporary", keepers.tensor(at(1) + 512, 512));
  for (const char* const cut : {"", "time"}) {
    CAPTURE(cut);
    const Recording recording = heap_of(keepers.python().set("cut", cut));
    const KeeperAccount account = keepers_in(recording).account;
    const bool is_whole = *cut == '\0';
    CHECK(account.cycle_bytes == MiB - KiB);
    CHECK(account.temporary_bytes == MiB - KiB);
    CHECK(account.no_object_bytes == (is_whole ? 8 * (MiB - KiB) : 0));
    CHECK(account.unknown_bytes == (is_whole ? 0 : 8 * (MiB - KiB)));
    CHECK(path_of_block(recording, 0) == "cycle / object Node / attr tensor");
    CHECK(path_of_block(recording, 1) == "temporary");
  }
}

TEST_CASE("a storage outside every active block keeps nothing, and one that no root reaches has no object") {
  KeeperBuilder keepers;
  const int train = frame(keepers, "train");
  keepers.refer(train, "local", "gone", keepers.tensor(at(10), MiB)).refer(train, "local", "far", keepers.tensor(7, 1));
  keepers.tensor(at(0), MiB);
  const DeviceKeepers found = keepers_in(heap_of(keepers.python()));
  CHECK(found.variables.empty());
  CHECK(found.account.no_object_bytes == 10 * (MiB - KiB));
}

TEST_CASE("a linked list of 100,000 objects has a path of bounded length") {
  KeeperBuilder keepers;
  int last = frame(keepers, "train");
  for (int i = 0; i < 100000; ++i) {
    const int next = keepers.object("instance", {.name = "Node"});
    keepers.refer(last, i == 0 ? "local" : "attribute", i == 0 ? "head" : "next", next);
    last = next;
  }
  keepers.refer(last, "attribute", "tensor", keepers.tensor(at(0), MiB));
  const Recording recording = heap_of(keepers.python());
  const KeeperPaths paths = keeper_paths(recording);
  CHECK(paths.steps_of(paths.path_of_block[0]).size() == 40);
  CHECK(keepers_in(recording).variables.at(0).retained_bytes == MiB - KiB);
}

TEST_CASE("the blocks of the parts of an account add up like its bytes") {
  KeeperBuilder keepers;
  const int train = frame(keepers, "train");
  keepers.refer(train, "local", "x", keepers.tensor(at(0), MiB));
  keepers.root("temporary", keepers.tensor(at(1), MiB));
  keepers.root("cycle", keepers.tensor(at(2), MiB));
  const DeviceKeepers found = keepers_in(heap_of(keepers.python()));
  CHECK(found.blocks.kept == 1);
  CHECK(found.blocks.temporary == 1);
  CHECK(found.blocks.cycle == 1);
  CHECK(found.blocks.no_object == 7);
  CHECK(found.blocks.unknown == 0);
}

TEST_CASE("keepers are those of an error after which only snapshots were taken") {
  const auto knows_keepers = [](std::initializer_list<const char*> later) {
    KeeperBuilder keepers;
    keepers.refer(frame(keepers, "step"), "local", "batch", keepers.tensor(at(0), MiB));
    SnapshotBuilder snapshot;
    snapshot.segment(kHeap, 2 * MiB).active(MiB, MiB).inactive(MiB);
    snapshot.alloc(at(0), MiB).event("oom", 0, GiB);
    for (const char* const action : later)
      snapshot.event(action, 0, 0);
    const Recording recording = snapshot.set("memviz_keepers", keepers.python()).read();
    return !keepers_of(state_at(recording, {.kind = MomentKind::automatic})).empty();
  };
  CHECK(knows_keepers({}));
  CHECK(knows_keepers({"snapshot", "snapshot"}));
  CHECK_FALSE(knows_keepers({"snapshot", "free_requested"}));
}

TEST_CASE("a device without memory in use has no tables of keepers") {
  CHECK(keepers_text(FrameTable(), DeviceKeepers()).empty());
  CHECK(keeper_paths_text(FrameTable(), DeviceKeepers()).empty());
}
