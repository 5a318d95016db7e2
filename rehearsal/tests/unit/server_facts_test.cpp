#include "run/server_facts.hpp"

#include "support/contains.hpp"
#include "verdict/fit.hpp"
#include "verdict/fit_words.hpp"

#include <doctest/doctest.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

using namespace memviz;
using namespace memviz::rehearse;
using memviz::test::contains;

namespace {

ServerFacts facts_of(std::initializer_list<const char*> events) {
  std::optional<ServerFacts> facts;
  for (const char* const event : events)
    add_server_event(facts, nlohmann::json::parse(event));
  return facts.value();
}

FitOutcome outcome(const Ending& ending, const ServerFacts& server, std::uint64_t ooms = 0) {
  RunFacts facts;
  facts.used_cuda = true;
  facts.oom_count = ooms;
  facts.server = server;
  return outcome_of(ending, facts);
}

} // namespace

TEST_CASE("a server's figures are the largest of its processes") {
  const ServerFacts facts =
      facts_of({R"({"name": "vLLM", "version": "0.19.0"})", R"({"added": "--load-format dummy"})",
                R"({"added": "--load-format dummy"})", R"({"weights_bytes": 70})",
                R"({"weights_bytes": 72, "activation_bytes": 5, "outside_bytes": 0})", R"({"cache_tokens": 900})",
                R"({"request_tokens": 300, "requests_at_once": 3.5})", R"({"cache_bytes": 40, "graph_bytes": null})",
                R"({"ready": true})", R"({"requests": 3, "tokens_of_request": 300})", R"({"ended": true})"});
  CHECK(facts.name == "vLLM");
  CHECK(facts.added == std::vector<std::string>{"--load-format dummy"});
  CHECK(facts.weights_bytes == 72);
  CHECK(facts.outside_bytes == 0);
  CHECK_FALSE(facts.graph_bytes);
  CHECK(facts.cache_tokens == 900);
  CHECK(facts.requests_at_once == doctest::Approx(3.5));
  CHECK(facts.requests == 3);
  CHECK(facts.has_started);
  CHECK(facts.is_ended);
}

TEST_CASE("a server that sleeps has the peak of each phase, and how often it fell asleep") {
  const ServerFacts facts =
      facts_of({R"({"awake_peak_bytes": 70, "sleeps": 0})", R"({"asleep_peak_bytes": 9, "sleeps": 1})",
                R"({"waking_peak_bytes": 12, "sleeps": 1})", R"({"awake_peak_bytes": 60, "sleeps": 1})",
                R"({"asleep_peak_bytes": 20, "sleeps": 2})"});
  CHECK(facts.awake_peak_bytes == 70);
  CHECK(facts.waking_peak_bytes == 12);
  CHECK(facts.asleep_peak_bytes == 20);
  CHECK(facts.sleeps == 2);
}

TEST_CASE("requests at once follow from the tokens where the server does not say") {
  CHECK(facts_of({R"({"cache_tokens": 900, "request_tokens": 200})"}).requests_at_once == doctest::Approx(4.5));
  CHECK_FALSE(facts_of({R"({"cache_tokens": 900, "request_tokens": 0})"}).requests_at_once);
}

TEST_CASE("members of a server's events that have another type are left out") {
  const ServerFacts facts =
      facts_of({R"({"name": 5, "version": [], "added": {}, "weights_bytes": -1, "cache_tokens": "7", "error": 1,)"
                R"( "requests_at_once": "x", "ready": "yes", "requests": 1e300, "graph_bytes": 1.5})"});
  CHECK(facts.name.empty());
  CHECK(facts.added.empty());
  CHECK_FALSE(facts.weights_bytes);
  CHECK_FALSE(facts.cache_tokens);
  CHECK_FALSE(facts.graph_bytes);
  CHECK_FALSE(facts.has_started);
  CHECK(facts.error.empty());
}

TEST_CASE("the first error for want of memory counts, else the first") {
  constexpr const char* kMemory = R"({"error": "ValueError: No available memory for the cache blocks. Try"})";
  constexpr const char* kOther = R"({"error": "RuntimeError: Engine core initialization failed."})";
  CHECK(contains(facts_of({kOther, kMemory}).error, "No available"));
  CHECK(contains(facts_of({kMemory, kOther}).error, "No available"));
  CHECK(contains(facts_of({kOther, R"({"error": "SystemExit: 1"})"}).error, "Engine core"));
}

TEST_CASE("an error of a server that the rehearsal has ended is none of its start") {
  constexpr const char* kError = R"({"error": "RuntimeError: Process ApiServer_1 (PID: 24690) died"})";
  CHECK(facts_of({R"({"ready": true})", R"({"ended": true})", kError}).error.empty());
  CHECK(contains(facts_of({R"({"ready": true})", kError, R"({"ended": true})"}).error, "ApiServer_1"));
}

TEST_CASE("a server that finds too little memory does not fit") {
  ServerFacts server = facts_of({R"({"name": "vLLM"})"});
  server.error = "ValueError: To serve at least one request with the models's max seq len (131072), (16.0 GiB KV cache "
                 "is needed, which is larger than the available KV cache memory (8.0 GiB).";
  CHECK(outcome({.exit_code = 1}, server) == FitOutcome::does_not_fit);
  server.error = "ValueError: no such quantization";
  CHECK(outcome({.exit_code = 1}, server) == FitOutcome::failed);
  server.error = "";
  CHECK(outcome({.exit_code = 0}, server) == FitOutcome::failed); // ended before it was ready
  CHECK(outcome({.exit_code = 0}, server, 1) == FitOutcome::does_not_fit);
  server.has_started = true;
  CHECK(outcome({.exit_code = 0}, server) == FitOutcome::fits);
  CHECK(outcome({.exit_code = 1}, server) == FitOutcome::failed);
  server.is_ended = true; // by us, whatever its exit code is then
  CHECK(outcome({.exit_code = 1}, server) == FitOutcome::fits);
}
