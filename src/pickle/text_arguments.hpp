#pragma once

// The arguments that protocols 0 and 1 write as text.

#include "value/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::pickle {

/// Parses INT: "42", or "00" and "01" for the bools. Throws ParseError.
[[nodiscard]] Value parse_int(Document& document, std::string_view line, std::uint64_t offset);
/// Parses LONG: "42L" or "42". Throws ParseError, also for a number that needs more than 64 bits.
[[nodiscard]] Value parse_long(Document& document, std::string_view line, std::uint64_t offset);
/// Parses FLOAT: as Python's repr writes it, "nan", "inf" and "-inf" included. Throws ParseError.
[[nodiscard]] double parse_float(std::string_view line, std::uint64_t offset);
/// Parses GET and PUT: a memo number. Throws ParseError.
[[nodiscard]] std::uint64_t parse_memo_number(std::string_view line, std::uint64_t offset);
/// Parses STRING: a quoted Python 2 literal with its escapes. Throws ParseError.
[[nodiscard]] std::string parse_quoted(std::string_view line, std::uint64_t offset);
/// Parses UNICODE: raw-unicode-escape, that is Latin-1 with \uXXXX and \UXXXXXXXX. Throws ParseError for a malformed
/// escape.
[[nodiscard]] std::string parse_raw_unicode(std::string_view line, std::uint64_t offset);

} // namespace memviz::pickle
