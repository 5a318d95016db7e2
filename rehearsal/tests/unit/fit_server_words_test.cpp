#include "verdict/fit_server_words.hpp"

#include "support/contains.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace memviz::rehearse;
using memviz::test::contains;

namespace {

ServerFacts started() {
  ServerFacts server{.name = "vLLM", .version = "0.19.0"};
  server.has_started = true;
  server.outside_bytes = std::uint64_t{1} << 28U;
  server.cache_bytes = std::uint64_t{58} << 30U;
  server.cache_tokens = 478'048;
  server.request_tokens = 8192;
  server.requests_at_once = 58.36;
  return server;
}

} // namespace

TEST_CASE("a server that starts is said with its tokens") {
  CHECK(started_text(started()) ==
        "vLLM 0.19.0 starts with a KV cache of 58.0 GiB: 478,048 tokens, 58.4 requests of 8,192 tokens at once.");
  ServerFacts server = started();
  server.requests_at_once = 1.0;
  CHECK(contains(started_text(server), " 1 request of 8,192 tokens at once."));
  server.cache_tokens.reset();
  CHECK(started_text(server) == "vLLM 0.19.0 starts with a KV cache of 58.0 GiB.");
  server.outside_bytes = 0;
  CHECK(started_text(server) == "vLLM 0.19.0 starts with a KV cache of at most 58.0 GiB.");
  server.cache_bytes.reset();
  CHECK(started_text(server) == "vLLM 0.19.0 starts.");
}

TEST_CASE("requests at once are a number of any size") {
  ServerFacts server = started();
  for (const auto& [requests, text] : {std::pair{0.0, "0"},
                                       {0.4321, "0.432"},
                                       {58.36, "58.4"},
                                       {998.2, "998"},
                                       {12345.6, "12,345"},
                                       {1e300, "1,000,000,000,000"},
                                       {-1.0, "unknown"}}) {
    server.requests_at_once = requests;
    CAPTURE(server.requests_at_once);
    CHECK(requests_text(server) == text);
  }
  server.requests_at_once = std::numeric_limits<double>::quiet_NaN();
  CHECK(requests_text(server) == "unknown");
}

TEST_CASE("a server's error is one line of printable text without its link") {
  ServerFacts server{.name = "vLLM", .version = "0.19.0"};
  CHECK(refused_text(server).empty());
  server.error = "ValueError: No available memory for the cache blocks. See https://docs.vllm.ai/en/latest for more.";
  CHECK(refused_text(server) == "vLLM 0.19.0 did not start: ValueError: No available memory for the cache blocks.");
  server.error = "ValidationError: 1 error\nmodel\n  \033[31mno\n";
  const std::string text = refused_text(server);
  CHECK(contains(text, "1 error model"));
  CHECK_FALSE(contains(text, "\n"));
  CHECK_FALSE(contains(text, "\033"));
  server.error = "ValidationError: 1 validation error for ModelConfig\n  Value error, no such model [type=value_error, "
                 "input_value=ArgsKwargs(())]\n    For further information visit https://errors.pydantic.dev";
  CHECK(refused_text(server) == "vLLM 0.19.0 did not start: ValidationError: 1 validation error for ModelConfig Value "
                                "error, no such model.");
  server.error = std::string(100'000, 'x');
  CHECK(refused_text(server).size() < 1000);
  server.error = "...";
  CHECK_FALSE(refused_text(server).empty());
}

TEST_CASE("a model's figures are kept apart from rehearsed ones, with their range") {
  ServerFacts server = started();
  CHECK_FALSE(rehearsed_graph_bytes(server));
  server.outside_bytes = 300;
  server.outside_model_bytes = 256;
  CHECK(rehearsed_outside_bytes(server) == 44);
  server.graph_bytes = 100;
  CHECK(rehearsed_graph_bytes(server) == 100);
  server.graph_model_bytes = 500; // of graphs that were made before
  CHECK(rehearsed_graph_bytes(server) == 0);
  CHECK(graph_model_text(server).empty());
  server.graphs = 1428;
  server.graph_nodes = 26'622;
  CHECK(graph_model_text(server) == "for 1,428 graphs of 26,622 nodes");
  server.graph_least_bytes = std::uint64_t{400} << 20U;
  server.graph_most_bytes = std::uint64_t{500} << 20U;
  CHECK(graph_model_text(server) == "400 MiB to 500 MiB, for 1,428 graphs of 26,622 nodes");
}

TEST_CASE("a server that starts and then fails all its requests has its error in the answer") {
  ServerFacts server = started();
  const std::string starts = started_text(server);
  server.error = "EOFError: Ran out of input";
  CHECK(started_text(server) == starts); // a script catches it
  server.is_over_http = true;
  CHECK(started_text(server) == starts + " It answered no request: EOFError: Ran out of input.");
  server.is_ended = true;
  CHECK(started_text(server) == starts); // nothing was asked of it
  server.tokens_of_request = 2048;
  CHECK(started_text(server) == starts + " It answered no request: EOFError: Ran out of input.");
  server.requests = 1;
  CHECK(started_text(server) == starts);
}

TEST_CASE("the notes of a server say what was added, what it answered, and what is missing") {
  ServerFacts server = started();
  server.outside_bytes = 0;
  server.added = {"--load-format dummy"};
  CHECK(contains(server_notes(server).at(0), "--load-format dummy"));
  CHECK_FALSE(contains(server_notes(server).at(1), "answered")); // a script asks it for what it wants
  server.is_over_http = true;
  CHECK(contains(server_notes(server).at(1), "answered no request"));
  server.requests = 58;
  server.tokens_of_request = 8192;
  server.is_ended = true;
  CHECK(server_notes(server).at(1) == "vLLM 0.19.0 answered 58 requests of 8,192 tokens and was ended then.");
  CHECK(contains(server_notes(server).at(2), "outside PyTorch while kernels run is missing"));
  server.outside_bytes = 1; // --outside gave it
  CHECK(server_notes(server).size() == 2);
  server.outside_model_bytes = 1;
  CHECK(contains(server_notes(server).at(2), "outside PyTorch is modelled"));
  server.graphs = 1;
  CHECK(contains(server_notes(server).at(3), "CUDA graphs is missing"));
  server.graph_model_bytes = 1;
  CHECK(contains(server_notes(server).at(3), "CUDA graphs is modelled"));
  server.sleeps = 2;
  CHECK(contains(server_notes(server).at(2), "vLLM 0.19.0 slept: PyTorch"));
  server.has_started = false;
  CHECK(server_notes(server).size() == 1);
}
