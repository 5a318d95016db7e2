#pragma once

// The text of a symbolic size, as torch.export writes it -> a polynomial. Both spellings are read: sympy's srepr, as in
// "Mul(Integer(2), Symbol('s77', positive=True, integer=True))" (PyTorch 2.7 and later), and its plain one, as in "2*s0
// + (s0//2)".

#include "program/polynomial.hpp"
#include "program/symbols.hpp"

#include <string_view>

namespace memviz::program {

/// Parses a size. An expression that it does not know becomes an opaque symbol, so that a count names it. Throws Error
/// for a text of more than 4 KiB or 100 levels, and for numbers that overflow.
[[nodiscard]] Polynomial parse_size(std::string_view text, Symbols& symbols);

} // namespace memviz::program
