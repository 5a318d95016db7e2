#pragma once

// The FLOPs of a program -> sentences about them.

#include "memviz/flops.hpp"

#include <string>
#include <vector>

namespace memviz {

/// "213 GFLOP for a forward pass"; the formula where it has no value.
[[nodiscard]] std::string flops_headline(const ModelFlops& model);

/// Names in a sentence the modules with most of it; "" for a model without any.
[[nodiscard]] std::string flops_answer(const ModelFlops& model);

/// Layout, version and size of the program, one a fact.
[[nodiscard]] std::vector<std::string> flops_facts(const ModelFlops& model);

} // namespace memviz
