#include "memviz/keeper_words.hpp"
#include "support/contains.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

class Steps {
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
  Steps steps;
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
  Steps steps;
  const auto text = [&](const KeeperStep& root) { return keeper_root_text(steps.frames, root); };
  CHECK(text(steps.running()) == "in validate train.py:10");
  CHECK(text(steps.step(KeeperPart::globals, "__main__", "/home/me/train.py")) == "a global of train.py");
  CHECK(text(steps.step(KeeperPart::globals, "torch._dynamo.config")) == "a global of torch._dynamo.config");
  CHECK(text(steps.step(KeeperPart::running, "<module>", "/home/me/train.py", 3)) == "a global of train.py");
  CHECK(text(steps.step(KeeperPart::no_object)) == "no Python object");
}

TEST_CASE("the sentence about a variable says what dropping it frees") {
  Steps steps;
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
}

TEST_CASE("small variables have no sentence; cycles and temporaries have one") {
  Steps steps;
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
}
