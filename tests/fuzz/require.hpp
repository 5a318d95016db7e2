#pragma once

// A condition that must hold in a fuzzer: if it does not, the program ends, and libFuzzer keeps the input.

#include <string_view>

namespace memviz::fuzz {

/// Prints `what` and aborts unless `holds`.
void require(bool holds, std::string_view what, std::string_view detail = {});

} // namespace memviz::fuzz
