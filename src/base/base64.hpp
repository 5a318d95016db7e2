#pragma once

// Bytes -> base64 (RFC 4648, section 4), with padding.

#include <string>
#include <string_view>

namespace memviz {

/// The letters in the order of the numbers from 0 to 63 that they stand for.
inline constexpr std::string_view kBase64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[nodiscard]] std::string base64(std::string_view bytes);

} // namespace memviz
