#pragma once

// memviz's promises for any input, as checks that end a fuzzer.

#include "memviz/check_report.hpp"
#include "memviz/error.hpp"
#include "memviz/svg.hpp"
#include "value/document.hpp"

#include <cstdint>
#include <string>

namespace memviz::fuzz {

/// Checks that a message is readable, on one line once it is printed, with an offset within `size` if it has one.
void check_error(const Error& error, std::size_t size);

/// Checks that every value can be read, and that alternative ways to read it agree.
void check_document(const Document& document);

void check_conserves_bytes(const FrameTree& tree, std::uint64_t total_bytes);
void check_conserves_bytes(const DiffTree& tree, std::uint64_t before_bytes, std::uint64_t after_bytes);

/// Checks that it is well-formed, with characters that XML allows, unique ids, and no larger than `max_bytes` if
/// possible.
void check_svg(const std::string& svg);
void check_json(const std::string& text);
/// Checks that paths are unique, sorted and without zeros; `total_bytes` is an upper bound of the sum.
void check_folded(const std::string& text, std::uint64_t total_bytes);

} // namespace memviz::fuzz
