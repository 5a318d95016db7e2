#pragma once

// A program -> the same with pseudonyms for its modules, classes, operators and sizes.

#include "program/program.hpp"

#include "memviz/redact.hpp"

namespace memviz::program {

/// Rewrites the program before anything else reads it. The cost stays the same. Throws Error if a hidden text is left;
/// see Redactor.
void redact(Program& program, Redactor& redactor);

} // namespace memviz::program
