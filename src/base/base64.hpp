#pragma once

// Bytes -> base64 (RFC 4648, section 4), with padding.

#include <string>
#include <string_view>

namespace memviz {

[[nodiscard]] std::string base64(std::string_view bytes);

} // namespace memviz
