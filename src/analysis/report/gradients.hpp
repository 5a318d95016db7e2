#pragma once

// The lives of a recording -> the gradients of one training iteration, and the weight of each.

#include "analysis/report/declared_names.hpp"
#include "memviz/memory_report.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memviz {

struct Gradient {
  std::uint64_t size_bytes = 0;
  std::string declared_name; ///< "" where the program declares none
};

/// Returns the gradients that are live together when gradients first hold most, in the order of allocation: an
/// iteration frees its gradients before the next one allocates its own.
[[nodiscard]] std::vector<Gradient> gradients_of(const DeviceRecord& record, DeclaredNames& names);

/// Assigns each of them to a weight of one device: to the one with the declared name, else to the last of its size that
/// has none, because a backward pass makes the gradients of the last weights first. `declared_names` are those of the
/// weights. Returns the rest.
[[nodiscard]] std::vector<UnpairedGradients> pair_gradients(std::span<ReportEntry> weights,
                                                            std::span<const std::string> declared_names,
                                                            std::span<const Gradient> gradients);

} // namespace memviz
