#pragma once

// The one way to write numbers for people: independent of the locale, with predictable rounding.

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

/// At least three significant digits, powers of 1024: "0 B", "1.50 KiB", "79.2 MiB", "16.0 GiB", "1,001 MiB", "1,023
/// B".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// "19.5 MiB (20,447,232 bytes)": with the exact number if the short one may be rounded.
[[nodiscard]] std::string format_exact_bytes(std::uint64_t bytes);
/// At least three significant digits, powers of 1000: "0 FLOP", "800 FLOP", "213 GFLOP".
[[nodiscard]] std::string format_flops(std::uint64_t flops);
/// "213 GFLOP (212,678,148,096)"
[[nodiscard]] std::string format_exact_flops(std::uint64_t flops);
/// "+1.50 KiB", "-79.2 MiB", "0 B".
[[nodiscard]] std::string format_delta(std::int64_t bytes);
/// The same with a minus sign as wide as the plus, for pictures.
[[nodiscard]] std::string delta_text(std::int64_t bytes);
/// "24,410,849,280"
[[nodiscard]] std::string format_count(std::uint64_t count);
/// "1 block", "2,140 blocks"; nouns with an irregular plural are given with it: "3 entries".
[[nodiscard]] std::string format_counted(std::uint64_t count, std::string_view noun, std::string_view plural = {});
/// "12.5 %", "0 %", "100 %", "< 0.1 %" of a whole; "-" if the whole is 0.
[[nodiscard]] std::string format_percent(std::uint64_t part, std::uint64_t whole);
/// A change as a share of the former value: "12.5 %"; growth of 1000 % and more as a multiple: "8,192 x". With the
/// former value: "12.5 % of 4.00 KiB", "8,192 x 4.00 KiB".
[[nodiscard]] std::string format_change(std::uint64_t change, std::uint64_t before, std::string_view former = {});
/// Whether `word`, including punctuation, is a unit of bytes or a percent sign, which must stay on the line of its
/// number.
[[nodiscard]] bool is_unit(std::string_view word);
/// "950 us", "12.3 ms", "4.56 s", "12 min 3 s", "3 h 25 min", "4 d 2 h"
[[nodiscard]] std::string format_duration(std::uint64_t us);
/// "0x7f0000000000"
[[nodiscard]] std::string format_address(std::uint64_t address);

} // namespace memviz
