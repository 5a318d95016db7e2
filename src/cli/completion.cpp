#include "cli/completion.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::cli {

ValueKind value_kind(const OptionText& option) {
  if (option.value.empty()) return ValueKind::none;
  if (!option.words.empty()) return option.is_list ? ValueKind::list : ValueKind::words;
  if (option.value.find("FILE") != std::string_view::npos) return ValueKind::files;
  if (option.value == "DIR" || option.value == "FOLDER") return ValueKind::folders;
  return ValueKind::text;
}

std::string brief(std::string_view text) {
  constexpr std::size_t kLongest = 70;
  for (const std::string_view end : {". ", "; ", ": ", " (", ", for example"})
    text = text.substr(0, std::min(text.size(), text.find(end)));
  if (text.size() <= kLongest) return std::string(text);
  const std::size_t space = text.rfind(' ', kLongest);
  return std::string(text.substr(0, space == std::string_view::npos ? kLongest : space));
}

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw UsageError(fmt::format("completion is for bash, zsh or fish, not '{}'", shell));
}

} // namespace memviz::cli
