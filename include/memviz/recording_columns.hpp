#pragma once

// A Recording <-> columns of numbers, which compress to at most a third of the size of the compressed pickle: the form
// in which a page of `memviz view` contains a snapshot. Every member is restored exactly, including the ids of texts
// and stacks. Only pages and engines of the same version can read each other's columns.

#include "memviz/recording.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Returns the columns of a recording that holds its events.
[[nodiscard]] std::string columns_of(const Recording& recording);

/// Whether the bytes begin like the output of columns_of().
[[nodiscard]] bool are_columns(std::string_view bytes);

/// Returns the recording that columns_of() converted. Throws Error for columns that are damaged or of another version;
/// memory for hostile ones is bounded by their size.
[[nodiscard]] Recording recording_of_columns(std::string_view bytes);

} // namespace memviz
