#pragma once

// The sub-commands of memviz-capture. Each prints to stdout and throws: UsageError for exit code 2, any other exception
// for exit code 1.

#include <span>
#include <string_view>

namespace memviz::capture::program {

/// Measures what the activation functions keep for the backward pass, beside what a formula predicts.
void run_activations(std::span<const std::string_view> arguments);

/// Trains a small transformer for a few steps and records its memory.
void run_train(std::span<const std::string_view> arguments);

} // namespace memviz::capture::program
