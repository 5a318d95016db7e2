#include "analysis/kinds/function_name.hpp"

#include <cstddef>

namespace memviz {

std::string function_name(std::string_view signature) {
  static constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string name;
  std::size_t depth = 0;
  while (!signature.empty()) {
    const char first = signature.front();
    if (signature.starts_with(kAnonymous)) {
      signature.remove_prefix(kAnonymous.size());
      continue;
    }
    if (depth == 0 && first == '(') break;
    if (first == '<') ++depth;
    if (depth == 0) name += first;
    if (first == '>' && depth > 0) --depth;
    // The type of the result precedes the name.
    if (depth == 0 && first == ' ') name.clear();
    signature.remove_prefix(1);
  }
  return name;
}

bool is_constructor(std::string_view function) {
  const std::size_t last = function.rfind("::");
  if (last == std::string_view::npos) return false;
  const std::string_view scope = function.substr(0, last);
  const std::size_t before = scope.rfind("::");
  return scope.substr(before == std::string_view::npos ? 0 : before + 2) == function.substr(last + 2);
}

} // namespace memviz
