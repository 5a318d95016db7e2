#pragma once

// Keepers -> names as in Python, and sentences.

#include "memviz/keeper_answers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// Returns the steps after the root as a Python programmer would write them: "predictions[*]",
/// "model.layers[*].weight", "errors[*] -> x in forward model.py:12"; "" if there are none. Leaves out autograd's
/// graph.
[[nodiscard]] std::string keeper_path_text(const FrameTable& frames, std::span<const KeeperStep> steps);

/// Returns the root of a path: "in validate train.py:12", "a global of train.py", "cycle", "no Python object", ...
[[nodiscard]] std::string keeper_root_text(const FrameTable& frames, const KeeperStep& root);

/// Returns the number of items of a container, the class of another object: "list of 27", "GPT", "tensor".
[[nodiscard]] std::string variable_object_text(const FrameTable& frames, const KeeperObject& object);

/// "`predictions` (list of 27) in validate train.py:12", "`model` (GPT), a global of train.py"
[[nodiscard]] std::string variable_text(const FrameTable& frames, const KeptVariable& variable);

/// "kept by `cache` (dict of 840), a global of serve.py"; "" unless one variable keeps at least half of the stack's.
[[nodiscard]] std::string stack_keeper_text(const FrameTable& frames, const StackKeeper& keeper);

/// Returns the variables that keep most, at most `most`, with the bytes that each keeps, largest first.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>>
largest_keepers(const FrameTable& frames, const DeviceKeepers& keepers, std::size_t most);

/// Returns a sentence for each of the variables that keep most, and for cycles, temporaries and unknown keepers if they
/// are a notable part.
[[nodiscard]] std::vector<std::string> keeper_sentences(const FrameTable& frames, const DeviceKeepers& keepers);

} // namespace memviz
