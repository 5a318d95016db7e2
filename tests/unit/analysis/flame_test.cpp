#include "memviz/error.hpp"
#include "memviz/flame.hpp"
#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Path of labels -> own bytes, of every node that has some.
std::map<std::string, std::uint64_t> paths(const Recording& snapshot, const TreeOptions& options) {
  const FrameTree tree = build_frame_tree(end_of(snapshot), options);
  check_conserves_bytes(tree);
  std::map<std::string, std::uint64_t> found;
  std::vector<std::string> path_of(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const auto& node = tree.nodes[i];
    const std::string& parent = path_of[node.parent.value];
    path_of[i] = (parent.empty() ? "" : parent + "/") + node_label(snapshot.frames, node.key);
    if (node.self.bytes > 0) found[path_of[i]] = node.self.bytes;
  }
  return found;
}

using Paths = std::map<std::string, std::uint64_t>;

SnapshotBuilder two_users() {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096)
      .active(1024, 1000, {"??:0:PyEval_Frame", "/app/model.py:7:forward", "/app/train.py:12:step"})
      .active(512, 512, {"/app/data.py:3:load", "/app/train.py:12:step"})
      .active(512, 512)
      .inactive(2048);
  builder.alloc(0x1000, 1000).alloc(0x1400, 512);
  return builder;
}

} // namespace

TEST_CASE("a range of events has the lives that begin or end in it, and all other memory unfocused") {
  SmallSnapshot builder;
  const StackId load = builder.stack({"/app/data.py:3:load"});
  const StackId step = builder.stack({"/app/train.py:12:step"});
  builder.segment(0x1000, 4096).active(1024, 1000, step).active(512, 512, load).inactive(2560);
  builder.event(Action::alloc, 0x1000, 1000, step).event(Action::alloc, 0x1600, 2000, load);
  builder.event(Action::alloc, 0x1400, 512, load).event(Action::free_completed, 0x1600, 2000);
  const Recording recording = builder.take();
  const auto bytes_in = [&](const MemoryState& state, LifeRange lives) {
    const FrameTree tree = build_frame_tree(state, {.levels = {}, .lives = lives});
    check_conserves_bytes(tree);
    std::map<std::string, std::uint64_t> found;
    for (const auto& node : tree.nodes)
      if (is_frame(node.key)) found[node_label(recording.frames, node.key)] += node.self.bytes;
    return found;
  };
  using Found = std::map<std::string, std::uint64_t>;
  CHECK(bytes_in(end_of(recording), {LivesOf::born, 0, 4}) ==
        Found{{"step train.py:12", 1000}, {"load data.py:3", 512}});
  CHECK(bytes_in(end_of(recording), {LivesOf::born, 2, 3}) == Found{{"load data.py:3", 512}});
  CHECK(bytes_in(end_of(recording), {LivesOf::born, 3, 4}).empty());
  CHECK(bytes_in(end_of(recording), {LivesOf::freed, 0, 4}).empty());
  const MemoryState peak = state_at(recording, {.kind = MomentKind::peak});
  CHECK(bytes_in(peak, {LivesOf::freed, 3, 4}) == Found{{"load data.py:3", 2000}});
  CHECK(bytes_in(peak, {LivesOf::freed, 0, 3}).empty());
  const auto said_of = [](LifeRange lives) { return filters_text({}, 100, {.focus = {}, .hide = {}, .lives = lives}); };
  CHECK(said_of({LivesOf::freed, 2, 9}) == "freed in events 2 to 8: 100 B of 100 B requested");
  CHECK(said_of({LivesOf::born, 5, 5}) == "allocated in events 5 to 5: 100 B of 100 B requested");
}

TEST_CASE("every reserved byte is in the tree once") {
  const Recording snapshot = two_users().read();
  CHECK(paths(snapshot, {}) == Paths{{"stream 0/active_allocated/step train.py:12/forward model.py:7", 1000},
                                     {"stream 0/active_allocated/step train.py:12/load data.py:3", 512},
                                     {"stream 0/active_allocated/<no stack: allocated before recording>", 512},
                                     {"stream 0/active_allocated/<gaps>", 24},
                                     {"stream 0/inactive", 2048}});
}

TEST_CASE("levels may come in any order") {
  const Recording snapshot = two_users().read();
  SUBCASE("segments view") {
    TreeOptions options;
    options.levels = segment_levels(end_of(snapshot));
    CHECK(paths(snapshot, options).contains("stream 0/segment 0x1000/inactive"));
  }
  SUBCASE("state above pool") {
    TreeOptions options;
    options.levels = {Level::state, Level::pool};
    CHECK(paths(snapshot, options).at("inactive/default pool") == 2048);
  }
  SUBCASE("without a state level free memory is still apart") {
    TreeOptions options;
    options.levels = {Level::device};
    const Paths found = paths(snapshot, options);
    CHECK(found.at("GPU 0/inactive") == 2048);
    CHECK(found.at("GPU 0/step train.py:12/load data.py:3") == 512);
  }
  SUBCASE("several devices come first by default") {
    SnapshotBuilder builder = two_users();
    builder.segment(0x1000, 512, 1).active(512, 512);
    const Recording both = builder.read();
    CHECK(memory_levels(end_of(both)) == std::vector<Level>{Level::device, Level::stream, Level::state});
    TreeOptions only_one;
    only_one.device = DeviceId{1};
    CHECK(paths(both, only_one) == Paths{{"stream 0/active_allocated/<no stack: allocated before recording>", 512}});
  }
}

TEST_CASE("--frames decides which frames are drawn, never which bytes") {
  const Recording snapshot = two_users().read();
  TreeOptions options;
  SUBCASE("all") {
    options.frames = FrameFilter::all;
    CHECK(paths(snapshot, options).at("stream 0/active_allocated/step train.py:12/forward model.py:7/PyEval_Frame") ==
          1000);
  }
  SUBCASE("by default without those of the interpreter, so that one line is one box") {
    SnapshotBuilder builder;
    const std::string objects = "/usr/local/src/conda/python-3.12.3/Objects/typeobject.c";
    builder.segment(0x1000, 3072)
        .active(1024, 1000, {"/app/model.py:7:forward", objects + ":7494:slot_tp_call", "/app/train.py:12:step"})
        .active(1024, 1000, {"/app/model.py:7:forward", "??:0:method_vectorcall", "/app/train.py:12:step"})
        .active(1024, 1000, {"/app/model.py:7:forward", "/app/train.py:12:step", "??:0:clone"});
    const Recording called = builder.read();
    CHECK(paths(called, options).at("stream 0/active_allocated/step train.py:12/forward model.py:7") == 3000);
    options.frames = FrameFilter::filtered;
    CHECK(paths(called, options)
              .at("stream 0/active_allocated/step train.py:12/slot_tp_call typeobject.c:7494/"
                  "forward model.py:7") == 1000);
  }
  SUBCASE("hide leaves frames out of their stacks") {
    options.hide = "model\\.py|train\\.py";
    const Paths found = paths(snapshot, options);
    CHECK(found.at("stream 0/active_allocated/load data.py:3") == 512);
    CHECK(found.at("stream 0/active_allocated/<filtered>") == 1000);
  }
  SUBCASE("focus gathers the rest in one box") {
    options.focus = "/app/data.py";
    const Paths found = paths(snapshot, options);
    CHECK(found.at("stream 0/active_allocated/step train.py:12/load data.py:3") == 512);
    CHECK(found.at("stream 0/active_allocated/<not in focus>") == 1512);
  }
  SUBCASE("an expression that is none is a usage error") {
    options.focus = "(";
    CHECK_THROWS_WITH_AS(static_cast<void>(paths(snapshot, options)),
                         doctest::Contains("--focus '(' is not a regular expression"), UsageError);
  }
}

TEST_CASE("why a block has no stack") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).active(1024, 1024);
  const auto reason = [](const Recording& snapshot) {
    return paths(snapshot, TreeOptions{.levels = {}, .frames = {}}).begin()->first;
  };
  SUBCASE("the file has no history at all") {
    CHECK(reason(builder.read()) == "<no stack: memory history was not recorded>");
  }
  SUBCASE("events begin after it") {
    builder.alloc(0x5000, 1).free(0x5000, 1);
    CHECK(reason(builder.read()) == "<no stack: allocated before recording>");
  }
  SUBCASE("frees of unknown memory: the ring may have lost it") {
    builder.free(0x5000, 1);
    CHECK(reason(builder.read()) == "<no stack: allocated before recording or lost in the ring>");
  }
  SUBCASE("the file says that nothing was lost") {
    builder.free(0x5000, 1).set("allocator_settings", dict({{"trace_alloc_overflowed", false}}));
    CHECK(reason(builder.read()) == "<no stack: allocated before recording>");
  }
  SUBCASE("the allocation was recorded, its stack was not") {
    builder.alloc(0x1000, 1024);
    CHECK(reason(builder.read()) == "<no stack: recorded without one>");
  }
}

TEST_CASE("bytes that no block covers are shown as such") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 2048).active(512, 512, {"/app/a.py:1:f"});
  CHECK(paths(builder.read(), {}).at("stream 0/<unaccounted>") == 1536);
}

TEST_CASE("siblings come widest first, then by what they say") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 2048)
      .active(512, 512, {"/app/z.py:1:zeta"})
      .active(512, 512, {"/app/a.py:1:alpha"})
      .active(1024, 1024, {"/app/m.py:1:mu"});
  const Recording snapshot = builder.read();
  const FrameTree tree = build_frame_tree(end_of(snapshot), TreeOptions{.levels = {}, .frames = {}});
  std::vector<std::string> labels;
  for (NodeId id = tree.root().first_child; id != kNoNode; id = tree[id].next_sibling) {
    labels.push_back(node_label(snapshot.frames, tree[id].key));
  }
  CHECK(labels == std::vector<std::string>{"mu m.py:1", "alpha a.py:1", "zeta z.py:1"});
}

TEST_CASE("users are ranked by the line that says most") {
  const auto line = [](const Stack& stack) {
    SnapshotBuilder builder;
    builder.segment(0x1000, 512).active(512, 500, stack);
    const Recording snapshot = builder.read();
    return node_label(snapshot.frames, rank_user_lines(end_of(snapshot), std::nullopt).at(0).key);
  };
  CHECK(line({"CUDACachingAllocator.cpp:0:c10::malloc", "/venv/site-packages/torch/nn/linear.py:9:forward",
              "/app/m.py:3:f", "/app/t.py:1:main"}) == "f m.py:3");
  CHECK(line({"CUDACachingAllocator.cpp:0:c10::malloc", "/venv/site-packages/torch/nn/linear.py:9:forward"}) ==
        "forward linear.py:9");
  CHECK(line({"x.cpp:0:c10::malloc", "x.cpp:0:at::native::mm", "x.cpp:0:clone"}) == "at::native::mm x.cpp");
  CHECK(line({"x.cpp:0:c10::malloc", "x.cpp:0:at::native::mm", "x.cpp:0:MmBackward0::apply",
              "x.cpp:0:torch::autograd::Node::operator()", "x.cpp:0:main"}) == "MmBackward0::apply x.cpp");
  CHECK(line({"??:0:PyEval_Frame"}) == "<filtered>");
  SUBCASE("in a C++ program, C++ that is not torch's") {
    CHECK(line({"x.cpp:0:c10::malloc", "x.cpp:0:at::native::mm", "x.cpp:0:app::Model::forward", "x.cpp:0:main"}) ==
          "app::Model::forward x.cpp");
    CHECK(line({"x.cpp:0:c10::malloc", "x.cpp:0:MmBackward0::apply", "x.cpp:0:torch::autograd::Node::operator()",
                "x.cpp:0:app::thread_wrapper"}) == "MmBackward0::apply x.cpp");
    const std::string nvidia = "/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcublas.so.13:0:";
    const std::string driver = "/usr/lib64/libcuda.so.1:0:cuMemAlloc_v2";
    const std::string torch = "/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so:0:";
    CHECK(line({driver, nvidia + "cublasCreate_v2", torch + "at::mm", "/app/train:0:app::Model::forward"}) ==
          "app::Model::forward train");
    CHECK(line({driver, nvidia + "cublasCreate_v2", torch + "at::mm", torch + "void helper"}) ==
          "at::mm libtorch_cuda.so");
    CHECK(line({driver, "/app/lib/libmodel.so:0:app::Model::forward"}) == "app::Model::forward libmodel.so");
  }
}

TEST_CASE("in focus are the users whose stacks match, with what these hold") {
  SmallSnapshot made;
  const StackId model = made.stack({"/app/train.py:3:main", "/app/model.py:7:build"});
  const StackId data = made.stack({"/app/train.py:4:main", "/app/data.py:9:load"});
  made.segment(0x1000, 4096).active(2048, 2048, model).active(1024, 1000, data).active(1024, 512);
  const Recording recording = made.take();
  const MemoryState state = end_of(recording);
  const auto answer_in = [&](std::string_view focus) {
    TreeOptions options;
    options.focus = focus;
    return flame_story(memory_subject(state, std::nullopt, options)).answer;
  };
  CHECK(answer_in("") == "The largest user, build model.py:7, holds 2.00 KiB (57.5 % of requested memory).");
  CHECK(answer_in("data.py") ==
        "In focus, the largest user, load data.py:9, holds 1,000 B (28.1 % of requested memory).");
  CHECK(answer_in("absent") == "No memory in use is in focus.");
  const auto focused = memory_subject(state, std::nullopt, {.focus = "train.py"}).focused;
  REQUIRE(focused);
  CHECK(focused->size() == 2);
}

TEST_CASE("a line that is not the user's own says whose it is") {
  const auto said = [](const Stack& stack) {
    SnapshotBuilder builder;
    builder.segment(0x1000, 512).active(512, 500, stack);
    const Recording snapshot = builder.read();
    const NodeKey line = user_line_of(snapshot.frames, snapshot.end.blocks.at(0).stack);
    return fmt::format("{}: {}", node_label(snapshot.frames, line), not_own_text(snapshot.frames, line));
  };
  const std::string torch = "/venv/lib/python3.12/site-packages/torch/";
  CHECK(said({"??:0:torch::unwind::unwind", "/app/m.py:3:f"}) == "f m.py:3: ");
  CHECK(said({torch + "nn/linear.py:9:forward", "<string>:1:<module>", "/app/m.py:3:f"}) == "f m.py:3: ");
  CHECK(said({torch + "nn/linear.py:9:forward", "<string>:1:<module>"}) == "forward linear.py:9: torch's own");
  CHECK(said({"<string>:1:run", "<frozen runpy>:88:_run_code"}) == "run <string>:1: a library's own");
  CHECK(said({"??:0:at::create_out", "??:0:at::mm", "??:0:torch::autograd::AccumulateGrad::apply",
              "??:0:torch::autograd::Node::operator()"}) == "torch::autograd::AccumulateGrad::apply: torch's C++");
  CHECK(said({"??:0:torch::unwind::unwind", "??:0:at::create_out", "??:0:at::_sum_to",
              "??:0:NSYS_OSRT_pthread_join_2"}) == "at::_sum_to: torch's C++");
  CHECK(said({"??:0:at::create_out", "app.cpp:0:app::Model::forward"}) == "app::Model::forward app.cpp: ");
}

TEST_CASE("in real recordings a line of one's own is Python outside of every library") {
  for (const auto& path : shared_snapshots()) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    UserLineFinder finder(snapshot.frames);
    for (std::uint32_t stack = 0; stack < snapshot.frames.stack_count(); ++stack) {
      const NodeKey line = finder.line_of({stack});
      if (!is_frame(line) || !not_own_text(snapshot.frames, line).empty()) continue;
      const std::string file(snapshot.frames.filename(std::get<FrameId>(line)));
      CAPTURE(file);
      CHECK(file.ends_with(".py"));
      for (const char* library : {"site-packages", "dist-packages", "lib/python", "torchinductor_", "<"})
        CHECK(file.find(library) == std::string::npos);
    }
  }
}

TEST_CASE("a stack of half a million frames is a deep tree, not a deep call") {
  SnapshotBuilder builder;
  PythonItems deep(500'000, dict({{"name", "recurse"}, {"filename", "/app/r.py"}, {"line", 1}}));
  builder.segment(0x1000, 512)
      .block(dict(
          {{"size", 512}, {"requested_size", 512}, {"state", "active_allocated"}, {"frames", list(std::move(deep))}}));
  const Recording snapshot = builder.read();
  const FrameTree tree = build_frame_tree(end_of(snapshot), {});
  check_conserves_bytes(tree);
  CHECK(tree.nodes.size() == 500'003);
}

TEST_CASE("a tree out of all proportion to its file is an error that says what to do") {
  SmallSnapshot builder;
  std::vector<std::string_view> frames;
  for (int i = 0; i < 140'000; ++i)
    frames.insert(frames.end(), {"/app/a.py:1:f", "??:0:at::add"});
  builder.segment(0, 512).active(512, 512, builder.stack(frames));
  Recording snapshot = builder.take();
  const MemoryState accounts = end_of(snapshot);
  CHECK_THROWS_WITH_AS(static_cast<void>(build_frame_tree(accounts, {})), doctest::Contains("try --frames user"),
                       Error);
  TreeOptions user;
  user.frames = FrameFilter::user;
  CHECK(build_frame_tree(accounts, user).nodes.size() == 140'003);
  snapshot.origin.size_bytes = 1'000'000; // what it is made from is larger: more is allowed
  CHECK(build_frame_tree(accounts, {}).nodes.size() == 280'003);
}

TEST_CASE("a tree of one device has the memory of that device alone, also outside all segments") {
  SmallSnapshot small;
  for (const std::uint32_t device : {0U, 1U}) {
    small.segment(0x1000, 4096, 0, device).inactive(4096);
    small.event(Action::alloc, 0x50000, 100 * (device + 1), kNoFrames, device);
    small.event(Action::free_completed, 0x50000, 100 * (device + 1), kNoFrames, device);
  }
  const Recording recording = small.take();
  const MemoryState state = state_at(recording, {.kind = MomentKind::peak});
  const auto bytes_of = [&](std::optional<DeviceId> device) {
    TreeOptions options;
    options.device = device;
    const FrameTree tree = build_frame_tree(state, options);
    check_conserves_bytes(tree);
    return tree.root().total.bytes;
  };
  CHECK(bytes_of(DeviceId{0}) == 4096 + 100);
  CHECK(bytes_of(DeviceId{1}) == 4096 + 200);
  CHECK(bytes_of(std::nullopt) == 2 * 4096 + 300);
  CHECK(rank_user_lines(state, DeviceId{0}).at(0).amount.bytes == 100);
}

TEST_CASE("a line that holds more than half shows the innermost lines that it called") {
  const std::string packages = "/opt/conda/lib/python3.10/site-packages/";
  const std::string linear = packages + "torch/nn/modules/linear.py:125:forward";
  const std::string device = packages + "torch/utils/_device.py:104:__torch_function__";
  const std::string trainer = packages + "transformers/trainer.py:2000:train";
  SnapshotBuilder builder;
  builder.segment(0x1000, 8192)
      .active(4096, 4000, {device, linear, packages + "transformers/llama.py:176:forward", trainer, "/app/hf.py:7:run"})
      .active(2048, 2000, {linear, packages + "transformers/llama.py:180:forward", trainer, "/app/hf.py:7:run"})
      .active(512, 100, {device, packages + "transformers/llama.py:190:forward", trainer, "/app/hf.py:7:run"})
      .active(512, 500, {"/app/data.py:3:load"})
      .active(1024, 1000, {device, packages + "vllm/linear.py:9:create_weights", packages + "vllm/llm.py:5:load"});
  const Recording snapshot = builder.read();
  const MemoryState state = end_of(snapshot);
  const std::vector<UserLine> users = rank_user_lines(state, std::nullopt);
  REQUIRE(users.size() == 3);
  CHECK(node_label(state.frames(), users[0].key) == "run hf.py:7");
  REQUIRE(users[0].within.size() == 2); // the third has less than a twentieth
  CHECK(node_label(state.frames(), users[0].within[0].frame) == "forward llama.py:176");
  CHECK(users[0].within[0].amount == Amount{4000, 1});
  CHECK(node_label(state.frames(), users[0].within[1].frame) == "forward llama.py:180");
  SUBCASE("and a stack without a line of the user is named by a line that says something") {
    CHECK(node_label(state.frames(), users[1].key) == "create_weights linear.py:9");
  }
  CHECK(users[1].within.empty());
}
