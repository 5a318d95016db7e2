#pragma once

// A document that is not a snapshot -> what it is, where people pass it by mistake.

#include "value/document.hpp"

namespace memviz {

/// Throws Error, which says what it is and what to do, for a memory timeline of PyTorch's profiler.
void reject_foreign_document(const Document& document);

} // namespace memviz
