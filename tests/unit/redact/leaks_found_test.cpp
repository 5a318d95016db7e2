#include "memviz/error.hpp"
#include "memviz/redact.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <string_view>

using namespace memviz;
using namespace memviz::test;

namespace {

/// A faulty redactor: it passes texts of one kind unchanged.
class Leaky final : public TextRewriter {
public:
  enum class Hole { none, name, filename };

  explicit Leaky(Hole hole) : hole_(hole) {}
  explicit Leaky(TextKind kind) : kind_(kind) {}

  FrameText frame(std::string_view name, std::string_view filename) override {
    FrameText text = redactor.frame(name, filename);
    if (hole_ == Hole::name) text.name = name;
    if (hole_ == Hole::filename) text.filename = filename;
    return text;
  }
  std::string text(TextKind kind, std::string_view text) override {
    std::string hidden = redactor.text(kind, text);
    return kind == kind_ ? std::string(text) : hidden;
  }
  void check(const Recording& recording) const override { redactor.check(recording); }

  Redactor redactor{{Redact::all, ""}};

private:
  Hole hole_ = Hole::none;
  std::optional<TextKind> kind_;
};

/// A text of its own in every place that a snapshot has for one.
std::string program() {
  SnapshotBuilder builder;
  const PythonValue frame = dict({{"name", "train_acme"},
                                  {"filename", "/home/alice/net.py"},
                                  {"line", 1},
                                  {"fx_node_op", "acme op"},
                                  {"fx_node_name", "acme_node"},
                                  {"fx_node_target", "acme.target"},
                                  {"fx_original_trace", "by alice"}});
  builder.segment(0x1000, 1024)
      .block(dict({{"size", 512}, {"requested_size", 512}, {"state", "active_allocated"}, {"frames", list({frame})}}));
  builder.segment(0x8000, 512).block(dict({{"size", 512}, {"state", "gone to acme"}}));
  builder.event(dict({{"action", "AcmeAction"},
                      {"addr", 0x1000},
                      {"size", 512},
                      {"stream", 0},
                      {"time_us", 1},
                      {"compile_context", "AcmeRegion"},
                      {"user_metadata", "customer alice"},
                      {"internal_metadata", "pool of acme"},
                      {"forward_frames", list({"acme_forward"})},
                      {"frames", list({frame})}}));
  builder.set("external_annotations", list({dict({{"name", "acme_step"},
                                                  {"stage", "AcmeStage"},
                                                  {"device", 0},
                                                  {"time_us", 1},
                                                  {"acme_key", "acme_value"}})}));
  builder.set("allocator_settings", dict({{"acme_setting", "alice's"}}));
  builder.set("memviz_rehearsal", dict({{"gpu", "Acme One"}, {"profile", "acme-1"}}));
  KeeperBuilder keepers;
  const int object = keepers.object("instance", {.name = "acme.Keeper"});
  keepers.refer(object, "attribute", "acme_attribute", object);
  keepers.place(object, "acme_variable", "set", {.name = "acme_function", .file = "/acme/keeper.py", .line = 3});
  builder.set("memviz_keepers", keepers.python());
  return builder.pickle();
}

/// Returns the message of reading the program with `rewriter`; "" if it succeeds.
std::string refusal_of(TextRewriter& rewriter, bool stream) {
  ReadOptions options;
  options.rewriter = &rewriter;
  options.stream = stream;
  try {
    static_cast<void>(read_snapshot(program(), options));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

} // namespace

TEST_CASE("a text of any kind that is not hidden is found before anybody sees the recording") {
  for (const bool stream : {true, false}) {
    CAPTURE(stream);
    Leaky whole(Leaky::Hole::none);
    CHECK(refusal_of(whole, stream) == "");
    for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
      CAPTURE(kind);
      Leaky leaky(static_cast<TextKind>(kind));
      const std::string refusal = refusal_of(leaky, stream);
      CHECK(refusal.starts_with("--redact all left "));
      CHECK(refusal.ends_with(" in the output, so nothing was written; please report this"));
    }
    for (const Leaky::Hole hole : {Leaky::Hole::name, Leaky::Hole::filename}) {
      Leaky leaky(hole);
      CHECK(refusal_of(leaky, stream).starts_with("--redact all left "));
    }
  }
}

TEST_CASE("what is next to the tables of a recording is searched as well") {
  Redactor redactor({Redact::all, ""});
  static_cast<void>(redactor.frame("acme_step", "/home/alice/net.py"));
  static_cast<void>(redactor.text(TextKind::setting, "Acme One"));
  Recording recording;
  CHECK(redactor.leaks(recording) == 0);
  recording.origin.rehearsal = Rehearsal{"Acme One", "acme_step", std::nullopt};
  CHECK(redactor.leaks(recording) == 2);
  recording.origin.rehearsal.reset();
  recording.warnings = {"of acme_step, in '/home/alice/net.py'"}; // the first may be a word of memviz's own
  CHECK(redactor.leaks(recording) == 1);
  CHECK_THROWS_AS(redactor.check(recording), Error);
}

TEST_CASE("an output with a hidden path is refused, and one with memviz's own words is not") {
  Redactor redactor({Redact::paths, ""});
  static_cast<void>(redactor.frame("total_bytes", "/home/alice/net.py"));
  CHECK_NOTHROW(redactor.check_output("\"total_bytes\": 12, \"file\": \"net.py\""));
  CHECK_THROWS_WITH_AS(redactor.check_output("step at /home/alice/net.py:12"),
                       "--redact paths left 1 hidden text in the output, so nothing was written; please report this",
                       Error);
}

TEST_CASE("what a redactor says itself is no leak") {
  Redactor redactor({Redact::all, ""});
  Recording recording;
  const auto add = [&](const FrameText& text) {
    recording.frames.intern(text.name);
    recording.frames.intern(text.filename);
  };
  // Names that the parts of pseudonyms, or what is next to them, could be taken for.
  for (const char* name : {"__func_", "action_", "func_1", "file_2", "importlib", "_bootstrap", "eval_with_key",
                           "frozen", "parquet", "packages", "START", "anonymous_at", "slow_kernel"})
    add(redactor.frame(name, "/home/alice/net.py"));
  for (const char* file : {"<frozen importlib._bootstrap>", "<eval_with_key>.3", "/data/alice.parquet",
                           "/x/site-packages/acme/a.py", "<frozen acme>"})
    add(redactor.frame("acme_fn", file));
  add(redactor.frame("at::native::slow_kernel<slow_kernel>", ""));
  add(redactor.frame("_PyAcme", "acme.so"));
  for (const char* text : {"START", "END"})
    recording.frames.intern(redactor.text(TextKind::stage, text));
  for (int i = 0; i < 1000; ++i)
    add(redactor.frame("acme_" + std::to_string(i), "net.py"));
  CHECK(redactor.leaks(recording) == 0);
}
