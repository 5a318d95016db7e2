#include "memviz/flame.hpp"
#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "memviz/redact.hpp"
#include "memviz/replay.hpp"
#include "support/files.hpp"
#include "support/secret_program.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("nothing that was hidden enters the snapshot") {
  const std::string bytes = secret_program().pickle();
  for (const bool stream : {true, false}) {
    Redactor redactor({Redact::all, ""});
    ReadOptions options;
    options.rewriter = &redactor;
    options.stream = stream;
    const Recording snapshot = read_snapshot(bytes, options);
    std::string all;
    for (std::uint32_t i = 0; i < snapshot.frames.string_count(); ++i)
      all += std::string(snapshot.frames.text({i})) + "\n";
    CAPTURE(all);
    check_none(all, kSecretPaths);
    check_none(all, kSecretNames);
    CHECK(redactor.leaks(snapshot) == 0);
    CHECK(all.find("expandable_segments:True") != std::string::npos);
    CHECK(all.find("/dist-packages/torch/nn/modules/linear.py\n") != std::string::npos);
    CHECK(starred(all).find("mark_*#3\n") != std::string::npos);
  }
}

TEST_CASE("everything hides what only looks public, and keeps the kind of code") {
  Redactor all({Redact::all, ""});
  Redactor everything({Redact::everything, ""});
  for (const auto& [name, file] : std::vector<std::pair<std::string, std::string>>{
           {"acme_step", "/x/lib/python3.10/site-packages/torch/acme_fork.py"},
           {"__acme__", "/home/alice/run.py"},
           {"at::native::acme_kernel(acme::Config)", "/build/torch/csrc/acme/kernel.cpp"},
           {"pthread_acme", "/usr/include/acme.h"},
           {"THPAcme_new", "??"}}) {
    const std::string raw = name;
    CAPTURE(raw);
    const FrameText kept = all.frame(name, file);
    CHECK((kept.name + kept.filename).find("cme") != std::string::npos);
    const FrameText hidden = everything.frame(name, file);
    CAPTURE(hidden.name);
    CAPTURE(hidden.filename);
    CHECK((hidden.name + hidden.filename).find("cme") == std::string::npos);
    CHECK(origin_of(hidden.filename) == origin_of(file));
  }
  CHECK(all.text(TextKind::metadata, "4711") == "4711");
  CHECK(starred(everything.text(TextKind::metadata, "4711")) == "text_*");
  CHECK(everything.text(TextKind::action, "acme_state").starts_with("action_"));
  CHECK(everything.frame("forward", "??").name == "forward");
  CHECK(everything.text(TextKind::setting, "expandable_segments:True") == "expandable_segments:True");
}

TEST_CASE("redaction changes no figure of real snapshots, and no ranking") {
  for (const auto& path : shared_snapshots()) {
    CAPTURE(path.string());
    const Input input = read_input(path.string());
    Redactor redactor({Redact::all, "a key"});
    ReadOptions options;
    options.rewriter = &redactor;
    const MemoryState raw = replay(read_snapshot(input.bytes()));
    const MemoryState hidden = replay(read_snapshot(input.bytes(), options));
    const auto users = rank_user_lines(raw, std::nullopt);
    const auto hidden_users = rank_user_lines(hidden, std::nullopt);
    const TreeOptions whole;
    const auto nodes = [&](const MemoryState& state) { return build_frame_tree(state, whole).nodes.size(); };
    CHECK(nodes(raw) == nodes(hidden));
    REQUIRE(users.size() == hidden_users.size());
    for (std::size_t i = 0; i < users.size(); ++i)
      CHECK(users[i].amount == hidden_users[i].amount);
  }
}
