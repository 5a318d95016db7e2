#include "memviz/keepers.hpp"
#include "memviz/redact.hpp"
#include "memviz/replay.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "support/contains.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

/// A list of predictions that is a local of the function which made the only block.
SnapshotBuilder program_with_keepers() {
  constexpr std::uint64_t kAddress = 0x1000000;
  KeeperBuilder keepers;
  const int frame = keepers.object("frame", {.name = "validate", .file = "/home/me/train.py", .line = 12});
  const int list = keepers.object("list", {.items = 27});
  const int tensor = keepers.object("tensor", {.name = "acme.nn.SecretTensor"});
  const int graph = keepers.object("autograd", {.name = "MulBackward0"});
  keepers.root("local", frame).refer(frame, "local", "predictions", list).refer(list, "index", 3, tensor);
  keepers.refer(tensor, "grad_fn", "", graph).storage(tensor, kAddress, MiB);
  keepers.place(frame, "predictions", "used", {.name = "secret_hook", .file = "/home/me/hooks.py", .line = 8});
  SnapshotBuilder snapshot;
  snapshot.segment(kAddress, MiB).active(MiB, MiB, {"/home/me/train.py:12:validate"});
  return snapshot.set("memviz_keepers", keepers.python());
}

std::string written_again(Recording recording) {
  const MemoryState state = replay(std::make_shared<const Recording>(std::move(recording)));
  std::string text;
  snapshot_pickle_source(state, {})([&](std::string_view piece) { text += piece; });
  return text;
}

} // namespace

TEST_CASE("redacted keepers have no names of the program, and functions have the pseudonyms of stacks") {
  const std::string file = program_with_keepers().pickle();
  for (const Redact what : {Redact::paths, Redact::names, Redact::all}) {
    CAPTURE(static_cast<int>(what));
    Redactor redactor({what, ""});
    ReadOptions options;
    options.rewriter = &redactor;
    const std::string again = written_again(read_snapshot(file, options));
    const bool hides_names = what != Redact::paths;
    CHECK(contains(again, "predictions") == !hides_names);
    CHECK(contains(again, "acme.nn.SecretTensor") == !hides_names);
    CHECK(contains(again, "validate") == !hides_names);
    CHECK(contains(again, "secret_hook") == !hides_names);
    CHECK(contains(again, "/home/me") == (what == Redact::names));
    CHECK(contains(again, "MulBackward0"));
    const Recording read = read_snapshot(again);
    REQUIRE(read.keepers.places.size() == 1);
    CHECK(read.keepers.places[0].variable == read.keepers.references[0].label);
    const StackId stack = read.end.blocks[0].stack;
    CHECK(read.frames.frame(read.frames.stack(stack)[0]).name == read.keepers.objects[0].name);
    CHECK(read.frames.frame(read.frames.stack(stack)[0]).filename == read.keepers.objects[0].file);
  }
}

TEST_CASE("redacted keepers show the same kinds, with pseudonyms in the names of parameters") {
  constexpr std::uint64_t kAddress = 0x1000000;
  KeeperBuilder keepers;
  const int model = keepers.object("module", {.name = "acme.SecretModel"});
  const int optimizer = keepers.object("optimizer", {.name = "torch.optim.adamw.AdamW"});
  const int states = keepers.object("dict");
  keepers.refer(model, "parameter", "secret_weight", keepers.tensor(kAddress, MiB, "parameter"));
  keepers.refer(optimizer, "attribute", "state", states);
  keepers.refer(states, "other_key", "", keepers.tensor(kAddress + MiB, MiB));
  SnapshotBuilder snapshot;
  snapshot.segment(kAddress, 2 * MiB).active(MiB, MiB).active(MiB, MiB);
  Redactor redactor({Redact::names, ""});
  ReadOptions options;
  options.rewriter = &redactor;
  const Recording read = read_snapshot(snapshot.set("memviz_keepers", keepers.python()).pickle(), options);
  REQUIRE(read.declared.size() == 2);
  CHECK(read.declared[0].kind == MemoryKind::parameter);
  CHECK(std::string(read.frames.text(read.declared[0].name)).starts_with("name_"));
  CHECK(read.declared[1].kind == MemoryKind::optimizer_state);
}
