#pragma once

// The FLOPs of a program -> sentences about them.

#include "memviz/flops.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "213 GFLOP for a forward pass"; the formula if it has no value.
[[nodiscard]] std::string flops_headline(const ModelFlops& model);

/// Returns a sentence that names the modules with most operations; "" for a model without any.
[[nodiscard]] std::string flops_answer(const ModelFlops& model);

/// "PT2 archive (PyTorch 2.8 or newer)"
[[nodiscard]] std::string_view layout_text(ArchiveLayout layout);

/// "is not PyTorch's own"; "" for an operator that multiplies no matrices.
[[nodiscard]] std::string_view reason_text(UncountedReason reason);

/// The assumptions, as sentences.
[[nodiscard]] std::vector<std::string> flops_notes(const ModelFlops& model);

/// The same for a picture: names the first few operators that are not counted.
[[nodiscard]] std::vector<std::string> flops_picture_notes(const ModelFlops& model);

/// Returns the layout, version and size of the program, one fact each.
[[nodiscard]] std::vector<std::string> flops_facts(const ModelFlops& model);

} // namespace memviz
