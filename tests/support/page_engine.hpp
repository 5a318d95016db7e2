#pragma once

// The engine of the page, as tests use it.

#include "engine/engine.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memviz::test {

/// Opens a snapshot of testdata/, and returns its index in the engine.
std::size_t add_testdata(view::Engine& engine, const std::string& name);

[[nodiscard]] std::string answered(view::Engine& engine, const nlohmann::json& request);
[[nodiscard]] nlohmann::json answered_json(view::Engine& engine, const nlohmann::json& request);
/// Returns the first `count` doubles of an answer; all by default.
[[nodiscard]] std::vector<double> doubles_of(const std::string& answer, std::size_t count = std::string::npos);

} // namespace memviz::test
