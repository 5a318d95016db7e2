#pragma once

// Keepers -> names as in Python, and sentences.

#include "memviz/keeper_table.hpp"
#include "story/short_label.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// Returns "3" or "'name'"; "*" if the item is unknown.
[[nodiscard]] std::string keeper_item_text(const FrameTable& frames, const KeeperItem& item);

/// Returns the steps after the root as a Python programmer would write them: "predictions[*]",
/// "model.layers[*].weight", "errors[*] -> x in forward model.py:12"; "" if there are none. Leaves out autograd's
/// graph. With items each `[*]` is one of them: "predictions[3]".
[[nodiscard]] std::string keeper_path_text(const FrameTable& frames, std::span<const KeeperStep> steps,
                                           std::span<const KeeperItem> items = {});

/// Returns the root of a path: "in validate train.py:12", "a global of train.py", "cycle", "no Python object", ...
[[nodiscard]] std::string keeper_root_text(const FrameTable& frames, const KeeperStep& root);

/// Returns both: "predictions[*] in validate train.py:12", "model.head, a global of train.py"; the root alone if there
/// is no name.
[[nodiscard]] std::string keeper_path_and_root(const FrameTable& frames, std::span<const KeeperStep> steps,
                                               std::span<const KeeperItem> items = {});

/// Returns the number of items of a container, the class of another object: "list of 27", "GPT", "tensor".
[[nodiscard]] std::string variable_object_text(const FrameTable& frames, const KeeperObject& object);

/// "`predictions` (list of 27) in validate train.py:12", "`model` (GPT), a global of train.py", "`self` (GPT) in cuda
/// module.py:5, called by <module> train.py:3, which would set `model`"
[[nodiscard]] std::string variable_text(const FrameTable& frames, const KeptVariable& variable);

/// "kept by `cache` (dict of 840), a global of serve.py"; "" unless one variable keeps at least half of the stack's.
[[nodiscard]] std::string stack_keeper_text(const FrameTable& frames, const StackKeeper& keeper);

/// Returns the label of a keeper in a list: name "predictions", place "in validate train.py:12", note "list of 27"; of
/// blocks that no variable keeps the reason, "<cycle>".
[[nodiscard]] Label keeper_line_label(const FrameTable& frames, const KeptVariable& keeper);
/// Returns the one or two lines of a block's tooltip about its keeper: "kept by predictions[*] in validate train.py:12,
/// through its graph;" and "dropping predictions frees 1.33 GiB"; for kNoPath that it was freed before the end. Names
/// the item, "predictions[3]", if there is one.
[[nodiscard]] std::string block_keeper_text(const FrameTable& frames, const KeeperTable& table, const BlockPath& block);

/// Returns the lines of a tooltip about a keeper: variable_text(), its shares, and what becomes free if it goes.
[[nodiscard]] std::string keeper_title(const FrameTable& frames, const KeeperTable& table, std::uint32_t keeper);

/// Returns what becomes free if a variable goes: "Dropping it frees 1.33 GiB."
[[nodiscard]] std::string keeper_freed_text(const KeeperTable& table, std::uint32_t keeper);

/// Returns a sentence for each of the variables that keep most, and for cycles, temporaries and unknown keepers if they
/// are a notable part.
[[nodiscard]] std::vector<std::string> keeper_sentences(const FrameTable& frames, const DeviceKeepers& keepers);

} // namespace memviz
