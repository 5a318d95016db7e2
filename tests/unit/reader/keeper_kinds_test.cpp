#include "memviz/kinds.hpp"
#include "memviz/recorder.hpp"
#include "memviz/replay.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kHeap = 0x1000000;

/// Ten blocks of a mebibyte in use; the objects of a program that refers to them.
struct Program {
  KeeperBuilder keepers = {};
  SnapshotBuilder snapshot = {};
  int frame = 0;

  Program() {
    SegmentBuilder segment = snapshot.segment(kHeap, 10 * MiB);
    for (int i = 0; i < 10; ++i)
      segment.active(MiB, MiB);
    frame = keepers.object("frame", {.name = "train", .file = "/home/me/train.py", .line = 12});
    keepers.root("local", frame);
  }

  int tensor(std::uint64_t block, const std::string& kind = "tensor") {
    return keepers.tensor(kHeap + block * MiB, MiB, kind);
  }
  int module(const std::string& name = "Net") { return keepers.object("module", {.name = name}); }
  int optimizer() {
    const int found = keepers.object("optimizer", {.name = "torch.optim.adamw.AdamW"});
    keepers.refer(frame, "local", "optimizer", found);
    return found;
  }
  /// An optimizer with these parameters, of which the first has this state.
  int optimizer_of(const std::vector<int>& parameters, int state_tensor) {
    const int found = optimizer();
    const int groups = keepers.object("list", {.items = 1});
    const int group = keepers.object("dict", {.items = 2});
    const int list = keepers.object("list", {.items = static_cast<int>(parameters.size())});
    keepers.refer(found, "attribute", "param_groups", groups).refer(groups, "index", 0, group);
    keepers.refer(group, "key", "params", list);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      keepers.refer(list, "index", static_cast<int>(i), parameters[i]);
    const int state = keepers.object("dict");
    const int entry = keepers.object("dict", {.items = 2});
    keepers.refer(found, "attribute", "state", state).refer(state, "other_key", "torch.nn.parameter.Parameter", entry);
    keepers.refer(state, "refers", "key", parameters.at(0)).refer(entry, "key", "exp_avg", state_tensor);
    return found;
  }

  [[nodiscard]] Recording read() { return snapshot.set("memviz_keepers", keepers.python()).read(); }
  /// "0 parameter h.weight, 1 gradient h.weight": by number of the block
  [[nodiscard]] std::string kinds() {
    const Recording recording = read();
    std::string text;
    for (const DeclaredMemory& one : recording.declared) {
      CHECK(one.evidence == KindEvidence::keepers);
      const std::string_view name = recording.frames.text(one.name);
      text += fmt::format("{}{} {}{}{}", text.empty() ? "" : ", ", (one.address - kHeap) / MiB, kind_name(one.kind),
                          name.empty() ? "" : " ", name);
    }
    return text;
  }
};

} // namespace

TEST_CASE("a module's parameters and buffers, their gradients and the optimizer's state have their kinds and names") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int model = program.module();
  const int block = program.module("torch.nn.modules.linear.Linear");
  const int weight = program.tensor(0, "parameter");
  const int bias = program.tensor(1, "parameter");
  keepers.refer(program.frame, "local", "model", model).refer(model, "attribute", "h", block);
  keepers.refer(block, "parameter", "weight", weight).refer(block, "parameter", "bias", bias);
  keepers.refer(block, "buffer", "mean", program.tensor(2)).refer(weight, "grad", "", program.tensor(3));
  keepers.refer(model, "attribute", "outputs", program.tensor(4));
  program.optimizer_of({weight, bias}, program.tensor(5));
  CHECK(program.kinds() == "0 parameter h.weight, 1 parameter h.bias, 2 parameter h.mean, 3 gradient h.weight, "
                           "5 optimizer_state");
}

TEST_CASE("parameters of an optimizer that are of no module have their places in it as names, with their gradients") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int weight = program.tensor(0, "parameter");
  const int plain = program.tensor(1);
  const int of_module = program.tensor(2, "parameter");
  const int model = program.module();
  keepers.refer(model, "parameter", "bias", of_module).refer(weight, "grad", "grad", program.tensor(3));
  const int optimizer = program.optimizer_of({of_module, weight, plain}, program.tensor(4));
  keepers.refer(optimizer, "attribute", "others", weight);
  CHECK(program.kinds() == "0 parameter param_groups[0].params[1], 1 parameter param_groups[0].params[2], "
                           "2 parameter bias, 3 gradient param_groups[0].params[1], 4 optimizer_state");
}

TEST_CASE("memory of a module that an optimizer has as other tensors keeps the module's name") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int part = program.tensor(0);
  program.optimizer_of({part, program.tensor(0)}, program.tensor(1));
  CHECK(program.kinds() == "0 parameter param_groups[0].params[0] and 1 more, 1 optimizer_state");
  const int model = program.module();
  keepers.refer(model, "parameter", "weight", program.tensor(0, "parameter"));
  CHECK(program.kinds() == "0 parameter weight, 1 optimizer_state");
}

TEST_CASE("groups of an optimizer that contain themselves have an end") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int optimizer = program.optimizer();
  const int list = keepers.object("list");
  const int group = keepers.object("dict");
  keepers.refer(optimizer, "attribute", "param_groups", list)
      .refer(list, "index", 0, list)
      .refer(list, "index", 1, group);
  keepers.refer(group, "key", "params", list).refer(list, "index", 2, program.tensor(0, "parameter"));
  CHECK(program.kinds() == "0 parameter");
}

TEST_CASE("an attribute of a module that is a Parameter is one, as older recorders write it; a tensor is not") {
  Program program;
  const int model = program.module();
  program.keepers.refer(program.frame, "local", "model", model);
  program.keepers.refer(model, "attribute", "weight", program.tensor(0, "parameter"));
  program.keepers.refer(model, "attribute", "cached", program.tensor(1));
  CHECK(program.kinds() == "0 parameter weight");
}

TEST_CASE("tied weights are one parameter, with its first name in the order of named_parameters()") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int model = program.module();
  const int embedding = program.module();
  const int head = program.module();
  const int weight = program.tensor(0, "parameter");
  keepers.refer(program.frame, "local", "model", model);
  keepers.refer(model, "attribute", "wte", embedding).refer(model, "attribute", "head", head);
  keepers.refer(head, "parameter", "weight", weight).refer(embedding, "parameter", "weight", weight);
  SUBCASE("the same object") {
    CHECK(program.kinds() == "0 parameter wte.weight");
  }
  SUBCASE("two objects with one storage") {
    keepers.refer(head, "parameter", "other", program.tensor(0, "parameter"));
    CHECK(program.kinds() == "0 parameter wte.weight and 1 more");
  }
}

TEST_CASE("names leave out what wrappers of PyTorch add, and modules in a circle have an end") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int parallel = program.module("torch.nn.parallel.distributed.DistributedDataParallel");
  const int compiled = program.module("torch._dynamo.eval_frame.OptimizedModule");
  const int model = program.module();
  const int part = program.module();
  keepers.refer(program.frame, "local", "model", parallel).refer(parallel, "attribute", "module", compiled);
  keepers.refer(compiled, "attribute", "_orig_mod", model).refer(model, "attribute", "module", part);
  keepers.refer(part, "parameter", "weight", program.tensor(0, "parameter"));
  SUBCASE("wrapped") {
    CHECK(program.kinds() == "0 parameter module.weight");
  }
  SUBCASE("the part refers to its model, and the model to what wraps it") {
    keepers.refer(part, "attribute", "parent", model).refer(model, "attribute", "wrapper", parallel);
    CHECK(program.kinds() == "0 parameter module.weight");
  }
}

TEST_CASE("`.grad` is a gradient of whichever tensor, without a name if that is of no module") {
  Program program;
  const int image = program.tensor(0);
  program.keepers.refer(program.frame, "local", "image", image).refer(image, "grad", "", program.tensor(1));
  CHECK(program.kinds() == "1 gradient");
}

TEST_CASE("a block with several roles is only of a kind that all allow") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int model = program.module();
  const int weight = program.tensor(0, "parameter");
  keepers.refer(program.frame, "local", "model", model).refer(model, "parameter", "weight", weight);
  SUBCASE("a parameter and its gradient in one storage: unknown") {
    keepers.refer(weight, "grad", "", program.tensor(0));
    CHECK(program.kinds().empty());
  }
  SUBCASE("a state that is the parameter itself: a parameter") {
    program.optimizer_of({weight}, program.tensor(0));
    CHECK(program.kinds() == "0 parameter weight");
  }
  SUBCASE("a state that is the gradient itself: a gradient") {
    keepers.refer(weight, "grad", "", program.tensor(1));
    program.optimizer_of({weight}, program.tensor(1));
    CHECK(program.kinds() == "0 parameter weight, 1 gradient weight");
  }
  SUBCASE("a variable, a view and autograd refer to the parameter as well: a parameter") {
    const int graph = keepers.object("autograd", {.name = "MmBackward0"});
    keepers.refer(program.frame, "local", "view", program.tensor(0)).storage(graph, kHeap, MiB);
    CHECK(program.kinds() == "0 parameter weight");
  }
}

TEST_CASE("tensors that an optimizer updates are parameters, but not the copies of optimizers with mixed precision") {
  Program program;
  const int weight = program.tensor(0);
  program.optimizer_of({weight}, program.tensor(1));
  SUBCASE("in a program without modules") {
    CHECK(program.kinds() == "0 parameter param_groups[0].params[0], 1 optimizer_state");
  }
  SUBCASE("copies in float32") {
    const int wrapper = program.keepers.object("instance", {.name = "deepspeed.runtime.zero.stage_1_and_2.Optimizer"});
    const int list = program.keepers.object("list", {.items = 1});
    program.keepers.refer(wrapper, "attribute", "single_partition_of_fp32_groups", list)
        .refer(list, "index", 0, weight);
    CHECK(program.kinds() == "1 optimizer_state");
  }
}

TEST_CASE("what an optimizer's groups have besides parameters is state; keys and numbers of its dicts are nothing") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int optimizer = program.optimizer_of({program.tensor(0, "parameter")}, program.tensor(1));
  const int groups = keepers.object("list");
  const int group = keepers.object("dict");
  keepers.refer(optimizer, "attribute", "param_groups", groups).refer(groups, "index", 0, group);
  keepers.refer(group, "key", "lr", program.tensor(2)).refer(optimizer, "attribute", "best", program.tensor(3));
  CHECK(program.kinds() == "0 parameter param_groups[0].params[0], 1 optimizer_state, 2 optimizer_state");
}

TEST_CASE("a tensor that is made of others gives them its kind and its name, except for gradients") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int model = program.module();
  const int weight = keepers.object("parameter", {.name = "torch.distributed.tensor.DTensor"});
  const int gradient = keepers.object("tensor", {.name = "torch.distributed.tensor.DTensor"});
  keepers.refer(program.frame, "local", "model", model).refer(model, "parameter", "weight", weight);
  keepers.refer(weight, "attribute", "_local_tensor", program.tensor(0)).refer(weight, "grad", "", gradient);
  keepers.refer(gradient, "attribute", "_local_tensor", program.tensor(1));
  keepers.refer(weight, "attribute", "main_grad", program.tensor(2));
  CHECK(program.kinds() == "0 parameter weight, 1 gradient weight");
}

TEST_CASE("caches of keys and values are known by their class, unless autograd saves them too") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  const int cache = keepers.object("instance", {.name = "transformers.cache_utils.DynamicCache"});
  const int list = keepers.object("list", {.items = 1});
  const int layer = keepers.object("instance", {.name = "transformers.cache_utils.DynamicLayer"});
  const int keys = program.tensor(0);
  keepers.refer(program.frame, "local", "cache", cache).refer(cache, "attribute", "layers", list);
  keepers.refer(list, "index", 0, layer).refer(layer, "attribute", "keys", keys);
  SUBCASE("of transformers") {
    CHECK(program.kinds() == "0 kv_cache");
  }
  SUBCASE("with the model that it belongs to") {
    const int model = program.module();
    keepers.refer(layer, "attribute", "model", model)
        .refer(model, "parameter", "weight", program.tensor(1, "parameter"));
    CHECK(program.kinds() == "0 kv_cache, 1 parameter weight");
  }
  SUBCASE("in a training step, whose graph saves its tensor") {
    const int graph = keepers.object("autograd", {.name = "BmmBackward0"});
    keepers.refer(graph, "saved", "mat2", keys);
    CHECK(program.kinds().empty());
  }
  SUBCASE("buffers of a cache that is a module") {
    const int module = program.module("transformers.cache_utils.StaticCache");
    keepers.refer(module, "buffer", "key_cache_0", program.tensor(1));
    CHECK(program.kinds() == "0 kv_cache, 1 kv_cache");
  }
  SUBCASE("of vLLM") {
    const int runner = keepers.object("instance", {.name = "vllm.v1.worker.gpu_model_runner.GPUModelRunner"});
    keepers.refer(runner, "attribute", "kv_caches", list).refer(list, "index", 1, program.tensor(1));
    CHECK(program.kinds() == "0 kv_cache, 1 kv_cache");
  }
}

TEST_CASE("kinds by keepers precede rules about stacks, and follow what the program declares") {
  Program program;
  const int model = program.module();
  program.keepers.refer(model, "parameter", "weight", program.tensor(0, "parameter"));
  program.keepers.refer(model, "parameter", "bias", program.tensor(1, "parameter"));
  const auto address = static_cast<std::int64_t>(kHeap);
  const PythonValue declared = list({0, address, static_cast<std::int64_t>(MiB), "optimizer_state", "named"});
  program.snapshot.set("memviz_recorder", dict({{"tensors", list({declared})}}));
  MemoryState state = replay(std::make_shared<const Recording>(program.read()));
  const KindWatch watch;
  add_kinds(state, watch);
  CHECK(state.facts[0].kind == KindOf{MemoryKind::optimizer_state, KindEvidence::declared});
  CHECK(state.facts[1].kind == KindOf{MemoryKind::parameter, KindEvidence::keepers});
  CHECK(state.facts[2].kind == KindOf{});
}

TEST_CASE("names take no more memory than the objects that they are made of") {
  Program program;
  KeeperBuilder& keepers = program.keepers;
  constexpr int kModules = 80;
  int module = program.module();
  for (int i = 0; i < kModules; ++i) {
    const int next = program.module();
    keepers.refer(module, "attribute", "inner", next);
    if (i == 1) keepers.refer(module, "parameter", "weight", program.tensor(0, "parameter"));
    module = next;
  }
  keepers.refer(module, "parameter", "weight", program.tensor(1, "parameter"));
  CHECK(program.kinds() == "0 parameter inner.weight, 1 parameter");
}
