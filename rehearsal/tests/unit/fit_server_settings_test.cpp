#include "verdict/fit_server_settings.hpp"

#include "support/contains.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::rehearse;
using memviz::test::contains;

namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;

/// A server that loaded 15 GiB on a GPU of 22 GiB and may use 20.
FitVerdict refused(const std::string& error, const std::string& name = "vLLM") {
  FitVerdict verdict;
  verdict.outcome = FitOutcome::does_not_fit;
  verdict.profile.total_bytes = 22 * kGib;
  verdict.profile.context_bytes = kGib / 2;
  verdict.facts.server = ServerFacts{.name = name, .version = "0.19.0"};
  verdict.facts.server->weights_bytes = 15 * kGib;
  verdict.facts.server->activation_bytes = kGib;
  verdict.facts.server->outside_bytes = 0;
  verdict.facts.server->budget_bytes = 20 * kGib;
  verdict.facts.server->error = error;
  return verdict;
}

std::string needs(const std::string& needed, const std::string& available) {
  return "ValueError: To serve at least one request with the models's max seq len (131072), (" + needed +
         " GiB KV cache is needed, which is larger than the available KV cache memory (" + available +
         " GiB). Based on the available memory, the estimated maximum model length is 35648. Try increasing";
}

FitVerdict out_of_memory() {
  FitVerdict verdict = refused("torch.OutOfMemoryError: CUDA out of memory.");
  verdict.facts.server->cache_bytes = 4 * kGib;
  verdict.facts.oom_count = 1;
  verdict.facts.ooms.emplace_back();
  verdict.facts.ooms.front().asked_bytes = 786 * kMib;
  verdict.facts.ooms.front().free_bytes = 552 * kMib;
  return verdict;
}

} // namespace

TEST_CASE("a server without memory for one request gets the length and the utilization that start") {
  const auto list = settings_that_start(refused(needs("5.0", "4.0")));
  REQUIRE(list.size() == 2);
  CHECK(list[0] == "--max-model-len 35648, by the server's own estimate.");
  CHECK(list[1] == "--gpu-memory-utilization 0.96: 21.01 GiB with a KV cache for one request of the longest length.");
}

TEST_CASE("no utilization is enough where the GPU has less than is needed") {
  const auto list = settings_that_start(refused(needs("16.0", "4.0")));
  REQUIRE(list.size() == 2);
  CHECK(contains(list[1], "No --gpu-memory-utilization is enough: vLLM needs 32.01 GiB"));
  CHECK(contains(list[1], "21.50 GiB are free"));
}

TEST_CASE("a server without memory for any KV cache gets the utilization above which there is some") {
  const auto list = settings_that_start(refused("ValueError: No available memory for the cache blocks."));
  REQUIRE(list.size() == 1);
  CHECK(contains(list[0], "More than --gpu-memory-utilization 0.73: 16.00 GiB"));
}

TEST_CASE("a server without memory for any KV cache that knows what a request needs gets the utilization for it") {
  FitVerdict verdict = refused("ValueError: No available memory for the cache blocks.");
  verdict.facts.server->request_cache_bytes = kGib;
  const auto list = settings_that_start(verdict);
  REQUIRE(list.size() == 1);
  CHECK(list[0] == "--gpu-memory-utilization 0.78: 17.00 GiB with a KV cache for one request of the longest length.");
}

TEST_CASE("a utilization above what is free is lowered") {
  FitVerdict verdict = refused("ValueError: Free memory on device cuda:0 (21.5/22.0 GiB) on startup is less than "
                               "desired GPU memory utilization (0.99, 21.78 GiB). Decrease GPU memory utilization");
  verdict.facts.server->weights_bytes.reset();
  const auto list = settings_that_start(verdict);
  REQUIRE(list.size() == 1);
  CHECK(contains(list[0], "At most --gpu-memory-utilization 0.97"));
}

TEST_CASE("where the allocator finds too little after the KV cache, that is to be smaller") {
  FitVerdict verdict = out_of_memory();
  auto list = settings_that_start(verdict);
  REQUIRE(list.size() == 1);
  CHECK(list[0] ==
        "At most --gpu-memory-utilization 0.89, or a smaller --max-num-seqs or --max-num-batched-tokens: 786 "
        "MiB was asked for and 552 MiB free, so the KV cache of 4.00 GiB is too large by at least 234 MiB.");
  verdict.facts.server->graph_bytes = 2 * kGib; // on top of the 20 GiB that it allows itself
  list = settings_that_start(verdict);
  REQUIRE(list.size() == 1);
  CHECK(contains(list[0], "At most --gpu-memory-utilization 0.88,"));
  CHECK(contains(list[0], "CUDA graphs take 22.00 GiB, and 21.50 GiB are free when it starts."));
  verdict.facts.server->name = "SGLang";
  list = settings_that_start(verdict);
  REQUIRE(list.size() == 1);
  CHECK(contains(list[0], "A lower --mem-fraction-static, by 0.02"));
  verdict.facts.server->weights_bytes.reset();
  list = settings_that_start(verdict);
  REQUIRE(list.size() == 1);
  CHECK(contains(list[0], "The weights alone do not fit"));
}

TEST_CASE("SGLang without memory for any KV cache gets the fraction above which there is some") {
  const std::string error = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current";
  FitVerdict verdict = refused(error, "SGLang");
  CHECK(contains(settings_that_start(verdict).at(0), "More than --mem-fraction-static 0.70"));
  verdict.facts.server->weights_bytes = 22 * kGib;
  CHECK(contains(settings_that_start(verdict).at(0), "No --mem-fraction-static is enough"));
}

TEST_CASE("no setting is named where the server starts or its error shows no numbers") {
  FitVerdict verdict = refused(needs("5.0", "4.0"));
  verdict.outcome = FitOutcome::fits;
  CHECK(settings_that_start(verdict).empty());
  FitVerdict no_server;
  no_server.outcome = FitOutcome::does_not_fit;
  CHECK(settings_that_start(no_server).empty());
  for (const std::string& error : {needs("", ""), needs("1e999", "nan"), needs("-5", "4"), needs("4", "5"),
                                   std::string("KV cache memory ("), std::string()}) {
    CAPTURE(error);
    CHECK(settings_that_start(refused(error)).empty());
  }
  FitVerdict empty = refused(needs("5.0", "4.0"));
  empty.profile.total_bytes = 0;
  CHECK(settings_that_start(empty).empty());
  FitVerdict roomy = out_of_memory();
  roomy.facts.ooms.front().free_bytes = kGib;
  CHECK(settings_that_start(roomy).empty());
}
