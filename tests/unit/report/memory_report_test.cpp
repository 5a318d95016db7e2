#include "memviz/memory_report.hpp"

#include "analysis/kinds/declared_kinds.hpp"
#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"
#include "story/report_words.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kBase = 0x100000;

/// A program whose stacks show the kind of each allocation, each in its own segment.
class Program {
public:
  /// Returns its address.
  std::uint64_t alloc(std::uint64_t bytes, const std::vector<std::string_view>& stack = {}, std::uint32_t device = 0) {
    const std::uint64_t address = kBase + 0x100000 * blocks_.size();
    const StackId id = stack.empty() ? kNoFrames : made.stack(stack);
    made.event(Action::alloc, address, bytes, id, device);
    blocks_.push_back({address, bytes, id, true, device});
    return address;
  }
  std::uint64_t weight(std::uint64_t bytes, std::string_view line = "/app/model.py:22:__init__") {
    return alloc(bytes, {line, "/lib/site-packages/torch/nn/modules/linear.py:106:__init__"});
  }
  std::uint64_t activation(std::uint64_t bytes, std::string_view line = "/app/model.py:40:forward") {
    return alloc(bytes,
                 {"/app/train.py:9:main", "/lib/site-packages/torch/nn/modules/module.py:1750:_call_impl", line});
  }
  std::uint64_t gradient(std::uint64_t bytes) {
    return alloc(bytes, {"libtorch_cpu.so:1:torch::autograd::Engine::thread_main()",
                         "libtorch_cpu.so:2:torch::autograd::generated::AddmmBackward0::apply()"});
  }
  void step() { free(alloc(64, {"/app/train.py:11:main", "/lib/site-packages/torch/optim/adam.py:200:step"})); }
  void free(std::uint64_t address) {
    Block& block = blocks_[(address - kBase) / 0x100000];
    made.event(Action::free_completed, address, block.bytes);
    block.is_live = false;
  }

  MemoryReport report(const MomentChoice& choice = {}, std::optional<DeviceId> device = std::nullopt) {
    for (const Block& block : blocks_) {
      made.segment(block.address, 0x100000, 0, block.device);
      if (block.is_live) made.active(block.bytes, block.bytes, block.stack);
      made.inactive(0x100000 - (block.is_live ? block.bytes : 0));
    }
    KindWatch watch;
    state = test::with_births(rewind(std::make_shared<const Recording>(made.take()), choice, &watch));
    add_kinds(state, watch);
    std::vector<DeviceRecord> timeline = record_timeline(*state.recording);
    for (DeviceRecord& record : timeline)
      record.kinds = kinds_of(record, state, watch);
    return memory_report(state, timeline, device);
  }

  test::SmallSnapshot made;
  MemoryState state;

private:
  struct Block {
    std::uint64_t address;
    std::uint64_t bytes;
    StackId stack;
    bool is_live;
    std::uint32_t device;
  };
  std::vector<Block> blocks_;
};

using Rows = std::vector<std::pair<std::string, std::uint64_t>>;

Rows gradients(const MemoryReport& report) {
  Rows rows;
  for (const ReportEntry& weight : report.weights)
    rows.emplace_back(report.name_of(weight), weight.gradient_bytes);
  return rows;
}

Rows activations(const MemoryReport& report) {
  Rows rows;
  for (const ReportEntry& activation : report.activations)
    rows.emplace_back(report.name_of(activation), activation.size_bytes);
  return rows;
}

} // namespace

TEST_CASE("each weight has the bytes of its gradient") {
  Program program;
  program.weight(4096);
  program.weight(512);
  program.gradient(512);
  program.gradient(4096);
  program.step();
  const MemoryReport report = program.report();
  CHECK(gradients(report) ==
        Rows{{"linear in __init__ model.py:22 #1", 4096}, {"linear in __init__ model.py:22 #2", 512}});
  CHECK(report.unpaired.empty());
  CHECK(report.peak_bytes == 2 * 4608 + 64);
}

TEST_CASE("where the kinds of lives are not known, no weight has a gradient") {
  Program program;
  program.weight(4096);
  program.gradient(4096);
  program.step();
  CHECK(gradients(program.report()) == Rows{{"linear in __init__ model.py:22", 4096}});
  const std::vector<DeviceRecord> without_kinds = record_timeline(*program.state.recording);
  CHECK(gradients(memory_report(program.state, without_kinds, std::nullopt)) ==
        Rows{{"linear in __init__ model.py:22", 0}});
}

TEST_CASE("a report is about all GPUs, or about the one that is named") {
  const auto reported = [](std::optional<DeviceId> device) {
    Program program;
    program.weight(4096);
    program.alloc(512, {"/app/model.py:30:__init__", "/lib/site-packages/torch/nn/modules/linear.py:106:__init__"}, 1);
    std::vector<std::uint64_t> sizes;
    for (const ReportEntry& weight : program.report({}, device).weights)
      sizes.push_back(weight.size_bytes);
    return sizes;
  };
  CHECK(reported(std::nullopt) == std::vector<std::uint64_t>{4096, 512});
  CHECK(reported(DeviceId{1}) == std::vector<std::uint64_t>{512});
}

TEST_CASE("a gradient counts though it was freed at the moment, and once though there are several steps") {
  Program program;
  program.weight(4096);
  for (int step = 0; step < 3; ++step) {
    const std::uint64_t gradient = program.gradient(4096);
    program.step();
    program.free(gradient);
    program.free(program.activation(100));
  }
  const MemoryReport report = program.report();
  CHECK(gradients(report) == Rows{{"linear in __init__ model.py:22", 4096}});
  CHECK(report.unpaired.empty());
}

TEST_CASE("where there are fewer gradients than weights of a size the last weights have them") {
  Program program;
  program.weight(4096, "/app/model.py:1:frozen");
  program.weight(4096, "/app/model.py:2:trained");
  program.gradient(4096);
  program.step();
  CHECK(gradients(program.report()) ==
        Rows{{"linear in frozen model.py:1", 0}, {"linear in trained model.py:2", 4096}});
}

TEST_CASE("a gradient without a weight is reported with its reason") {
  Program program;
  const std::uint64_t first = program.weight(4096);
  program.weight(4096);
  program.gradient(4096);
  program.gradient(4096);
  program.step();
  program.free(first);
  const MemoryReport report = program.report();
  CHECK(gradients(report) == Rows{{"linear in __init__ model.py:22", 4096}});
  REQUIRE(report.unpaired.size() == 1);
  CHECK(report.unpaired[0].size_bytes == 4096);
  CHECK(report.unpaired[0].count == 1);
  CHECK(report.unpaired[0].reason == UnpairedReason::more_than_them);
}

TEST_CASE("what the program calls a weight goes before its stack, and finds its gradient") {
  Program program;
  const std::uint64_t first = program.weight(4096);
  const std::uint64_t second = program.weight(4096);
  const std::uint64_t gradient = program.alloc(1000); // not of its size: sharded
  program.made.annotate(first, "kind=parameter name=h.0.attn.weight");
  program.made.annotate(second, "kind=parameter name=h.1.attn.weight");
  program.made.annotate(gradient, "kind=gradient name=h.0.attn.weight");
  const MemoryReport report = program.report();
  CHECK(gradients(report) == Rows{{"h.0.attn.weight", 1000}, {"h.1.attn.weight", 0}});
  CHECK(report.unpaired.empty());
}

TEST_CASE("a declared name that no weight has is reported") {
  Program program;
  program.weight(4096);
  program.made.annotate(program.alloc(4096), "kind=gradient name=h.7.attn.weight");
  const MemoryReport report = program.report();
  REQUIRE(report.unpaired.size() == 1);
  CHECK(report.unpaired[0].reason == UnpairedReason::other_name);
}

TEST_CASE("an activation is what lives at the moment, by its operation") {
  Program program;
  program.weight(4096);
  const std::uint64_t declared = program.alloc(300);
  program.made.annotate(declared, "kind=activation name=attention");
  const std::uint64_t kept = program.activation(1000, "/lib/site-packages/torch/nn/functional.py:1:gelu");
  const std::uint64_t own = program.activation(2000);
  const std::uint64_t gradient = program.gradient(4096);
  program.free(own);
  program.free(kept);
  program.free(declared);
  program.step();
  program.free(gradient);
  const MemoryReport at_peak = program.report({.kind = MomentKind::peak});
  CHECK(activations(at_peak) == Rows{{"attention", 300}, {"gelu", 1000}, {"forward", 2000}});
}

TEST_CASE("a mark that is open names what no operator does") {
  Program program;
  program.made.time(1000).mark("layer 7");
  const std::uint64_t own = program.activation(2000);
  const std::uint64_t gradient = program.gradient(4096);
  program.free(own);
  program.step();
  program.free(gradient);
  CHECK(activations(program.report({.kind = MomentKind::peak})) == Rows{{"layer 7", 2000}});
}

TEST_CASE("a text declares a name besides a kind") {
  CHECK(declared_name("kind=parameter name=h.0.attn.weight") == "h.0.attn.weight");
  CHECK(declared_name("name=h.0.attn.weight, kind=parameter") == "h.0.attn.weight");
  CHECK(declared_name("{'category': 'parameter', 'name': 'token embedding'}") == "token embedding");
  CHECK(declared_name("name=h.0.attn.weight").empty());
  CHECK(declared_name("kind=parameter").empty());
  CHECK(declared_kind("kind=optimizer state name=exp_avg") == MemoryKind::optimizer_state);
  CHECK(declared_kind("kind=parameter name=h.0.attn.weight") == MemoryKind::parameter);
}

TEST_CASE("hints name what is in no entry, and say where no entry is") {
  Program program;
  program.weight(4096);
  const MemoryReport report = program.report();
  const ProjectFiles project(program.state, std::nullopt);
  const auto hints = [&](const MemoryReport& of) {
    return report_hints({"mem.pickle", program.state, of, project}, false);
  };
  const std::string root = "stacks contain files in '/app', the common folder of the user's own; use --project-root "
                           "for another";
  CHECK(hints(report) == std::vector<std::string>{root});
  MemoryReport empty;
  empty.devices = report.devices;
  REQUIRE(hints(empty).size() == 2);
  CHECK(
      hints(empty).back().starts_with("nothing is known to be a weight or an activation at that moment; memviz stats"));
  for (BlockFacts& facts : program.state.facts)
    facts.kind.kind = MemoryKind::parameter_or_state;
  REQUIRE(hints(report).size() == 2);
  CHECK(hints(report).back() == "4.00 KiB may be weights or an optimizer's state, and are in memviz_report only: "
                                "record from before the model is made");
}
