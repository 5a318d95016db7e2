#include "verdict/fit_model_words.hpp"
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
  CHECK(model_doubt_text(short_by(mib(58))) ==
        "58.0 MiB is short, and the driver may take up to 240 MiB less than in its model: on a real GPU the server may "
        "start.");
  CHECK(headline(short_by(mib(58))).starts_with("May not fit on "));
  CHECK(notes(short_by(mib(58))).front().starts_with("58.0 MiB is short"));
  CHECK(model_doubt_text(short_by(mib(240))).empty());
  CHECK(headline(short_by(mib(240))).starts_with("Does not fit on "));
}

TEST_CASE("a server that leaves less than the error of the driver's model may run out of memory on a real GPU") {
  CHECK(model_doubt_text(with_left(mib(202))) == "202 MiB is left, and the driver may take up to 260 MiB more than "
                                                 "in its model: on a real GPU the server may run out "
                                                 "of memory.");
  CHECK(headline(with_left(mib(202))).starts_with("May fit on "));
  CHECK(short_text(with_left(mib(202))).starts_with("may fit: "));
  CHECK(headline(with_left(mib(260))).starts_with("Fits on "));
}

TEST_CASE("without a model of the driver, or without a shortage, no error of it decides") {
  FitVerdict verdict = with_left(0);
  verdict.facts.server->outside_model_bytes = verdict.facts.server->graph_model_bytes = {};
  CHECK(model_doubt_text(verdict).empty());
  verdict.facts.server = {};
  CHECK(model_doubt_text(verdict).empty());
  CHECK(model_doubt_text(verdict_of(FitOutcome::failed)).empty());
  CHECK(model_doubt_text(verdict_of(FitOutcome::does_not_fit)).empty()); // the server refused to start
}
