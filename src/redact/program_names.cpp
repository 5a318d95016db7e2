#include "redact/program_names.hpp"

#include "base/ascii.hpp"
#include "redact/public_names.hpp"

#include <algorithm>
#include <array>

namespace memviz {
namespace {

/// Calls hidden(part, is_last) for each part between dots, and joins the results.
template <class Hidden> std::string by_part(std::string_view path, const Hidden& hidden) {
  std::string result;
  for (;;) {
    const std::size_t end = path.find('.');
    result += hidden(path.substr(0, end), end == std::string_view::npos);
    if (end == std::string_view::npos) return result;
    result += '.';
    path.remove_prefix(end + 1);
  }
}

std::string hidden_part(std::string_view prefix, std::string_view part, const Hiding& hiding) {
  if (part.empty() || is_number(part)) return std::string(part);
  hiding.search.hide(part);
  return hiding.pseudonym(prefix, part);
}

/// "s0", "u12": torch.fx's names for sizes, a letter and a number.
bool is_given_size(std::string_view name) {
  static constexpr std::string_view kLetters = "suzf";
  return name.size() > 1 && kLetters.find(name.front()) != std::string_view::npos && is_number(name.substr(1));
}

} // namespace

std::string hidden_module_path(std::string_view path, const Hiding& hiding) {
  return by_part(path, [&](std::string_view part, bool /*is_last*/) { return hidden_part("module_", part, hiding); });
}

std::string hidden_class(std::string_view name, const Hiding& hiding) {
  const std::string_view package = name.substr(0, name.find('.'));
  if (package.size() < name.size() && is_public_package(package)) {
    hiding.search.keep(package);
    hiding.search.keep(name);
    return std::string(name);
  }
  return by_part(name, [&](std::string_view part, bool is_last) {
    return hidden_part(is_last ? "class_" : "module_", part, hiding);
  });
}

bool is_autograd_node(std::string_view name) {
  constexpr std::string_view kBackward = "Backward";
  if (name == "AccumulateGrad" || name == "CopySlices" || name == "CopyBackwards") return true;
  const std::size_t at = name.rfind(kBackward);
  return at != std::string_view::npos && is_number(name.substr(at + kBackward.size()));
}

std::string hidden_operator(std::string_view target, const Hiding& hiding) {
  static constexpr std::array<std::string_view, 8> kPublic{"aten",  "prims", "higher_order", "_operator",
                                                           "torch", "math",  "builtins",     "torchvision"};
  const std::string_view space = target.substr(0, target.find('.'));
  if (std::find(kPublic.begin(), kPublic.end(), space) != kPublic.end()) {
    hiding.search.keep(target);
    return std::string(target);
  }
  std::size_t place = 0;
  return by_part(target, [&](std::string_view part, bool /*is_last*/) {
    ++place;
    if (place > 2 && part == "default") return std::string(part); // of the overloads of an operator
    return hidden_part(place == 2 ? "func_" : "module_", part, hiding);
  });
}

std::string hidden_size(std::string_view name, const Hiding& hiding) {
  if (is_given_size(name)) return std::string(name);
  hiding.search.hide(name);
  return hiding.pseudonym("size_", name);
}

} // namespace memviz
