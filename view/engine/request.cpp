#include "engine/request.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace memviz::view {

struct PageRequest::Members {
  nlohmann::json json;
};

PageRequest::PageRequest(std::string_view json)
    : members_(std::make_unique<Members>(Members{nlohmann::json::parse(json, nullptr, false)})) {
  if (!members_->json.is_object()) throw UsageError("a request must be a JSON object");
}

PageRequest::~PageRequest() = default;

std::string PageRequest::text(std::string_view name, std::string_view otherwise) const {
  const auto member = members_->json.find(name);
  if (member == members_->json.end()) return std::string(otherwise);
  if (!member->is_string()) throw UsageError(fmt::format("'{}' of a request must be a text", name));
  return member->get<std::string>();
}

std::uint64_t PageRequest::number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) const {
  const auto member = members_->json.find(name);
  if (member == members_->json.end()) return std::min(otherwise, most);
  if (!member->is_number_unsigned()) throw UsageError(fmt::format("'{}' of a request must be a whole number", name));
  return std::min(member->get<std::uint64_t>(), most);
}

bool PageRequest::flag(std::string_view name) const {
  const auto member = members_->json.find(name);
  if (member == members_->json.end()) return false;
  if (!member->is_boolean()) throw UsageError(fmt::format("'{}' of a request must be true or false", name));
  return member->get<bool>();
}

std::optional<std::string> PageRequest::word_of(const OptionText& option) const {
  std::string name(option.name);
  std::ranges::replace(name, '-', '_');
  const auto member = members_->json.find(name);
  if (member == members_->json.end()) return std::nullopt;
  if (option.value.empty()) return flag(name) ? std::optional(std::string()) : std::nullopt;
  return member->is_number() ? member->dump() : text(name);
}

std::optional<DeviceId> PageRequest::device() const {
  if (!members_->json.contains("device")) return std::nullopt;
  return DeviceId{static_cast<std::uint32_t>(number("device", 0, std::numeric_limits<std::uint32_t>::max()))};
}

Window PageRequest::window(std::uint32_t events) const {
  const auto last = static_cast<std::uint32_t>(number("last", events, events));
  return {static_cast<std::uint32_t>(number("first", 0, last)), last};
}

} // namespace memviz::view
