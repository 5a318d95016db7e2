#include "run/json_members.hpp"

#include <nlohmann/json.hpp>

namespace memviz::rehearse {

std::optional<std::uint64_t> known_number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                              : std::nullopt;
}

std::uint64_t number(const nlohmann::json& object, const char* key) {
  return known_number(object, key).value_or(0);
}

std::string text(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

} // namespace memviz::rehearse
