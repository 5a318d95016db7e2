#include "memviz/flame.hpp"
#include "memviz/input.hpp"
#include "memviz/redact.hpp"
#include "memviz/replay.hpp"
#include "redact/public_names.hpp"
#include "support/files.hpp"
#include "support/secret_program.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

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

TEST_CASE("marks of torch's own are public, with what they are about") {
  for (const char* const name :
       {"", "ProfilerStep#12", "Optimizer.step#AdamW.step", "Optimizer.zero_grad#SGD.zero_grad",
        "DistributedDataParallel.forward", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"}) {
    CAPTURE(name);
    CHECK(is_public_annotation(name));
  }
  for (const char* const name : {"ProfilerStep#", "ProfilerStep#secret", "ProfilerStep", "Optimizer.step#Secret.step",
                                 "Optimizer.zero_grad#Secret.zero_grad", "AdamW.step", "secret#AdamW.step", "12",
                                 "secret#12", "DistributedDataParallel.forward#12"}) {
    CAPTURE(name);
    CHECK_FALSE(is_public_annotation(name));
  }
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
