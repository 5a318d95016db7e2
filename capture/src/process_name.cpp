#include "process_name.hpp"

#include "rank_variables.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unistd.h>

namespace memviz::capture {
namespace {

/// Untrusted, and part of a path: digits only.
bool is_rank(std::string_view text) {
  constexpr std::size_t max_digits = 9;
  return !text.empty() && text.size() <= max_digits &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_for_file_names(unsigned char c) {
  return std::isalnum(c) != 0 || c == '-' || c == '_';
}

} // namespace

std::optional<std::string> find_rank(const Variable& variable) {
  for (const char* name : kRankVariables) {
    const char* value = variable(name);
    if (value != nullptr && is_rank(value)) return value;
  }
  return std::nullopt;
}

std::string host_name() {
  std::array<char, 256> buffer{};
  if (::gethostname(buffer.data(), buffer.size() - 1) != 0) return "host";
  std::string name = buffer.data();
  name.resize(std::min(name.find('.'), name.size()));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !is_for_file_names(c); }, '_');
  return name.empty() ? "host" : name;
}

} // namespace memviz::capture
