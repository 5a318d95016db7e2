#include "run/run_facts.hpp"

#include "support/contains.hpp"
#include "support/files.hpp"
#include "verdict/fit_words.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace memviz;
using memviz::test::contains;
using memviz::test::one_contains;
using namespace memviz::rehearse;

TEST_CASE("what a run leaves behind is read line by line") {
  const test::TemporaryFolder folder;
  test::write_bytes(
      folder / "report",
      R"({"pid": 7, "profile": "t4", "devices": [{"device": 0, "total_bytes": 100, "context_bytes": 10,)"
      R"( "used_bytes": 0, "peak_used_bytes": 50, "peak_handle_bytes": 8}, {"device": 1, "total_bytes": 100, "context_bytes": 10,)"
      R"( "used_bytes": 0, "peak_used_bytes": 0, "peak_handle_bytes": 9}], "host_reads": 3, "convolutions": 4,)"
      R"( "notes": ["a", 5, "b"]})"
      "\n"
      R"({"pid": 6, "profile": "t4", "devices": [], "host_reads": 2, "notes": ["b"]})"
      "\n{\"pid\": 8, \"devi");
  test::write_bytes(
      folder / "log",
      R"({"event": "torch", "pid": 7, "version": "2.13.0+cu130", "cuda": "13.0"})"
      "\n"
      R"({"event": "cuda", "pid": 7, "rank": 3})"
      "\n"
      R"({"event": "no_kernels", "pid": 7, "version": "2.13.0", "capability": "7.0"})"
      "\n"
      R"({"event": "no_kernels", "pid": 8, "version": "2.13.0", "capability": "11.0", "is_arm": true})"
      "\n"
      R"({"event": "oom", "pid": 7, "rank": 3, "device": 0, "asked_bytes": 60, "file": null})"
      "\n"
      R"({"event": "failure", "pid": 7, "text": "no"})"
      "\n"
      R"({"event": "failure", "pid": 7, "text": "no", "count": 3})"
      "\n"
      R"({"event": "failure", "pid": 8, "text": "no"})"
      "\n"
      R"({"event": "refusal", "pid": 7, "text": "rank 3 waits"})"
      "\n"
      R"({"event": "error", "pid": 7, "text": "ValueError: no"})"
      "\n"
      R"({"event": "error", "pid": 6, "text": "ChildFailedError"})"
      "\n"
      R"({"event": "needs", "pid": 7, "ranks": [0, "1", 2, -3]})"
      "\n[1, 2]\nnonsense\n"
      R"({"event": "end", "pid": 7, "rank": 3, "steps": 5, "stopped": true, "own_recorder": false, "uncaught_oom": true,)"
      R"( "compiled_frames": 6, "left_uncompiled": true,)"
      R"( "ooms": 1, "file": "/x/y.pickle", "devices": [{"device": 0, "peak_reserved_bytes": 75,)"
      R"( "peak_allocated_bytes": 40, "ooms": 1, "retries": 1}]})"
      "\n");
  const RunFacts facts = read_facts(folder / "report", folder / "log");
  CHECK(facts.error == "ValueError: no");
  REQUIRE(facts.uses.size() == 1);
  CHECK(facts.uses[0].rank == 3);
  CHECK(facts.uses[0].peak_bytes == 60); // whatever PyTorch counts, with the memory of a server that sleeps
  CHECK(facts.uses[0].left_bytes() == 40);
  CHECK(facts.uses[0].peak_reserved_bytes == 75);
  CHECK(facts.uses[0].retries == 1);
  CHECK(facts.host_reads == 5);
  CHECK(facts.convolutions == 4);
  CHECK(facts.handle_bytes == 9); // of the device with most
  CHECK(facts.compiled_frames == 6);
  CHECK(facts.is_left_uncompiled);
  CHECK(facts.notes == std::vector<std::string>{
                           "a", "b",
                           "No kernels: PyTorch 2.13.0 was built without any for compute capability 7.0, so a real GPU "
                           "refuses the first. The figures are those of a build that has them.",
                           "PyTorch 2.13.0 for x86-64 was built without kernels for compute capability 11.0. Such a "
                           "GPU is in a machine with an ARM processor, whose builds of PyTorch have other kernels: "
                           "whether these are among them, torch.cuda.get_arch_list() shows there."});
  CHECK(facts.refusals == std::vector<std::string>{"rank 3 waits"});
  CHECK(facts.needed_ranks == std::vector<std::uint64_t>{0, 2});
  CHECK(facts.failures == std::vector<std::string>{"no"});
  CHECK(facts.failure_counts == std::map<std::string, std::uint64_t>{{"no", 4}});
  CHECK(facts.oom_count == 1);
  REQUIRE(facts.ooms.size() == 1);
  CHECK(facts.ooms[0].asked_bytes == 60);
  REQUIRE(facts.files.size() == 1);
  CHECK(facts.files[0].path == "/x/y.pickle");
  CHECK(facts.is_stopped);
  CHECK(facts.has_cuda_torch);

  CHECK(facts.interrupted_at.empty());
  CHECK(facts.reads.empty());

  const RunFacts nothing = read_facts(folder / "no", folder / "neither");
  CHECK(nothing.uses.empty());
  CHECK_FALSE(nothing.used_cuda);
}

TEST_CASE("what a library could not get outside PyTorch does not fit") {
  const test::TemporaryFolder folder;
  test::write_bytes(
      folder / "report",
      R"({"pid": 7, "devices": [{"device": 0, "total_bytes": 100, "context_bytes": 10, "outside_bytes": 0, )"
      R"("refused_bytes": 251658240, "peak_used_bytes": 80}]})"
      "\n");
  FitVerdict verdict;
  verdict.ending.exit_code = 1;
  verdict.facts = read_facts(folder / "report", folder / "none");
  CHECK(verdict.facts.oom_count == 1);
  CHECK(verdict.facts.library_asked_bytes == 251658240);
  verdict.outcome = outcome_of(verdict.ending, verdict.facts);
  CHECK(verdict.outcome == FitOutcome::does_not_fit);
  CHECK(exit_code(verdict) == 3);
  CHECK(contains(headline(verdict), ": it ran out of memory: libraries outside PyTorch asked for 240 MiB."));
  CHECK(short_text(verdict) == "does not fit: 240 MiB asked for by libraries");
}

TEST_CASE("a device that others fill is full, and is named where a request fails because of them") {
  const test::TemporaryFolder folder;
  test::write_bytes(
      folder / "report",
      R"({"pid": 7, "devices": [{"device": 0, "total_bytes": 100, "context_bytes": 10, "peak_used_bytes": 20, )"
      R"("peak_all_bytes": 90}]})"
      "\n"
      R"({"pid": 8, "devices": [{"device": 0, "total_bytes": 100, "context_bytes": 10, "peak_used_bytes": 0, )"
      R"("peak_all_bytes": 80, "most_other_bytes": 70}]})"
      "\n");
  FitVerdict verdict;
  verdict.facts = read_facts(folder / "report", folder / "none");
  REQUIRE(verdict.facts.uses.size() == 1);
  CHECK(verdict.facts.uses[0].peak_bytes == 30);
  CHECK(verdict.facts.uses[0].left_bytes() == 10);
  verdict.outcome = FitOutcome::fits;
  CHECK(contains(room_text(verdict), ": 30 B of 100 B at the peak, 90 B with other processes, 10 B left"));
  CHECK(contains(short_text(verdict), ": 30 B of 100 B, 90 B with other processes"));
  verdict.outcome = FitOutcome::does_not_fit;
  verdict.facts.oom_count = 1;
  verdict.ending.exit_code = 1;
  CHECK(contains(headline(verdict), ": it ran out of memory, while other processes had 70 B of the GPU."));
  verdict.neighbour = "python serve.py";
  CHECK(contains(headline(verdict), ": python serve.py ran out of memory"));
}

TEST_CASE("a process that did not come to its end counts with what it wrote while it ran") {
  const test::TemporaryFolder folder;
  const auto line = [](int pid, int peak_bytes, int reads) {
    return fmt::format(R"({{"pid": {}, "devices": [{{"device": 0, "total_bytes": 100, "context_bytes": 10, )"
                       R"("peak_used_bytes": {}}}], "host_reads": {}}})"
                       "\n",
                       pid, peak_bytes, reads);
  };
  test::write_bytes(folder / "report", line(7, 50, 8));
  test::write_bytes(folder / "report.live-7", line(7, 20, 4)); // it came to its end after this
  test::write_bytes(folder / "report.live-8", line(8, 30, 2) + "rest of a longer line}\n");
  test::write_bytes(folder / "log",
                    R"({"event": "reads", "pid": 8, "lines": [{"line": "a.py:1", "count": 5}]})"
                    "\n"
                    R"({"event": "reads", "pid": 8, "lines": [{"line": "a.py:1", "count": 9}, {"line": "b.py:2"}]})"
                    "\n"
                    R"({"event": "reads", "pid": 7, "lines": [{"line": "c.py:3", "count": 4}, 5]})"
                    "\n"
                    R"({"event": "reads", "pid": 7, "lines": [{"line": "a.py:1", "count": 1}]})"
                    "\n"
                    R"({"event": "end", "pid": 7, "interrupted_at": "c.py:3"})"
                    "\n");
  const RunFacts facts = read_facts(folder / "report", folder / "log");
  REQUIRE(facts.uses.size() == 2);
  CHECK(facts.uses[0].peak_bytes == 60);
  CHECK(facts.uses[1].peak_bytes == 40);
  CHECK(facts.host_reads == 10);
  REQUIRE(facts.reads.size() == 3);
  CHECK(facts.reads[0].line == "a.py:1");
  CHECK(facts.reads[0].count == 10);
  CHECK(facts.reads[1].line == "c.py:3");
  CHECK(facts.interrupted_at == "c.py:3");
  FitVerdict verdict;
  verdict.outcome = FitOutcome::failed;
  verdict.ending.signal = 15;
  verdict.facts = facts;
  CHECK(contains(headline(verdict), "was ended by SIGTERM, for a reason other than memory. Until then on "));
  const std::vector<std::string> said = notes(verdict);
  CHECK(contains(said.at(0), "It was at c.py:3 when it was interrupted."));
  CHECK(one_contains(said, "gave zeros, most at a.py:1 (10 times), c.py:3 (4), b.py:2 (0)."));
}

TEST_CASE("what a run leaves behind is read within bounds") {
  const test::TemporaryFolder folder;
  std::string report = R"({"pid": 1, "host_reads": 1, "x": ")" + std::string(1U << 20U, 'x') + "\"}\n";
  for (int i = 0; i < 1000; ++i)
    report += R"({"pid": 2, "host_reads": 1, "notes": ["note )" + std::to_string(i) + "\"]}\n";
  test::write_bytes(folder / "report", report);
  const RunFacts facts = read_facts(folder / "report", "/dev/zero");
  CHECK(facts.host_reads == 1000);
  CHECK(facts.notes.size() == 100);
}

TEST_CASE("of many lines that decide, those that make an answer unsure are kept") {
  std::string lines;
  for (int i = 0; i < 7; ++i)
    lines +=
        fmt::format(R"({{"line": "known.py:{}", "count": {}, "unknown": 0, "made_up": 1, "guessed": 0}},)", i, 90 + i);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "report", "");
  test::write_bytes(folder / "log",
                    R"({"event": "decisions", "pid": 7, "lines": [)" + lines +
                        R"({"line": "moe.py:8", "count": 2, "unknown": 0, "made_up": 2, "guessed": 2},)"
                        R"({"line": "mask.py:3", "count": 1, "unknown": 1, "made_up": 0, "guessed": 0}]})"
                        "\n");
  const RunFacts facts = read_facts(folder / "report", folder / "log");
  REQUIRE(facts.decisions.size() == 5);
  CHECK(facts.decisions[0].line == "mask.py:3");
  CHECK(facts.decisions[1].line == "moe.py:8");
  CHECK(facts.decisions[2].line == "known.py:6");
}
