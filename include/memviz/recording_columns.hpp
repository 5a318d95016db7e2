#pragma once

// A Recording <-> columns of numbers, which compress to a third or less of what the pickle compresses to: the form in
// which a page of `memviz view` carries a snapshot. Every member comes back as it was, the numbers of texts and stacks
// included. Pages and engines of the same version read each other's columns; nothing else does.

#include "memviz/recording.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Returns the columns of a recording that holds its events.
[[nodiscard]] std::string columns_of(const Recording& recording);

/// Whether the bytes begin as columns_of() begins them.
[[nodiscard]] bool are_columns(std::string_view bytes);

/// Returns the recording of columns_of(). Throws Error for columns that are damaged or of another version; what it
/// makes of hostile ones is bounded by their size.
[[nodiscard]] Recording recording_of_columns(std::string_view bytes);

} // namespace memviz
