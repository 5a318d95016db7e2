#pragma once

// Members of a JSON object that a rehearsed program may have written: one of the wrong type counts as missing.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace memviz::rehearse {

[[nodiscard]] std::optional<std::uint64_t> known_number(const nlohmann::json& object, const char* key);
/// Returns known_number(), or 0.
[[nodiscard]] std::uint64_t number(const nlohmann::json& object, const char* key);
[[nodiscard]] std::string text(const nlohmann::json& object, const char* key);
[[nodiscard]] bool flag(const nlohmann::json& object, const char* key);

} // namespace memviz::rehearse
