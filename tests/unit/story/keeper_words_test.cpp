#include "story/keeper_words.hpp"
#include "support/contains.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

class PathSteps {
public:
  KeeperStep step(KeeperPart part, const std::string& text = "", const std::string& file = "", std::uint32_t line = 0) {
    return {.part = part, .text = frames.intern(text), .file = frames.intern(file), .line = line};
  }
  KeeperStep running() { return step(KeeperPart::running, "validate", "/home/me/train.py", 10); }

  KeptVariable variable(std::uint64_t own_bytes, std::uint64_t graph_bytes, std::uint64_t retained_bytes) {
    KeptVariable variable;
    variable.steps = {running(), step(KeeperPart::variable, "predictions")};
    variable.object.kind = KeeperKind::list;
    variable.object.items = 27;
    variable.own_bytes = own_bytes;
    variable.graph_bytes = graph_bytes;
    variable.retained_bytes = retained_bytes;
    return variable;
  }

  FrameTable frames;
};

constexpr std::uint64_t kKeptMiB = 1024 * 1024;

} // namespace

TEST_CASE("a path reads as in Python") {
  PathSteps steps;
  const auto text = [&](const std::vector<KeeperStep>& path) { return keeper_path_text(steps.frames, path); };
  using enum KeeperPart;
  CHECK(text({steps.running(), steps.step(variable, "predictions"), steps.step(items)}) == "predictions[*]");
  CHECK(text({steps.running(), steps.step(variable, "model"), steps.step(attribute, "layers"), steps.step(items),
              steps.step(attribute, "weight")}) == "model.layers[*].weight");
  CHECK(text({steps.running(), steps.step(variable, "optimizer"), steps.step(attribute, "state"), steps.step(items),
              steps.step(key, "exp_avg")}) == "optimizer.state[*]['exp_avg']");
  CHECK(text({steps.running(), steps.step(variable, "errors"), steps.step(items),
              steps.step(traceback, "forward", "/home/me/model.py", 12), steps.step(variable, "x")}) ==
        "errors[*].__traceback__ -> x in forward model.py:12");
  CHECK(text({steps.running(), steps.step(variable, "loss"), steps.step(graph)}) == "loss");
  CHECK(text({steps.step(temporary)}).empty());
}

TEST_CASE("a root is a function, a module or the reason why there is none") {
  PathSteps steps;
  const auto text = [&](const KeeperStep& root) { return keeper_root_text(steps.frames, root); };
  CHECK(text(steps.running()) == "in validate train.py:10");
  CHECK(text(steps.step(KeeperPart::globals, "__main__", "/home/me/train.py")) == "a global of train.py");
  CHECK(text(steps.step(KeeperPart::globals, "torch._dynamo.config")) == "a global of torch._dynamo.config");
  CHECK(text(steps.step(KeeperPart::running, "<module>", "/home/me/train.py", 3)) == "a global of train.py");
  CHECK(text(steps.step(KeeperPart::no_object)) == "no Python object");
}

TEST_CASE("the sentence about a variable says what dropping it frees") {
  PathSteps steps;
  DeviceKeepers keepers;
  keepers.account.kept_bytes = 1000 * kKeptMiB;
  const auto sentence = [&](const KeptVariable& variable) {
    keepers.variables = {variable};
    return keeper_sentences(steps.frames, keepers).at(0);
  };
  CHECK(sentence(steps.variable(100 * kKeptMiB, 400 * kKeptMiB, 500 * kKeptMiB)) ==
        "Keeper: 500 MiB of 1,000 MiB is kept by `predictions` (list of 27) in validate train.py:10: 100 MiB itself, "
        "400 MiB by "
        "its tensors' graphs. Dropping it frees 500 MiB.");
  CHECK(sentence(steps.variable(500 * kKeptMiB, 0, 0)) == "Keeper: 500 MiB of 1,000 MiB is kept by `predictions` (list "
                                                          "of 27) in validate train.py:10. Other objects refer to this "
                                                          "memory as well.");
  KeptVariable shared = steps.variable(0, 500 * kKeptMiB, 400 * kKeptMiB);
  shared.other_references = 2;
  CHECK(sentence(shared) ==
        "Keeper: 500 MiB of 1,000 MiB is kept by `predictions` (list of 27) in validate train.py:10: 500 MiB "
        "by its tensors' graphs. 400 MiB goes with the object, which has 2 other references.");
  shared.steps.front() = steps.step(KeeperPart::running, "backward", "/x/site-packages/torch/_tensor.py", 5);
  shared.called_by = steps.running();
  CHECK(contains(sentence(shared),
                 "`predictions` (list of 27) in backward _tensor.py:5, called by validate train.py:10"));
  shared.pending = PendingVariable{steps.frames.intern("self.loss"), steps.running()};
  CHECK(contains(sentence(shared), ", called by validate train.py:10, which would set `self.loss`:"));
}

TEST_CASE("the sentence about a variable names the lines that set it and one that uses it") {
  PathSteps steps;
  DeviceKeepers keepers;
  keepers.account.kept_bytes = 1000 * kKeptMiB;
  const auto place = [&](CodeRelation how, const std::string& function, std::uint32_t line,
                         const std::string& file = "/home/me/train.py") {
    return CodePlace{{0}, {}, how, steps.frames.intern(function), steps.frames.intern(file), line};
  };
  const auto sentence = [&](KeptVariable variable, const std::vector<CodePlace>& places) {
    variable.places = places;
    keepers.variables = {variable};
    return keeper_sentences(steps.frames, keepers).at(0);
  };
  using enum CodeRelation;
  KeptVariable variable = steps.variable(500 * kKeptMiB, 0, 500 * kKeptMiB);
  CHECK(contains(sentence(variable, {place(sets, "validate", 8)}), " in validate train.py:10, set in line 8. Drop"));
  CHECK(contains(sentence(variable, {place(sets, "validate", 8), place(sets, "validate", 9)}),
                 ", set in lines 8 and 9."));
  CHECK(contains(sentence(variable, {place(sets, "validate", 8), place(sets, "validate", 9),
                                     place(sets, "validate", 11), place(sets, "validate", 12)}),
                 ", set in lines 8, 9, 11 and others."));
  CHECK(contains(sentence(variable, {place(sets, "validate", 8), place(sets, "inner", 9)}),
                 ", set by validate train.py:8 and inner train.py:9."));
  variable.steps.front() = steps.step(KeeperPart::globals, "__main__", "/home/me/train.py");
  CHECK(contains(sentence(variable, {place(sets, "<module>", 3), place(sets, "<module>", 9),
                                     place(uses, "hook", 5, "/home/me/hooks.py")}),
                 "a global of train.py, set by <module> train.py:3 and train.py:9, used by hook hooks.py:5. Drop"));
  CHECK(contains(sentence(variable, {place(sets, "backward", 3, "/x/site-packages/torch/_tensor.py")}),
                 "a global of train.py. "));
  CHECK(contains(sentence(variable, {place(uses, "", 5)}), "a global of train.py, used by train.py:5."));
  CHECK(contains(sentence(variable, {}), "a global of train.py. Drop"));
}

TEST_CASE("small variables have no sentence; cycles and temporaries have one") {
  PathSteps steps;
  DeviceKeepers keepers;
  keepers.account = {.kept_bytes = 500 * kKeptMiB, .cycle_bytes = 300 * kKeptMiB, .temporary_bytes = 200 * kKeptMiB};
  keepers.blocks = {.cycle = 3, .temporary = 2};
  keepers.variables = {steps.variable(90 * kKeptMiB, 0, 0)};
  keepers.running = steps.running();
  keepers.temporary = KeeperObject{.kind = KeeperKind::list, .name = {}, .file = {}, .line = 0, .items = 9};
  const std::vector<std::string> sentences = keeper_sentences(steps.frames, keepers);
  REQUIRE(sentences.size() == 2);
  CHECK(contains(sentences[0], "Cycles: 300 MiB waits for the garbage collector: 3 blocks"));
  CHECK(contains(sentences[1], "200 MiB has no name: objects of the line that runs, validate train.py:10, (the largest "
                               "is a list of 9) or held by C++."));
  keepers.pending = PendingVariable{steps.frames.intern("images"),
                                    steps.step(KeeperPart::running, "<module>", "/home/me/train.py", 30)};
  CHECK(contains(keeper_sentences(steps.frames, keepers)[1],
                 "validate train.py:10, whose value would set `images` in <module> train.py:30, (the largest"));
}

TEST_CASE("the tooltip of a block says by which path it is kept, and what goes with its variable") {
  PathSteps steps;
  using enum KeeperPart;
  KeeperTable table;
  const auto path = [&](const KeeperStep& step, PathId before, bool is_in_graph = false) {
    table.paths.paths.push_back({.step = step, .before = before, .is_in_graph = is_in_graph, .object = {}});
    table.keeper_of_path.push_back(0);
    return PathId{static_cast<std::uint32_t>(table.paths.paths.size() - 1)};
  };
  const PathId list = path(steps.step(variable, "predictions"), path(steps.running(), kNoPath));
  const PathId item = path(steps.step(items), list);
  const PathId saved = path(steps.step(graph), item, true);
  table.keepers = {steps.variable(100 * kKeptMiB, 400 * kKeptMiB, 500 * kKeptMiB)};
  const auto text = [&](PathId one) { return block_keeper_text(steps.frames, table, {one}); };
  CHECK(text(item) == "kept by predictions[*] in validate train.py:10;\ndropping predictions frees 500 MiB");
  CHECK(text(saved) ==
        "kept by predictions[*] in validate train.py:10, through its graph;\ndropping predictions frees 500 MiB");
  table.paths.items = {
      {.index = 3, .key = {}}, {.index = {}, .key = steps.frames.intern("a")}, {.index = {}, .key = {}}};
  const auto text_with = [&](std::uint32_t one) { return block_keeper_text(steps.frames, table, {item, ItemId{one}}); };
  CHECK(contains(text_with(0), "kept by predictions[3] in validate train.py:10;\ndropping predictions frees"));
  CHECK(contains(text_with(1), "kept by predictions['a'] in"));
  CHECK(contains(text_with(2), "kept by predictions[*] in"));
  table.limit = KeeperLimit::time;
  CHECK(text(item) == "kept by predictions[*] in validate train.py:10;\ndropping predictions frees at most 500 MiB");
  table.limit = KeeperLimit::none;
  table.keepers[0].other_references = 2;
  CHECK(text(item) == "kept by predictions[*] in validate train.py:10;\n500 MiB goes with the object of predictions, "
                      "which has 2 other references");
  table.keepers[0].retained_bytes = 0;
  CHECK(text(item) == "kept by predictions[*] in validate train.py:10");
  CHECK(text(kNoPath) == "freed before the end of the recording: no keeper");
  CHECK(text(path(steps.step(no_object), kNoPath)) ==
        "no Python object refers to it: a library's workspace, or held by C++");
  CHECK(contains(text(path(steps.step(cycle), kNoPath)), "gc.collect() frees them"));
}

TEST_CASE("the row of a keeper has its name, its place and what it is; without a variable, the reason") {
  PathSteps steps;
  using enum KeeperPart;
  KeeperTable table;
  table.keepers = {steps.variable(100 * kKeptMiB, 400 * kKeptMiB, 500 * kKeptMiB)};
  const Label label = keeper_line_label(steps.frames, table.keepers[0]);
  CHECK(label.name == "predictions");
  CHECK(label.place == "in validate train.py:10");
  CHECK(label.note == "list of 27");
  KeptVariable model = table.keepers[0];
  model.object.kind = KeeperKind::module;
  model.object.name = steps.frames.intern("acme.nn.Decoder");
  CHECK(keeper_line_label(steps.frames, model).note == "Decoder");
  model.object.name = steps.frames.intern("Encoder");
  CHECK(keeper_line_label(steps.frames, model).note == "Encoder");
  CHECK(keeper_title(steps.frames, table, 0) == "`predictions` (list of 27) in validate train.py:10\n500 MiB at the "
                                                "end: 100 MiB itself, 400 MiB by its tensors' graphs\nDropping it "
                                                "frees 500 MiB.");
  CHECK(contains(keeper_title(steps.frames, table, kNoKeeper), "freed before the end"));
  table.keepers[0].steps.front() = steps.step(globals, "__main__", "/home/me/train.py");
  CHECK(keeper_line_label(steps.frames, table.keepers[0]).place == "in train.py");
  table.keepers[0].steps = {steps.step(cycle)};
  CHECK(keeper_line_label(steps.frames, table.keepers[0]).name == "<cycle>");
  CHECK(contains(keeper_title(steps.frames, table, 0), "gc.collect()"));
}
