#pragma once

// A program -> the same with pseudonyms for what it calls its modules, classes, operators and sizes.

#include "program/program.hpp"

#include "memviz/redact.hpp"

namespace memviz::program {

/// Rewrites the program before anything else reads it. What it costs stays the same. Throws Error where something that
/// was hidden is left; see Redactor.
void redact(Program& program, Redactor& redactor);

} // namespace memviz::program
