#pragma once

// The figures of a rehearsed inference server in JSON.

#include "base/json_object.hpp"
#include "verdict/fit.hpp"
#include "verdict/fit_server.hpp"
#include "verdict/fit_server_settings.hpp"

namespace memviz::rehearse {

inline constexpr auto kServerFacts = json_object<ServerFacts>(
    {}, member("name", "vLLM or SGLang", &ServerFacts::name),
    member("version", "The server's own", &ServerFacts::version),
    member("has_started", "Whether it made its KV cache or answered over HTTP", &ServerFacts::has_started),
    member("weights_bytes", "What loading the model took", &ServerFacts::weights_bytes),
    member("activation_bytes", "Peak of a forward pass beyond the weights", &ServerFacts::activation_bytes),
    member("outside_bytes", "Outside of PyTorch's allocator, as the server's profile run found",
           &ServerFacts::outside_bytes),
    member("cache_bytes", "KV cache", &ServerFacts::cache_bytes),
    member("graph_bytes", "CUDA graphs", &ServerFacts::graph_bytes),
    member("request_cache_bytes",
           "The KV cache that one request of the longest length needs, as the server computed it",
           &ServerFacts::request_cache_bytes),
    member("outside_model_bytes",
           "Of outside_bytes, what is not rehearsed but a model of the driver and of libraries; null where no model "
           "knows the server on this GPU",
           &ServerFacts::outside_model_bytes),
    member("outside_least_bytes", "The least of that in the logs that the model is from",
           &ServerFacts::outside_least_bytes),
    member("outside_most_bytes", "The most of that in those logs", &ServerFacts::outside_most_bytes),
    member("graph_model_bytes",
           "Of graph_bytes, what is not rehearsed but a model of what the driver takes for instantiated graphs",
           &ServerFacts::graph_model_bytes),
    member("graph_least_bytes", "That model's figure less its largest error in the logs that it was tested on",
           &ServerFacts::graph_least_bytes),
    member("graph_most_bytes", "That model's figure and its largest error", &ServerFacts::graph_most_bytes),
    member("graphs", "CUDA graphs that were instantiated at once", &ServerFacts::graphs),
    member("graph_nodes", "Nodes of all of these", &ServerFacts::graph_nodes),
    member("budget_bytes", "The most that the server allows itself", &ServerFacts::budget_bytes),
    member("awake_peak_bytes",
           "The most of the GPU in use by the whole program while the server was awake, where it slept (vLLM's sleep "
           "mode)",
           &ServerFacts::awake_peak_bytes),
    member("waking_peak_bytes", "The same while only its weights, or only its KV cache, were awake",
           &ServerFacts::waking_peak_bytes),
    member("asleep_peak_bytes", "The same while it slept", &ServerFacts::asleep_peak_bytes),
    member("sleeps", "How often it fell asleep; null where it never did", &ServerFacts::sleeps),
    member("cache_tokens", "Tokens that the KV cache holds", &ServerFacts::cache_tokens),
    member("request_tokens", "Tokens of the longest request", &ServerFacts::request_tokens),
    member("requests_at_once", "Requests of that length that the KV cache holds", &ServerFacts::requests_at_once)
        .at_least(0),
    member("requests", "Requests that it answered in the rehearsal", &ServerFacts::requests),
    member("tokens_of_request", "Tokens of each of those", &ServerFacts::tokens_of_request),
    member("added", "Options that the rehearsal added to the program's", &ServerFacts::added),
    member("error", "The server's error: the first for want of memory, else the first; empty where there was none",
           &ServerFacts::error));

inline constexpr auto kServer = json_object<FitVerdict>(
    {},
    members_of(
        kServerFacts, [](const FitVerdict& verdict) -> const auto& { return *verdict.facts.server; }),
    member(
        "settings",
        "Sentences about the nearest settings that may fit; empty where the server fits, or where its figures do not "
        "show what it lacks",
        settings_that_start));

} // namespace memviz::rehearse
