#include "memviz/recording.hpp"
#include "memviz/redact.hpp"
#include "support/every_command.hpp"
#include "support/files.hpp"
#include "support/memory_limit.hpp"
#include "support/process.hpp"
#include "support/secret_program.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("two redacted checkouts of a project compare as they do in clear") {
  TemporaryFolder folder;
  const auto snapshot_of = [](const std::string& checkout) {
    SnapshotBuilder builder;
    builder.segment(0x7f0000000000, 2 * MiB)
        .active(MiB, MiB, {checkout + "/net/model.py:12:layer", checkout + "/train.py:3:main"})
        .inactive(MiB);
    return builder.pickle();
  };
  write_bytes(folder / "before.pickle", snapshot_of("/home/alice/acme"));
  write_bytes(folder / "after.pickle", snapshot_of("/build/1234/acme"));
  for (const std::string what : {"", "paths", "names", "all"}) {
    CAPTURE(what);
    std::vector<std::string> words{"compare", folder / "before.pickle", folder / "after.pickle"};
    if (!what.empty()) words.insert(words.end(), {"--redact", what});
    const Outcome outcome = run(words);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find("largest changes") == std::string::npos);
  }
}

TEST_CASE("redacted runs over real snapshots find no leak") {
  const std::vector<std::string_view> folders{"/home/", "C:\\", "/root/", "/mnt/", "/workspace/"};
  for (const auto& path : shared_snapshots()) {
    CAPTURE(path.string());
    const TemporaryFolder folder;
    for (const std::string what : {"paths", "names", "all"}) {
      CAPTURE(what);
      std::vector<Command> commands{
          {"flame", path.string(), "-o", folder / "out.svg", "--json", "-", "--frames", "all"}};
      if (what == "all") {
        commands.push_back({"explain", path.string()});
        // Its frames are those of the events, all of whose texts are checked below.
        commands.push_back({"trace", path.string(), "--stacks", "--min-size", "64MiB"});
      }
      for (Command words : commands) {
        words.insert(words.end(), {"--redact", what, "-q"});
        const Outcome outcome = run(words);
        CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
        if (what != "names") check_none(outcome.out, folders);
      }
      if (what != "names") check_none(read_bytes(folder / "out.svg"), folders);
    }
    Redactor redactor({Redact::all, ""});
    ReadOptions options;
    options.rewriter = &redactor;
    const Recording recording = read_snapshot(read_bytes(path.string()), options);
    std::string texts;
    for (std::uint32_t i = 0; i < recording.frames.string_count(); ++i)
      texts.append(recording.frames.text({i})).push_back('\n');
    check_none(texts, folders);
  }
}

TEST_CASE("every output of a redacted run is free of what was hidden") {
  TemporaryFolder folder;
  const std::string file = folder / "alice_acme.pickle";
  write_bytes(file, secret_program().pickle());
  const std::string nothing = folder / "nothing.pickle";
  write_bytes(nothing, SnapshotBuilder().pickle());
  std::vector<Command> commands = every_command(file, file);
  commands.push_back({"compare", nothing, file, "--markdown", "-"});
  commands.push_back({"export", file, "--format", "pickle"});
  for (std::vector<std::string> words : commands) {
    CAPTURE(words.front());
    SUBCASE("all") {
      words.insert(words.end(), {"--redact", "all"});
      const Outcome outcome = run(words);
      CHECK(outcome.exit_code == 0);
      check_none(outcome.out + outcome.err, kSecretPaths);
      check_none(outcome.out + outcome.err, kSecretNames);
    }
    SUBCASE("paths") {
      words.insert(words.end(), {"--redact", "paths"});
      const Outcome outcome = run(words);
      CHECK(outcome.exit_code == 0);
      const std::string_view secrets[] = {"alice/", "acme_project", "hidden_model.py", "run.py", "/home"};
      check_none(outcome.out + outcome.err, secrets);
    }
    SUBCASE("names") {
      words.insert(words.end(), {"--redact", "names"});
      const Outcome outcome = run(words);
      CHECK(outcome.exit_code == 0);
      check_none(outcome.out + outcome.err, kSecretNames);
    }
  }
}

TEST_CASE("two redacted files still compare, and a key changes every pseudonym") {
  TemporaryFolder folder;
  const std::string file = folder / "one.pickle";
  write_bytes(file, secret_program().pickle());
  const auto folded = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"export", file, "--format", "folded", "--redact", "all"};
    words.insert(words.end(), options.begin(), options.end());
    return run(words).out;
  };
  CHECK(folded({}) == folded({}));
  CHECK(folded({}) != folded({"--redact-key", "one"}));
  CHECK(folded({"--redact-key", "one"}) == folded({"--redact-key", "one"}));
  CHECK(starred(folded({})) == starred(folded({"--redact-key", "one"})));
}

TEST_CASE("a redacted run finds the annotation that the command line names") {
  TemporaryFolder folder;
  const std::string file = folder / "steps.pickle";
  SnapshotBuilder builder;
  PythonItems marks;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t time_us = 100 * (step + 1);
    for (const char* name : {"acme_step", "acme_turn"})
      marks.push_back(
          dict({{"name", name}, {"stage", "START"}, {"device", 0}, {"time_us", time_us + (name[5] == 't' ? 50 : 0)}}));
    marks.push_back(
        dict({{"name", fmt::format("acme_round{}", step)}, {"stage", "START"}, {"device", 0}, {"time_us", time_us}}));
    builder.event(dict({{"action", "alloc"},
                        {"addr", 0x1000 * (step + 1)},
                        {"size", 512},
                        {"stream", 0},
                        {"time_us", time_us + 10},
                        {"frames", list()}}));
  }
  builder.set("external_annotations", list(marks));
  write_bytes(file, builder.pickle());
  const auto check = [&](std::vector<std::string> words, std::string_view expected) {
    words.insert(words.end(), {"--redact", "names"});
    const Outcome outcome = run(words);
    CAPTURE(outcome.out);
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
    CHECK(starred(outcome.out).find(expected) != std::string::npos);
    check_none(outcome.out, std::vector<std::string_view>{"acme"});
  };
  check({"stats", file, "--at", "annotation:acme_step"}, "at the start of 'mark_*', before the first event");
  check({"stats", file, "--at", "annotation:acme_step#3"}, "at the start of 'mark_*#3', event 1 of 4");
  check({"stats", file, "--at", "annotation:acme_round2"}, "at the start of 'mark_*#2', event 1 of 4");
  check({"flame", file, "-o", "-", "--at", "annotation:acme_turn#2"}, "event 1 of 4");
  check({"explain", file, "--at", "annotation:acme_step#3"}, "event 1 of 4");
  check({"trace", file, "--from", "annotation:acme_turn#2", "--action", "alloc"}, "2 of 4 events");
  check({"leaks", file, "--steps", "annotation:acme_step"}, "4 steps, one at each annotation 'mark_*'");
  check({"leaks", file, "--steps", "annotation:acme_round*"}, "4 steps, one at each annotation 'mark_**'");
  const Outcome unknown = run({"stats", file, "--at", "annotation:other", "--redact", "names"});
  CHECK(unknown.exit_code == 2);
  check_none(unknown.err, std::vector<std::string_view>{"acme"});
}

TEST_CASE("a long text is looked through without being held") {
  constexpr int kEvents = 3000;
  constexpr int kDepth = 200;
  TemporaryFolder folder;
  const std::string file = folder / "deep.pickle";
  Stack stack;
  for (int i = 0; i < kDepth; ++i)
    stack.push_back(fmt::format("/home/alice/acme/model.py:{}:a_function_of_acme_with_a_long_name_{}", i, i));
  const PythonValue frames = frames_of(stack);
  SnapshotBuilder builder;
  for (int i = 0; i < kEvents; ++i)
    builder.event(dict({{"action", "alloc"},
                        {"addr", 0x1000 * (i + 1)},
                        {"size", 512},
                        {"stream", 0},
                        {"time_us", i},
                        {"frames", frames}}));
  write_bytes(file, builder.pickle());
  std::vector<std::string> words{"trace", file, "--stacks", "--redact", "all"};
  if (kCanLimit) words.insert(words.end(), {"--max-memory", "32M"});
  const Outcome outcome = run(words);
  CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
  CHECK(outcome.out.size() > kEvents * kDepth * 50);
  check_none(outcome.out.substr(0, 100'000), std::vector<std::string_view>{"acme", "alice"});
  const Outcome file_outcome = run({"trace", file, "--stacks", "--redact", "all", "-o", folder / "out"});
  CHECK(file_outcome.exit_code == 0);
  CHECK(read_bytes(folder / "out") == outcome.out);
}

TEST_CASE("a package that no one knows is hidden, and what shows its kind of code is no leak") {
  TemporaryFolder folder;
  const std::string file = folder / "mem.pickle";
  SnapshotBuilder builder;
  builder.segment(0x1000, 512).active(512, 512, {"/opt/lib/python3.10/site-packages/acme/a.py:3:acme_fn"});
  write_bytes(file, builder.pickle());
  for (const std::string what : {"paths", "all"}) {
    const Outcome outcome = run({"flame", file, "-q", "-o", "-", "--redact", what});
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
    check_none(outcome.out, std::vector<std::string_view>{"/acme/", "/opt/"});
  }
}

TEST_CASE("messages about a redacted file do not quote it") {
  {
    TemporaryFolder other;
    write_bytes(other / "x.txt", "acme_key = 'alice'\n");
    const Outcome text = run({"stats", other / "x.txt", "--redact", "all"});
    CHECK(text.exit_code == 1);
    check_none(text.err, std::vector<std::string_view>{"acme", "alice"});
  }
  TemporaryFolder folder;
  const std::string file = folder / "alice_acme.pickle";
  write_bytes(file, pickled(dict({{"acme_key", 1}})));
  const Outcome outcome = run({"stats", file, "--redact", "all"});
  CHECK(outcome.exit_code == 1);
  check_none(outcome.err, kSecretNames);
  check_none(outcome.err, kSecretPaths);
  SnapshotBuilder odd;
  odd.segment(0x1000, 512).block(dict({{"size", 512}, {"state", "acme_key STATE"}}));
  write_bytes(file, odd.pickle());
  check_none(run({"stats", file, "--redact", "all"}).err, kSecretNames);
  CHECK(run({"stats", file, "--redact-key", "x"}).exit_code == 2);
  CHECK(run({"stats", file, "--redact", "some"}).exit_code == 2);
}
