#pragma once

// A snapshot -> the generation of PyTorch that wrote it: files contain no version, but each generation added keys.

#include "memviz/recording.hpp"

#include <string>

namespace memviz {

/// "PyTorch 2.5 or 2.6", "PyTorch 2.0", ...; older keys decide only if newer ones are absent.
[[nodiscard]] std::string infer_generation(const GenerationSigns& signs);

} // namespace memviz
