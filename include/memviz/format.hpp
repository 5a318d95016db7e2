#pragma once

// The one way to write numbers for people: no locale, no rounding surprises.

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

/// Three significant digits at least, powers of 1024: "0 B", "1.50 KiB", "79.2 MiB", "16.0 GiB", "1,001 MiB", "1,023
/// B".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// "19.5 MiB (20,447,232 bytes)": with the exact number where the short one may round.
[[nodiscard]] std::string format_exact_bytes(std::uint64_t bytes);
/// Three significant digits at least, powers of 1000: "0 FLOP", "800 FLOP", "213 GFLOP".
[[nodiscard]] std::string format_flops(std::uint64_t flops);
/// "213 GFLOP (212,678,148,096)"
[[nodiscard]] std::string format_exact_flops(std::uint64_t flops);
/// "+1.50 KiB", "-79.2 MiB", "0 B".
[[nodiscard]] std::string format_delta(std::int64_t bytes);
/// The same with a minus sign as wide as the plus, for pictures.
[[nodiscard]] std::string delta_text(std::int64_t bytes);
/// "24,410,849,280"
[[nodiscard]] std::string format_count(std::uint64_t count);
/// "1 block", "2,140 blocks"; of nouns that take no s, with their plural: "3 entries".
[[nodiscard]] std::string format_counted(std::uint64_t count, std::string_view noun, std::string_view plural = {});
/// "12.5 %", "0 %", "100 %", "< 0.1 %" of a whole; "-" where the whole is 0.
[[nodiscard]] std::string format_percent(std::uint64_t part, std::uint64_t whole);
/// A change as a share of what was before: "12.5 %"; growth by 1000 % and more as how often the former is in what is
/// after: "8,192 x". With the name of the former: "12.5 % of 4.00 KiB", "8,192 x 4.00 KiB".
[[nodiscard]] std::string format_change(std::uint64_t change, std::uint64_t before, std::string_view former = {});
/// Whether `word`, with what punctuates it, is a unit of bytes or a percent sign: a line that is broken keeps it with
/// its number.
[[nodiscard]] bool is_unit(std::string_view word);
/// "950 us", "12.3 ms", "4.56 s", "12 min 3 s", "3 h 25 min", "4 d 2 h"
[[nodiscard]] std::string format_duration(std::uint64_t us);
/// "0x7f0000000000"
[[nodiscard]] std::string format_address(std::uint64_t address);

} // namespace memviz
