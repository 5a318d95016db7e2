#pragma once

// The FLOPs of a program -> sentences about them.

#include "memviz/flops.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "213 GFLOP for a forward pass"; the formula where it has no value.
[[nodiscard]] std::string flops_headline(const ModelFlops& model);

/// Names in a sentence the modules with most of it; "" for a model without any.
[[nodiscard]] std::string flops_answer(const ModelFlops& model);

/// "PT2 archive (PyTorch 2.8 or newer)"
[[nodiscard]] std::string_view layout_text(ArchiveLayout layout);

/// "is not PyTorch's own"; "" for an operator that multiplies no matrices.
[[nodiscard]] std::string_view reason_text(UncountedReason reason);

/// The assumptions, as sentences.
[[nodiscard]] std::vector<std::string> flops_notes(const ModelFlops& model);

/// The same for a picture: with the operators that are not counted, of which the first few are named.
[[nodiscard]] std::vector<std::string> flops_picture_notes(const ModelFlops& model);

/// Layout, version and size of the program, one a fact.
[[nodiscard]] std::vector<std::string> flops_facts(const ModelFlops& model);

} // namespace memviz
