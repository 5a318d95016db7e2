#include "memviz/error.hpp"
#include "memviz/keepers.hpp"
#include "memviz/replay.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "support/both_readers.hpp"
#include "support/contains.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kKeptStart = 0x1000000;

SnapshotBuilder with_keepers(const PythonValue& keepers) {
  SnapshotBuilder snapshot;
  snapshot.segment(kKeptStart, 20 * MiB).active(4 * MiB, 4 * MiB, {"/home/me/train.py:12:validate"}).inactive(16 * MiB);
  return snapshot.set("memviz_keepers", keepers);
}

/// A list of predictions that is a local of a running function.
KeeperBuilder predictions() {
  KeeperBuilder keepers;
  const int frame = keepers.object("frame", {.name = "validate", .file = "/home/me/train.py", .line = 12});
  const int list = keepers.object("list", {.items = 27});
  const int tensor = keepers.object("tensor", {.name = "acme.nn.SecretTensor"});
  const int graph = keepers.object("autograd", {.name = "MulBackward0", .hidden = 2});
  keepers.root("local", frame);
  keepers.refer(frame, "local", "predictions", list).refer(list, "index", 3, tensor).refer(tensor, "grad_fn", 0, graph);
  keepers.storage(tensor, kKeptStart, 4 * MiB);
  keepers.place(frame, "predictions", "set", {.name = "validate", .file = "/home/me/train.py", .line = 8});
  keepers.place(frame, "predictions", "used", {.name = "hook", .file = "/home/me/hooks.py", .line = 5});
  keepers.place(frame, "scores", "would set", {.name = "<module>", .file = "/home/me/train.py", .line = 30});
  return keepers;
}

std::string rewritten(Recording recording) {
  const MemoryState state = replay(std::make_shared<const Recording>(std::move(recording)));
  std::string text;
  snapshot_pickle_source(state, {})([&](std::string_view piece) { text += piece; });
  return text;
}

} // namespace

TEST_CASE("what the recorder writes about keepers is read") {
  const Recording recording = with_keepers(predictions().python()).read();
  const KeeperGraph& graph = recording.keepers;
  const auto text = [&](StringId id) { return recording.frames.text(id); };
  CHECK(recording.warnings.empty());
  CHECK(recording.unread_keys.empty());
  CHECK(graph.is_recorded);
  CHECK(graph.limit == KeeperLimit::none);
  CHECK(graph.walked_objects == 174000);
  CHECK(graph.walk_ms == 810);
  REQUIRE(graph.objects.size() == 4);
  CHECK(graph.objects[0].kind == KeeperKind::frame);
  CHECK(text(graph.objects[0].name) == "validate");
  CHECK(text(graph.objects[0].file) == "/home/me/train.py");
  CHECK(graph.objects[0].line == 12);
  CHECK_FALSE(graph.objects[0].items);
  CHECK(graph.objects[1].items == 27);
  CHECK(graph.objects[3].hidden_tensors == 2);
  REQUIRE(graph.references.size() == 3);
  CHECK(text(graph.references[0].label) == "predictions");
  CHECK(graph.references[1].how == ReferenceKind::index);
  CHECK(graph.references[1].index == 3);
  CHECK(graph.references[1].to == KeeperId{2});
  REQUIRE(graph.roots.size() == 1);
  CHECK(graph.roots[0].kind == KeeperRoot::local);
  REQUIRE(graph.storages.size() == 1);
  CHECK(graph.storages[0] == KeptStorage{{2}, {0}, kKeptStart, 4 * MiB});
  REQUIRE(graph.places.size() == 3);
  CHECK(graph.places[0].root == KeeperId{0});
  CHECK(graph.places[0].variable == graph.references[0].label);
  CHECK(graph.places[0].how == CodeRelation::sets);
  CHECK(graph.places[0].function == graph.objects[0].name);
  CHECK(graph.places[0].line == 8);
  CHECK(graph.places[1].how == CodeRelation::uses);
  CHECK(text(graph.places[1].function) == "hook");
  CHECK(text(graph.places[1].file) == "/home/me/hooks.py");
  CHECK(graph.places[2].how == CodeRelation::would_set);
  CHECK(text(graph.places[2].variable) == "scores");
}

TEST_CASE("both readers read the same keepers, and the JSON form has them as well") {
  check_same(with_keepers(predictions().python()).pickle());
  const Recording recording = read_snapshot(
      R"({"segments": [], "memviz_keepers": {"kinds": ["list", "tensor"], "node_kind": [0, 1, 1], "hows": ["item"],
          "edge_from": [0, 0], "edge_to": [1, 2], "edge_how": [0, 0], "seconds": 2}})");
  CHECK(recording.keepers.objects.size() == 3);
  CHECK(recording.keepers.references[1].how == ReferenceKind::item);
  CHECK(recording.keepers.walk_ms == 2000);
  CHECK(recording.warnings.empty());
}

TEST_CASE("a recording without keepers says so") {
  CHECK_FALSE(SnapshotBuilder().read().keepers.is_recorded);
}

TEST_CASE("words of a newer recorder are kept as unknown ones") {
  KeeperBuilder keepers;
  const int coroutine = keepers.object("hologram", {.name = "Thing"});
  const int tensor = keepers.object("tensor");
  keepers.refer(coroutine, "wishes", "it", tensor).root("local", coroutine);
  const Recording recording = with_keepers(keepers.python().set("cut", "boredom")).read();
  CHECK(recording.keepers.objects[0].kind == KeeperKind::object);
  CHECK(recording.keepers.references[0].how == ReferenceKind::refers);
  CHECK(recording.keepers.limit == KeeperLimit::unknown);
  CHECK(recording.warnings.empty());
}

TEST_CASE("entries that refer to nothing are omitted and counted") {
  KeeperBuilder keepers = predictions();
  keepers.refer(77, "index", 0, 1)
      .refer(0, "index", 0, -2)
      .root("local", 50)
      .root("dream", 0)
      .storage(9, kKeptStart, 1);
  const Recording recording = with_keepers(keepers.python()).read();
  CHECK(recording.keepers.references.size() == 3);
  CHECK(recording.keepers.roots.size() == 1);
  CHECK(recording.keepers.storages.size() == 1);
  REQUIRE(recording.warnings.size() == 1);
  CHECK(contains(recording.warnings[0], "5 entries of 'memviz_keepers' are not what memviz's recorder writes"));
}

TEST_CASE("columns of different lengths are omitted") {
  for (const char* const key : {"edge_from", "edge_to", "edge_how", "edge_label"}) {
    CAPTURE(key);
    const Recording recording = with_keepers(predictions().python().set(key, list({0}))).read();
    CHECK(recording.keepers.objects.size() == 4);
    CHECK(recording.keepers.references.empty());
    CHECK(recording.warnings.size() == 1);
  }
  const Recording no_dict = with_keepers("gone").read();
  CHECK_FALSE(no_dict.keepers.is_recorded);
  CHECK(no_dict.warnings.size() == 1);
  CHECK(with_keepers(predictions().python().set("node_name", 5)).read().keepers.objects.empty());
}

TEST_CASE("places of no variable, object or line are omitted and counted; those of a newer kind are not counted") {
  KeeperBuilder keepers = predictions();
  keepers.place(77, "predictions", "set", {.name = "f", .line = 1})
      .place(0, "", "set", {.name = "f", .line = 1})
      .place(0, "predictions", "set", {.name = "f", .line = 0})
      .place(0, "predictions", "dreamt", {.name = "f", .line = 1});
  const Recording recording = with_keepers(keepers.python()).read();
  CHECK(recording.keepers.places.size() == 3);
  REQUIRE(recording.warnings.size() == 1);
  CHECK(contains(recording.warnings[0], "3 entries of 'memviz_keepers'"));
  for (const char* const key :
       {"place_node", "place_variable", "place_how", "place_name", "place_file", "place_line"}) {
    CAPTURE(key);
    const Recording other = with_keepers(predictions().python().set(key, list({0}))).read();
    CHECK(other.keepers.places.empty());
    CHECK(other.warnings.size() == 1);
  }
}

TEST_CASE("a long name is cut, and a file of the key's size pays for each number") {
  KeeperBuilder keepers;
  const int frame = keepers.object("instance", {.name = std::string(100000, 'x')});
  keepers.refer(frame, "attribute", std::string(100000, 'y'), frame);
  const Recording recording = with_keepers(keepers.python()).read();
  CHECK(recording.frames.text(recording.keepers.objects[0].name).size() == 512);
  CHECK(recording.frames.text(recording.keepers.references[0].label).size() == 512);
  const PythonValue many = list(PythonItems(20000, PythonValue()));
  CHECK_THROWS_AS(static_cast<void>(with_keepers(dict({{"node_kind", many}, {"node_name", many}})).read()), Error);
}

TEST_CASE("a snapshot that is written again has its keepers") {
  const Recording before = with_keepers(predictions().python()).read();
  const std::string again = rewritten(with_keepers(predictions().python()).read());
  const Recording after = read_snapshot(again);
  CHECK(after.keepers.objects.size() == before.keepers.objects.size());
  CHECK(after.keepers.storages == before.keepers.storages);
  CHECK(after.keepers.roots == before.keepers.roots);
  REQUIRE(after.keepers.places.size() == before.keepers.places.size());
  CHECK(after.keepers.places[1].line == 5);
  CHECK(after.frames.text(after.keepers.places[1].function) == "hook");
  CHECK(after.keepers.places[2].how == CodeRelation::would_set);
  CHECK(after.keepers.walk_ms == 810);
  CHECK(after.frames.text(after.keepers.references[0].label) == "predictions");
  CHECK(after.keepers.references[1].index == 3);
  CHECK(after.keepers.objects[1].items == 27);
  CHECK(after.warnings.empty());
  CHECK(rewritten(read_snapshot(again)) == again);
  CHECK(contains(again, "format")); // of the keepers, for readers other than memviz
  CHECK_FALSE(contains(rewritten(SnapshotBuilder().read()), "format"));
}
