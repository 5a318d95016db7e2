#pragma once

// Microseconds -> times for people.

#include <cstdint>
#include <string>

namespace memviz {

/// "12.345678": seconds.
[[nodiscard]] std::string seconds_text(std::int64_t us);
/// "2024-05-01 12:34:56.123456" from microseconds since 1970, UTC; "12 us since 1970" outside the years 1970 to 9999.
[[nodiscard]] std::string utc_time(std::int64_t us_since_1970);

} // namespace memviz
