#pragma once

// Times of events (microseconds since 1970) -> words.

#include <cstdint>
#include <string>

namespace memviz {

/// "recorded 2024-05-01 12:00:03 to 12:04:11 UTC (4 min 8 s)"; if the times are not plausible dates, only the duration.
[[nodiscard]] std::string time_range_text(std::int64_t first_us, std::int64_t last_us);

} // namespace memviz
