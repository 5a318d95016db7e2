#include "program/module_stack.hpp"

#include "program/module_path.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::program {
namespace {

/// The maximum depth, which no real model reaches: operations in deeper modules count for the enclosing one.
constexpr std::size_t kMostModules = 256;

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result;
  for (;;) {
    const std::size_t found = text.find(what);
    result += text.substr(0, found);
    if (found == std::string_view::npos) return result;
    result += by;
    text.remove_prefix(found + what.size());
  }
}

/// Returns "layers.0" for "layers.0@1", which is its second call, and a path for the expressions in strict exports:
/// "4.conv1" for "getattr(L['fn'], '4').conv1", and "layers.0" for "L['self'].layers[0]".
std::string plain_path(std::string_view path) {
  path = path.substr(0, path.find('@'));
  if (path.find("L['") == std::string_view::npos) return std::string(path);
  const std::string called = replaced(replaced(replaced(path, "getattr(", ""), ", '", "."), "')", "");
  std::string_view rest = called;
  rest.remove_prefix(std::min(rest.size(), rest.find("']") + 2));
  std::string plain;
  for (const char c : rest) {
    if (c == '[') plain += '.';
    if (c != '[' && c != ']' && c != '\'' && c != '"') plain += c;
  }
  return plain.starts_with('.') ? plain.substr(1) : plain;
}

/// Takes the part up to the next `separator` off `rest`, and returns it.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  return part;
}

} // namespace

ModuleTree::ModuleTree(std::vector<Module>& modules) : modules_(modules), levels_{0} {
  modules_.push_back({});
}

ModuleId ModuleTree::module_at(std::string_view path, std::string_view type, ModuleId parent) {
  if (path.empty()) {
    if (modules_[kWholeModel].type.empty()) modules_[kWholeModel].type = type;
    return kWholeModel;
  }
  const auto known = by_path_.find(path);
  if (known != by_path_.end()) return known->second;
  if (levels_[parent] == kMostModules) return parent;
  const auto id = static_cast<ModuleId>(modules_.size());
  modules_.push_back({std::string(path), std::string(type), parent});
  levels_.push_back(levels_[parent] + 1);
  by_path_.emplace(path, id);
  return id;
}

ModuleId ModuleTree::innermost(std::string_view stack) {
  const auto known = by_stack_.find(stack);
  if (known != by_stack_.end()) return known->second;
  ModuleId module = kWholeModel;
  std::string_view rest = stack;
  for (std::size_t i = 0; i < kMostModules && !rest.empty(); ++i) {
    std::string_view entry = take_part(rest, ';');
    take_part(entry, ',');
    // A path may contain commas, a class cannot.
    const std::size_t comma = entry.rfind(',');
    if (comma == std::string_view::npos) continue;
    const std::string path = plain_path(entry.substr(0, comma));
    module = module_at(std::string_view(path).substr(0, kLongestModulePath), entry.substr(comma + 1), module);
  }
  by_stack_.emplace(stack, module);
  return module;
}

} // namespace memviz::program
