#include "verdict/fit_doubt_words.hpp"
#include "verdict/fit_words.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::rehearse;

namespace {

std::uint64_t mib(std::uint64_t count) {
  return count << 20U;
}

// The driver may take 240 MiB less, or 260 MiB more, than in its model.
FitVerdict verdict_of(FitOutcome outcome) {
  FitVerdict verdict;
  verdict.outcome = outcome;
  verdict.facts.server = ServerFacts{.name = "vLLM", .version = "0.19.0", .has_started = true};
  ServerFacts& server = *verdict.facts.server;
  server.outside_model_bytes = mib(100);
  server.outside_least_bytes = mib(80);
  server.outside_most_bytes = mib(120);
  server.graph_model_bytes = mib(1000);
  server.graph_least_bytes = mib(780);
  server.graph_most_bytes = mib(1240);
  return verdict;
}

FitVerdict short_by(std::uint64_t bytes) {
  FitVerdict verdict = verdict_of(FitOutcome::does_not_fit);
  verdict.facts.oom_count = 1;
  OutOfMemoryFact oom;
  oom.asked_bytes = mib(500) + bytes;
  oom.free_bytes = mib(500);
  verdict.facts.ooms.push_back(oom);
  return verdict;
}

FitVerdict with_left(std::uint64_t bytes) {
  FitVerdict verdict = verdict_of(FitOutcome::fits);
  DeviceUse use;
  use.total_bytes = mib(2000);
  use.peak_bytes = mib(2000) - bytes;
  verdict.facts.uses.push_back(use);
  return verdict;
}

} // namespace

TEST_CASE("a server that is short of less than the error of the driver's model may start on a real GPU") {
  CHECK(doubt_text(short_by(mib(58))) ==
        "58.0 MiB is short, and the driver may take up to 240 MiB less than in its model: on a real GPU the server may "
        "start.");
  CHECK(headline(short_by(mib(58))).starts_with("May not fit on "));
  CHECK(notes(short_by(mib(58))).front().starts_with("58.0 MiB is short"));
  CHECK(doubt_text(short_by(mib(240))).empty());
  CHECK(headline(short_by(mib(240))).starts_with("Does not fit on "));
}

TEST_CASE("a server that leaves less than the error of the driver's model may run out of memory on a real GPU") {
  CHECK(doubt_text(with_left(mib(202))) == "202 MiB is left, and the driver may take up to 260 MiB more than "
                                           "in its model: on a real GPU the server may run out "
                                           "of memory.");
  CHECK(headline(with_left(mib(202))).starts_with("May fit on "));
  CHECK(short_text(with_left(mib(202))).starts_with("may fit: "));
  CHECK(headline(with_left(mib(260))).starts_with("Fits on "));
}

TEST_CASE("without a model of the driver, or without a shortage, no error of it decides") {
  FitVerdict verdict = with_left(0);
  verdict.facts.server->outside_model_bytes = verdict.facts.server->graph_model_bytes = {};
  CHECK(doubt_text(verdict).empty());
  verdict.facts.server = {};
  CHECK(doubt_text(verdict).empty());
  CHECK(doubt_text(verdict_of(FitOutcome::failed)).empty());
  CHECK(doubt_text(verdict_of(FitOutcome::does_not_fit)).empty()); // the server refused to start
}

namespace {

/// A program on a GPU on which nothing is measured of what kernels take.
FitVerdict trained_with_left(std::uint64_t bytes) {
  FitVerdict verdict = with_left(bytes);
  verdict.facts.server = {};
  verdict.facts.kernel_launches = 1;
  return verdict;
}

} // namespace

TEST_CASE("less than kernels take on an H100 may be too little where nothing was measured") {
  const FitVerdict tight = trained_with_left(mib(27));
  CHECK(doubt_text(tight) ==
        "27.0 MiB is left, and up to 244 MiB may go to what is not counted here: kernels and libraries (224 to 244 MiB "
        "on an H100; not measured here). On a real GPU it may run out of memory. --outside counts what is outside "
        "PyTorch.");
  CHECK(headline(tight).starts_with("May fit on "));
  CHECK(!is_sure(tight));
  CHECK(is_sure(trained_with_left(mib(244))));
  SUBCASE("a profile that has the figure counts it, but programs differ") {
    FitVerdict verdict = tight;
    verdict.profile.kernels_bytes = mib(240);
    CHECK(is_sure(verdict));
    CHECK(uncounted_bytes(verdict) == mib(4));
    verdict = trained_with_left(mib(3));
    verdict.profile.kernels_bytes = mib(240);
    CHECK(
        doubt_text(verdict) ==
        "3.00 MiB is left, and up to 4.00 MiB may go to what is not counted here: kernels and libraries (up to 244 MiB "
        "on an H100, 240 MiB are counted). On a real GPU it may run out of memory. --outside counts what is outside "
        "PyTorch.");
  }
  SUBCASE("handles that small trainings do not have are added") {
    FitVerdict verdict = trained_with_left(mib(300));
    verdict.facts.handle_bytes = mib(132); // two of cuBLAS
    CHECK(is_sure(verdict));
    verdict.facts.handle_bytes = mib(132 + 66);
    CHECK(uncounted_bytes(verdict) == mib(244 + 66));
    CHECK(
        doubt_text(verdict) ==
        "300 MiB is left, and up to 310 MiB may go to what is not counted here: kernels and libraries (224 to 244 MiB "
        "on an H100; not measured here); more handles of libraries (cuBLAS 66 MiB, cuSOLVER 96 MiB, cuFFT 10 MiB on an "
        "H100). On a real GPU it may run out of memory. --outside counts what is outside PyTorch.");
    verdict.profile.kernels_bytes = mib(240);
    CHECK(uncounted_bytes(verdict) == mib(4 + 66));
    verdict.has_outside = true;
    CHECK(uncounted_bytes(verdict) == 0);
  }
  SUBCASE("so does --outside") {
    FitVerdict verdict = tight;
    verdict.has_outside = true;
    CHECK(is_sure(verdict));
    CHECK(uncounted_bytes(verdict) == 0);
  }
  SUBCASE("and without a kernel there is nothing to count") {
    FitVerdict verdict = tight;
    verdict.facts.kernel_launches = 0;
    CHECK(is_sure(verdict));
  }
}

TEST_CASE("a program fits for sure only on a GPU for which its PyTorch has kernels") {
  FitVerdict verdict = trained_with_left(mib(1900));
  REQUIRE(is_sure(verdict));
  verdict.facts.notes = {"No kernels: PyTorch 2.13.0 was built without any"};
  CHECK_FALSE(is_sure(verdict));
  CHECK(deciding_memory(verdict) == "PyTorch has no kernels for it");
}

TEST_CASE("what NCCL takes, and what other drivers leave, is added to what is not counted") {
  FitVerdict verdict = trained_with_left(mib(1900));
  verdict.facts.notes = {"NCCL: the device memory of communicators is not counted"};
  verdict.profile.total_bytes = mib(2000);
  verdict.profile.least_total_bytes = mib(1900);
  CHECK(uncounted_bytes(verdict) == mib(344) + 6'000'000'000);
  CHECK(
      doubt_text(verdict) ==
      "1.86 GiB is left, and up to 5.92 GiB may go to what is not counted here: kernels and libraries (224 to 244 MiB "
      "on an H100; not measured here); NCCL's communicators (1 to 6 GB in public reports); other drivers, which leave "
      "1.86 GiB of this GPU. On a real GPU it may run out of memory. --outside counts what is outside PyTorch.");
  verdict.has_outside = true;
  CHECK(uncounted_bytes(verdict) == mib(100));
  CHECK(is_sure(verdict));
}

TEST_CASE("a program that is short of less than what a real GPU may have in addition may fit there") {
  FitVerdict verdict = short_by(mib(58));
  verdict.facts.server = {};
  verdict.facts.steps = 1;
  CHECK(is_sure(verdict));
  verdict.profile.total_bytes = mib(2000);
  SUBCASE("before the end of a step, what it still asks for is unknown") {
    verdict.facts.steps = 0;
    verdict.profile.most_total_bytes = mib(2060);
    CHECK(is_sure(verdict));
    CHECK(headline(verdict).starts_with("Does not fit on "));
  }
  SUBCASE("the device has room, and a limit refuses the request") {
    verdict.facts.ooms.front().free_bytes = mib(5000);
    verdict.profile.most_total_bytes = mib(2060);
    CHECK(is_sure(verdict));
  }
  SUBCASE("drivers leave more") {
    verdict.profile.most_total_bytes = mib(2060);
    CHECK(doubt_text(verdict) ==
          "58.0 MiB is short for the request that failed, and a real GPU may have up to 60.0 MiB "
          "more: other drivers leave 2.01 GiB of this GPU. There the program may go on.");
    CHECK(headline(verdict).starts_with("May not fit on "));
    verdict.profile.most_total_bytes = mib(2058);
    CHECK(is_sure(verdict));
  }
  SUBCASE("the context is a typical figure") {
    verdict.profile.context_bytes = mib(300);
    CHECK(!is_sure(verdict));
    verdict.has_outside = true;
    CHECK(is_sure(verdict));
  }
  SUBCASE("a small request takes a whole segment of the device") {
    verdict.facts.ooms.front().asked_bytes = mib(2);
    verdict.facts.ooms.front().free_bytes = mib(10);
    verdict.profile.most_total_bytes = mib(2010);
    CHECK(is_sure(verdict));
    verdict.profile.most_total_bytes = mib(2011);
    CHECK(!is_sure(verdict));
  }
}

TEST_CASE("a context of which only a typical figure is known may take more of what is left") {
  FitVerdict verdict = trained_with_left(mib(300));
  CHECK(is_sure(verdict));
  verdict.profile.context_bytes = mib(200);
  CHECK(uncounted_bytes(verdict) == mib(344));
  CHECK(!is_sure(verdict));
  verdict.profile.kernels_bytes = mib(240);
  CHECK(is_sure(verdict));
}

TEST_CASE("a server without a model of its graphs may fit where less is left than they take elsewhere") {
  FitVerdict verdict = with_left(mib(500));
  verdict.facts.server->graph_model_bytes = {};
  CHECK(is_sure(verdict)); // it has none
  verdict.facts.server->graphs = 35;
  CHECK(doubt_text(verdict) ==
        "500 MiB is left, and up to 1.10 GiB may go to what is not counted here: instantiated CUDA graphs (0.5 to 1.1 "
        "GiB with vLLM 0.19 on an H100). On a real GPU it may run out of memory.");
}

TEST_CASE("a server whose KV cache hardly holds one request may not start where kernels are not counted") {
  FitVerdict verdict = with_left(mib(1000));
  ServerFacts& server = *verdict.facts.server;
  server.outside_model_bytes = server.graph_model_bytes = {};
  server.cache_bytes = mib(900);
  server.request_cache_bytes = mib(800);
  CHECK(doubt_text(verdict) ==
        "The KV cache has room for 900 MiB, and one request takes 800 MiB of it; what kernels and libraries take is "
        "missing (up to 0.47 GiB with vLLM 0.19 on an H100), so on a real GPU the server may not start.");
  server.request_cache_bytes = mib(400);
  CHECK(is_sure(verdict));
}

TEST_CASE("a program that fits at one end, or with some values, surely neither fits nor does not") {
  FitVerdict verdict = verdict_of(FitOutcome::does_not_fit);
  CHECK(is_sure(verdict));
  verdict.other_end = OtherEnd{.outcome = FitOutcome::fits};
  CHECK(!is_sure(verdict));
  verdict.other_end.reset();
  verdict.other_values = OtherValues{.is_range = true, .outcome = FitOutcome::fits};
  CHECK(!is_sure(verdict));
  CHECK(!is_sure(verdict_of(FitOutcome::failed)));
}

TEST_CASE(
    "a program that decides by guesses may take more than with them, and with a mask that selects all it does not") {
  FitVerdict verdict = trained_with_left(mib(400));
  verdict.computes_values = true;
  verdict.other_values =
      OtherValues{.is_range = true, .outcome = FitOutcome::fits, .peak_bytes = mib(2000 - 400 - 200)};
  verdict.facts.decisions = {{.line = "moe.py:7", .count = 3, .made_up_count = 3}};
  CHECK(is_sure(verdict));
  verdict.facts.decisions.front().guessed_count = 1;
  CHECK(uncounted_bytes(verdict) == mib(244 + 200));
  CHECK(headline(verdict).starts_with("May fit on "));
  CHECK(doubt_text(verdict) ==
        "400 MiB is left, and up to 444 MiB may go to what is not counted here: kernels and libraries (224 to 244 MiB "
        "on an H100; not measured here); other choices than those that are made up (such as tokens that go to one "
        "expert). "
        "On a real GPU it may run out of memory. --outside counts what is outside PyTorch.");
  verdict.has_outside = true;
  CHECK(uncounted_bytes(verdict) == mib(200));
  CHECK(is_sure(verdict));
}

TEST_CASE("a program fits for sure only if those that were on the GPU before it take no more") {
  FitVerdict verdict;
  verdict.outcome = FitOutcome::fits;
  verdict.neighbours = {{"python one.py", mib(1), true}, {"python two.py", mib(1), true}};
  CHECK(is_sure(verdict));
  verdict.neighbours[1].is_sure = false;
  CHECK_FALSE(is_sure(verdict));
  CHECK(answer_word(verdict) == "may fit");
  CHECK(notes(verdict)[1].ends_with("from the beginning. It may take more: rehearse it alone to see why."));
}

TEST_CASE("where CPU and GPU share memory, that of the program on the host, and of other systems, may be missing") {
  FitVerdict verdict;
  verdict.outcome = FitOutcome::fits;
  verdict.has_outside = true;
  verdict.profile.total_bytes = mib(2000);
  verdict.profile.system_bytes = mib(100);
  verdict.profile.least_total_bytes = mib(1970);
  verdict.facts.host_peak_bytes = mib(50);
  DeviceUse use;
  use.total_bytes = mib(2000);
  use.peak_bytes = mib(1820);
  use.peak_all_bytes = mib(1920);
  verdict.facts.uses.push_back(use);
  CHECK(is_sure(verdict));
  CHECK(uncounted_bytes(verdict) == mib(80));
  verdict.facts.uses[0].peak_all_bytes = mib(1921);
  CHECK_FALSE(is_sure(verdict));
  CHECK(doubt_text(verdict) ==
        "79.0 MiB is left, and up to 80.0 MiB may go to what is not counted here: the program's memory on the host "
        "(50.0 MiB in this run), which the GPU shares; systems, which leave 1.83 GiB of this GPU. On a real GPU it may "
        "run out of memory.");
  CHECK(room_text(verdict).ends_with("1.88 GiB with the system and other processes, 79.0 MiB left"));
}
