#pragma once

// The promises of memviz for any input, as checks that end a fuzzer.

#include "memviz/check_report.hpp"
#include "memviz/error.hpp"
#include "memviz/svg.hpp"
#include "value/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::fuzz {

/// Checks that a message is something to read, on one line once it is printed, with an offset within `size` if it has
/// one.
void check_error(const Error& error, std::size_t size);

/// Every value can be looked at, and what there are several ways to ask for is the same in all of them.
void check_document(const Document& document);

void check_conserves_bytes(const FrameTree& tree, std::uint64_t total_bytes);
void check_conserves_bytes(const DiffTree& tree, std::uint64_t before_bytes, std::uint64_t after_bytes);

/// Well-formed, with characters that XML allows, every id once, no larger than `max_bytes` where that is possible.
void check_svg(const std::string& svg);
void check_json(const std::string& text);
/// Paths are unique, sorted and without zeros; `total_bytes` is an upper bound of the sum.
void check_folded(const std::string& text, std::uint64_t total_bytes);

} // namespace memviz::fuzz
