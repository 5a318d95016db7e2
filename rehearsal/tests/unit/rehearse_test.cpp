#include "memviz/error.hpp"
#include "run/change.hpp"
#include "run/search.hpp"
#include "support/contains.hpp"
#include "verdict/fit_report.hpp"
#include "verdict/fit_words.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace memviz;
using memviz::test::contains;
using memviz::test::one_contains;
using namespace memviz::rehearse;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

bool has_note(const FitVerdict& verdict, const std::string& part) {
  for (const std::string& note : notes(verdict))
    if (contains(note, part)) return true;
  return false;
}

DeviceUse use(std::uint64_t peak_bytes, std::int64_t pid = 10) {
  return {.pid = pid,
          .device = {},
          .total_bytes = 80 * kGiB,
          .context_bytes = kGiB,
          .peak_bytes = peak_bytes,
          .peak_reserved_bytes = peak_bytes - kGiB,
          .peak_allocated_bytes = peak_bytes - kGiB};
}

FitVerdict verdict_of(const Ending& ending, RunFacts facts) {
  FitVerdict verdict;
  verdict.ending = ending;
  verdict.profile = {"h100-80", "NVIDIA H100 80GB HBM3", 80 * kGiB, kGiB};
  verdict.outcome = outcome_of(ending, facts);
  verdict.facts = std::move(facts);
  return verdict;
}

RunFacts fitting(std::uint64_t peak_bytes = 40 * kGiB) {
  RunFacts facts;
  facts.used_cuda = true;
  facts.uses = {use(peak_bytes)};
  return facts;
}

RunFacts failing() {
  RunFacts facts = fitting(79 * kGiB);
  facts.oom_count = 1;
  facts.ooms = {{10, std::nullopt, {0}, 8 * kGiB, ""}};
  return facts;
}

} // namespace

TEST_CASE("what --compare-with changes: a variable, or arguments after the program's own") {
  const RunChange variable = parse_change("compare-with", "A=b c");
  CHECK(variable.name == "A=b c");
  CHECK(variable.variables == Variables{{"A", "b c"}});
  CHECK(with_arguments({"python", "train.py"}, variable) == std::vector<std::string>{"python", "train.py"});

  const RunChange arguments = parse_change("compare-with", "--batch  4 -x");
  CHECK(arguments.name == "--batch  4 -x");
  CHECK(arguments.variables.empty());
  CHECK(with_arguments({"train.py"}, arguments) == std::vector<std::string>{"train.py", "--batch", "4", "-x"});
}

TEST_CASE("settings of the allocator join those that the environment has") {
  ::unsetenv("PYTORCH_ALLOC_CONF");
  ::setenv("PYTORCH_CUDA_ALLOC_CONF", "pinned_use_background_threads:True", 1);
  CHECK(allocator_levers().front().variables ==
        Variables{{"PYTORCH_CUDA_ALLOC_CONF", "pinned_use_background_threads:True,expandable_segments:True"}});
  ::setenv("PYTORCH_ALLOC_CONF", "", 1);
  CHECK(allocator_levers().front().variables == Variables{{"PYTORCH_ALLOC_CONF", "expandable_segments:True"}});
  ::unsetenv("PYTORCH_ALLOC_CONF");
  ::unsetenv("PYTORCH_CUDA_ALLOC_CONF");
}

TEST_CASE("what --compare-with takes") {
  CHECK(parse_setting("compare-with", "A=b=c") == std::pair<std::string, std::string>{"A", "b=c"});
  CHECK(parse_setting("compare-with", "A=") == std::pair<std::string, std::string>{"A", ""});
  for (const char* wrong : {"", "A", "=b", "1A=b"})
    CHECK_THROWS_AS(static_cast<void>(parse_setting("compare-with", wrong)), UsageError);
}

TEST_CASE("the outcome of a run, and the exit code that shows it") {
  const auto code = [](const Ending& ending, const RunFacts& facts) { return exit_code(verdict_of(ending, facts)); };
  CHECK(code({}, fitting()) == 0);
  CHECK(code({.exit_code = 1}, failing()) == 3);
  CHECK(code({}, failing()) == 3); // the program caught it
  CHECK(code({.exit_code = 7}, fitting()) == 7);
  CHECK(code({.signal = 9}, fitting()) == 137);
  CHECK(code({.exit_code = 5}, {}) == 5);
  CHECK(code({}, {}) == 1); // no GPU was used: no answer
}

TEST_CASE("a verdict in words") {
  SUBCASE("fits") {
    const FitVerdict verdict = verdict_of({}, fitting());
    CHECK(headline(verdict) ==
          "Fits on NVIDIA H100 80GB HBM3 (h100-80): 40.0 GiB of 80.0 GiB at the peak, 40.0 GiB left.");
    const std::string text = fit_text({.runs = {{{}, {}, 1, verdict}}}, 100);
    CHECK(contains(text, "39.0 GiB")); // of PyTorch's
    CHECK(contains(text, "GPU 0"));
    CHECK(has_note(verdict, "typical"));
    CHECK_FALSE(has_note(verdict, "zeros"));
  }
  SUBCASE("does not fit") {
    CHECK(headline(verdict_of({.exit_code = 1}, failing())) ==
          "Does not fit on NVIDIA H100 80GB HBM3 (h100-80): it ran out of memory.");
    RunFacts facts = failing();
    facts.oom_count = 3;
    CHECK(contains(headline(verdict_of({}, facts)), "3 times, caught the error and went on"));
    CHECK(short_text(verdict_of({.exit_code = 1}, failing())) == "does not fit: 8.00 GiB asked for");
  }
  SUBCASE("a refusal is the reason where it ended the program, else a note") {
    RunFacts facts = fitting();
    facts.used_cuda = false;
    facts.refusals = {"rank 5 of 8 asks for the backend 'mpi'", "rank 6 as well"};
    const FitVerdict ended = verdict_of({.exit_code = 1}, facts);
    CHECK(headline(ended) == "No answer: rank 5 of 8 asks for the backend 'mpi'. The program ended with exit code 1.");
    CHECK(short_text(ended) == "no answer: rank 5 of 8 asks for the backend 'mpi'");
    CHECK(has_note(ended, "rank 6 as well"));
    CHECK_FALSE(has_note(ended, "rank 5"));
    CHECK_FALSE(has_note(ended, "never used a GPU"));
    facts.used_cuda = true;
    const FitVerdict went_on = verdict_of({}, facts);
    CHECK(contains(headline(went_on), "Fits on"));
    CHECK(has_note(went_on, "rank 5 of 8 asks for the backend 'mpi'"));
  }
  SUBCASE("failed for another reason") {
    CHECK(headline(verdict_of({.exit_code = 7}, fitting())) ==
          "No answer: the program ended with exit code 7, for a reason other than memory. Until then on NVIDIA H100 "
          "80GB HBM3 (h100-80): 40.0 GiB of 80.0 GiB at the peak, 40.0 GiB left.");
    CHECK(contains(headline(verdict_of({.signal = 9}, fitting())), "was ended by SIGKILL"));
    CHECK(has_note(verdict_of({.exit_code = 7}, {}), "never used a GPU"));
  }
  SUBCASE("never used a GPU") {
    RunFacts facts;
    CHECK(contains(headline(verdict_of({}, facts)), "nothing initialised CUDA"));
    facts.torches = {"2.9.0+cpu"};
    CHECK(contains(headline(verdict_of({}, facts)), "its torch 2.9.0+cpu was built without CUDA"));
    facts.has_cuda_torch = true;
    CHECK(contains(headline(verdict_of({}, facts)), "never initialised CUDA"));
  }
  SUBCASE("what cannot be known is said") {
    RunFacts facts = fitting();
    facts.host_reads = 12;
    facts.notes = {"cuDNN: workspaces of 0 bytes"};
    facts.failures = {"on_cuda: RuntimeError: no", "on_step: KeyError: 3"};
    facts.failure_counts = {{"on_cuda: RuntimeError: no", 1}, {"on_step: KeyError: 3", 1200}};
    facts.has_own_recorder = true;
    facts.uses.push_back(use(60 * kGiB, 11));
    facts.uses.back().retries = 2;
    const FitVerdict verdict = verdict_of({}, facts);
    CHECK(has_note(verdict, "12 copies to the host gave zeros"));
    CHECK(has_note(verdict, "cuDNN: workspaces of 0 bytes"));
    CHECK(has_note(verdict, "on_cuda: RuntimeError: no"));
    CHECK_FALSE(has_note(verdict, "on_cuda: RuntimeError: no ("));
    CHECK(has_note(verdict, "on_step: KeyError: 3 (1,200 times)"));
    CHECK(has_note(verdict, "records its own history"));
    CHECK(has_note(verdict, "GPU 0 was used by 2 processes"));
    CHECK(has_note(verdict, "60.0 GiB of 80.0 GiB at most, at one time"));
    CHECK(has_note(verdict, "only just fits"));
    CHECK(contains(headline(verdict), "60.0 GiB of 80.0 GiB")); // the fullest
  }
  SUBCASE("functions that were looked up in vain share a note") {
    RunFacts facts = fitting();
    facts.notes = {"a function that is not made up was asked for: cuA", "cuDNN: workspaces of 0 bytes"};
    CHECK(has_note(verdict_of({}, facts), "1 function that the made-up GPU does not have was looked up: cuA."));
    for (const std::string name : {"cuB", "cuC", "cuD", "cuE"})
      facts.notes.push_back("a function that is not made up was asked for: " + name);
    const FitVerdict verdict = verdict_of({}, facts);
    CHECK(
        has_note(verdict, "5 functions that the made-up GPU does not have were looked up: cuA, cuB, cuC and 2 more."));
    CHECK_FALSE(has_note(verdict, "asked for: "));
    CHECK(has_note(verdict, "cuDNN: workspaces of 0 bytes"));
  }
  SUBCASE("convolutions have a range, which ends where the memory does") {
    RunFacts facts = fitting();
    CHECK_FALSE(contains(headline(verdict_of({}, facts)), "convolutions"));
    facts.convolutions = 3;
    CHECK(contains(headline(verdict_of({}, facts)), "left; workspaces of convolutions take 0 to 98.0 MiB more"));
    CHECK(has_note(verdict_of({}, facts),
                   "Of the workspaces of convolutions, the part that converts tensors is counted"));
    facts.uses.front().peak_bytes = facts.uses.front().total_bytes - 1024;
    CHECK(contains(headline(verdict_of({}, facts)), "take 0 to 1.00 KiB more"));
    facts.uses.front().peak_bytes = facts.uses.front().total_bytes;
    CHECK_FALSE(contains(headline(verdict_of({}, facts)), "convolutions"));
  }
  SUBCASE("steps") {
    RunFacts facts = fitting();
    facts.steps = 2;
    FitVerdict verdict = verdict_of({}, facts);
    CHECK_FALSE(has_note(verdict, "step"));
    verdict.steps_asked = 3;
    CHECK(has_note(verdict, "--steps 3: the program ended after 2 steps"));
    verdict.facts.is_stopped = true;
    CHECK(has_note(verdict, "Stopped after 2 optimizer steps, as requested"));
  }
  SUBCASE("as JSON") {
    const auto json = nlohmann::json::parse(fit_json({.runs = {{{}, {}, 1, verdict_of({}, fitting())}}}));
    CHECK(json["schema_version"] == 2);
    CHECK(json["verdict"]["outcome"] == "fits");
    CHECK(json["verdict"]["devices"][0]["left_bytes"] == 40 * kGiB);
    CHECK(json["verdict"]["gpu"]["profile"] == "h100-80");
  }
}
