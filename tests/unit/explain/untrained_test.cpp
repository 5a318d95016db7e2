#include "analysis/causes/untrained.hpp"

#include "support/keeper_heap.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

namespace memviz {

using namespace test;

namespace {

/// A program with two modules, `trained` and `other`, of which each has one parameter, in blocks 0 and 1.
struct TwoModels {
  KeeperBuilder keepers = {};
  int running = frame(keepers, "train");
  int trained = parameter(0);
  int other = parameter(1);

  TwoModels() {
    for (const int weight : {trained, other}) {
      const int module = keepers.object("module", {.name = "Net"});
      keepers.refer(running, "local", weight == trained ? "student" : "teacher", module);
      keepers.refer(module, "parameter", "weight", weight);
    }
  }

  int parameter(std::uint64_t block) {
    const int found = keepers.object("parameter", {.name = "torch.nn.parameter.Parameter"});
    keepers.storage(found, at(block), MiB);
    return found;
  }
  TwoModels& optimize(const std::vector<int>& tensors, int items = -1) {
    const int optimizer = keepers.object("optimizer", {.name = "torch.optim.sgd.SGD"});
    const int groups = keepers.object("list", {.items = 1});
    const int group = keepers.object("dict", {.items = 1});
    const int list = keepers.object("list", {.items = items < 0 ? static_cast<int>(tensors.size()) : items});
    keepers.refer(running, "local", "optimizer", optimizer).refer(optimizer, "attribute", "param_groups", groups);
    keepers.refer(groups, "index", 0, group).refer(group, "key", "params", list);
    for (std::size_t i = 0; i < tensors.size(); ++i)
      keepers.refer(list, "index", static_cast<int>(i), tensors[i]);
    return *this;
  }
  /// Adds a list with this parameter, which the object refers to.
  TwoModels& list_in(int object, int item) {
    const int list = keepers.object("list", {.items = 1});
    keepers.refer(object, "attribute", "items", list).refer(list, "index", 0, item);
    return *this;
  }
  /// Returns a node that leads to the leaf of this parameter and saves a tensor in this block.
  int node(int parameter_of_leaf, std::uint64_t saved_block, const std::string& name = "MulBackward0") {
    const int leaf = keepers.object("autograd", {.name = "AccumulateGrad"});
    const int found = keepers.object("autograd", {.name = name});
    keepers.refer(leaf, "saved", "variable", parameter_of_leaf).refer(found, "next", "", leaf);
    keepers.refer(found, "saved", "self", keepers.tensor(at(saved_block), MiB));
    const int output = keepers.object("tensor");
    keepers.refer(running, "local", "x", output).refer(output, "grad_fn", "", found);
    return found;
  }
  [[nodiscard]] Untrained find(bool has_run_backward = false) const {
    const MemoryState state = state_with_kinds(heap_of(keepers.python()), MomentKind::end);
    return find_untrained(state, state.devices.at(0).device, has_run_backward);
  }
  /// The numbers of the blocks that are kept for nothing.
  [[nodiscard]] std::set<std::uint64_t> blocks() const {
    std::set<std::uint64_t> numbers;
    for (const std::uint64_t address : find().blocks)
      numbers.insert((address - kHeap) / MiB);
    return numbers;
  }
};

using BlockNumbers = std::set<std::uint64_t>;

} // namespace

TEST_CASE("gradients of parameters without an optimizer, and what only their nodes save, are found") {
  TwoModels program;
  program.optimize({program.trained});
  program.keepers.refer(program.trained, "grad", "", program.keepers.tensor(at(2), MiB));
  program.keepers.refer(program.other, "grad", "", program.keepers.tensor(at(3), MiB));
  program.node(program.trained, 4);
  program.node(program.other, 5);
  CHECK(program.blocks() == BlockNumbers{3, 5});
  CHECK(program.find().parameters == 1);
  CHECK(program.find().has_optimizer);
}

TEST_CASE("what leads to a trained parameter is saved for it, though it leads to others as well") {
  TwoModels program;
  program.optimize({program.trained});
  const int own = program.node(program.other, 4);
  SUBCASE("a node after both") {
    const int both = program.node(program.trained, 5);
    program.keepers.refer(both, "next", "", own);
    CHECK(program.blocks() == BlockNumbers{4});
  }
  SUBCASE("a tensor that both save") {
    const int shared = program.keepers.tensor(at(4), MiB);
    program.keepers.refer(program.node(program.trained, 5), "saved", "other", shared);
    CHECK(program.blocks().empty());
  }
  SUBCASE("a tensor that a variable has") {
    program.keepers.refer(program.running, "local", "y", program.keepers.tensor(at(4), MiB));
    CHECK(program.blocks().empty());
  }
  SUBCASE("a function of Python, which may compute other gradients") {
    program.node(program.other, 5, "CheckpointFunctionBackward");
    CHECK(program.blocks() == BlockNumbers{4});
  }
}

TEST_CASE("what an object written by hand refers to may be updated by it") {
  TwoModels program;
  program.optimize({program.trained});
  program.keepers.refer(program.other, "grad", "", program.keepers.tensor(at(3), MiB));
  program.node(program.other, 4);
  const BlockNumbers all{3, 4};
  SUBCASE("none") {
    CHECK(program.blocks() == all);
  }
  SUBCASE("a class with a list of parameters, as an optimizer of one's own") {
    const int muon = program.keepers.object("instance", {.name = "Muon"});
    program.keepers.refer(program.running, "local", "muon", muon);
    program.list_in(muon, program.other);
    CHECK(program.blocks().empty());
  }
  SUBCASE("an attribute") {
    const int muon = program.keepers.object("instance", {.name = "Muon"});
    program.keepers.refer(program.running, "local", "muon", muon).refer(muon, "attribute", "weight", program.other);
    CHECK(program.blocks().empty());
  }
  SUBCASE("a hook") {
    const int variable = program.keepers.object("closure");
    program.keepers.refer(program.running, "local", "hook", variable).refer(variable, "closure", "p", program.other);
    CHECK(program.blocks().empty());
  }
  SUBCASE("a list of a variable") {
    program.list_in(program.running, program.other);
    CHECK(program.blocks().empty());
  }
  SUBCASE("a variable, as in a loop over parameters") {
    program.keepers.refer(program.running, "local", "p", program.other);
    CHECK(program.blocks() == all);
  }
  SUBCASE("a list of a module, as nn.LSTM has") {
    const int module = program.keepers.object("module", {.name = "torch.nn.modules.rnn.LSTM"});
    program.keepers.refer(program.running, "local", "rnn", module);
    program.list_in(module, program.other);
    CHECK(program.blocks() == all);
  }
}

TEST_CASE("gradients that are gone after a backward pass were used") {
  TwoModels program;
  program.optimize({program.trained});
  program.node(program.other, 4);
  CHECK(program.find().parameters == 1);
  CHECK(program.find(true).parameters == 0);
  CHECK(program.find(true).blocks.empty());
  program.keepers.refer(program.other, "grad", "", program.keepers.tensor(at(3), MiB));
  CHECK(program.find(true).parameters == 1);
  CHECK(program.find(true).blocks.size() == 2);
}

TEST_CASE("where optimizers may update copies of parameters, none of these is untrained") {
  TwoModels program;
  program.keepers.refer(program.other, "grad", "", program.keepers.tensor(at(3), MiB));
  SUBCASE("no optimizer") {
  }
  SUBCASE("copies, in no module") {
    program.optimize({program.trained, program.parameter(6)});
  }
  SUBCASE("tensors") {
    program.optimize({program.trained, program.keepers.tensor(at(6), MiB)});
  }
  SUBCASE("parameters that lead to no memory of a GPU") {
    program.optimize({program.trained}, 2);
  }
  SUBCASE("copies in float32") {
    program.optimize({program.trained});
    const int optimizer = program.keepers.object("optimizer", {.name = "Mixed"});
    program.keepers.refer(program.running, "local", "mixed", optimizer);
    program.keepers.refer(optimizer, "attribute", "fp32_groups", program.keepers.tensor(at(6), MiB));
  }
  CHECK(program.find().parameters == 0);
  CHECK(program.blocks().empty());
}

} // namespace memviz
