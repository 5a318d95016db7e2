#include "base/log_commands.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace memviz {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

} // namespace

std::vector<std::size_t> hash_commands(std::string_view text) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find("##"); at != kNone; at = text.find("##", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_letter(text[end]))
      ++end;
    if (end < text.size() && text[end] == '[') places.push_back(at + 1);
  }
  return places;
}

std::vector<std::size_t> colon_commands(std::string_view text) {
  std::vector<std::size_t> places;
  std::size_t at = text.find("::");
  if (at == kNone) return places;
  const std::size_t last = text.rfind("::");
  for (; at != kNone && at + 2 < last; at = text.find("::", at + 1))
    if ((at == 0 || is_blank(text[at - 1])) && is_letter(text[at + 2])) places.push_back(at + 1);
  return places;
}

std::string without_log_commands(std::string text) {
  std::vector<std::size_t> places = hash_commands(text);
  const std::vector<std::size_t> colons = colon_commands(text);
  if (places.empty() && colons.empty()) return text;
  places.insert(places.end(), colons.begin(), colons.end());
  std::ranges::sort(places);
  std::string result;
  std::size_t done = 0;
  for (const std::size_t at : places) {
    result.append(text, done, at - done).append(1, ' ');
    done = at;
  }
  return result.append(text, done);
}

} // namespace memviz
