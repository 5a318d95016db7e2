#include "memviz/flops_modules.hpp"

#include "base/ascii.hpp"
#include "base/saturating.hpp"
#include "program/module_path.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

/// Whether the module's path continues its parent's: "h.0" of "h", but not "h1".
bool extends(const ModuleFlops& module, const ModuleFlops& parent) {
  const std::size_t size = parent.path.size();
  return size != 0 && module.path.size() > size && module.path[size] == '.' && module.path.starts_with(parent.path);
}

/// Returns the module's name in its parent: "attn", "h.0" if the list between them is not a module; its whole path if
/// that does not begin with its parent's.
std::string_view name_below(const ModuleFlops& module, const ModuleFlops& parent) {
  return std::string_view(module.path).substr(extends(module, parent) ? parent.path.size() + 1 : 0);
}

/// "h.*" of "h.0"
std::string pattern_of(std::string_view name) {
  const std::string_view last = program::last_part(name);
  return is_number(last) ? std::string(name.substr(0, name.size() - last.size())) + '*' : std::string(name);
}

class Rows {
public:
  explicit Rows(const ModelFlops& model) : model_(model) {}

  std::vector<ModuleRow> run() {
    std::vector<std::size_t> rows(model_.modules.size(), 0);
    for (std::size_t i = 0; i < model_.modules.size(); ++i) {
      const ModuleFlops& module = model_.modules[i];
      rows[i] = i == 0 ? add_row("", module, 0, 0) : row_of(module, rows[module.parent]);
      add(rows_[rows[i]], module);
    }
    name_rows(rows);
    return in_order();
  }

private:
  std::size_t add_row(std::string name, const ModuleFlops& module, std::size_t level, std::size_t parent) {
    ModuleRow row;
    row.name = std::move(name);
    row.type = class_of(module.type);
    row.is_torch = module.type.starts_with("torch.");
    row.count = 0;
    row.level = level;
    row.parent = parent;
    rows_.push_back(std::move(row));
    return rows_.size() - 1;
  }

  std::size_t row_of(const ModuleFlops& module, std::size_t parent) {
    std::string pattern = pattern_of(name_below(module, model_.modules[module.parent]));
    const auto [known, is_new] = known_.try_emplace({parent, pattern, module.type}, 0);
    if (is_new) known->second = add_row(std::move(pattern), module, rows_[parent].level + 1, parent);
    return known->second;
  }

  static void add(ModuleRow& row, const ModuleFlops& module) {
    ++row.count;
    row.flops = saturating_sum(row.flops, module.flops.value.value_or(0));
    row.own_flops = saturating_sum(row.own_flops, module.own_flops.value.value_or(0));
    row.parameter_bytes = saturating_sum(row.parameter_bytes, module.parameter_bytes);
    row.saved_bytes = saturating_sum(row.saved_bytes, module.saved_bytes.value.value_or(0));
    for (const OperatorFlops& one : module.own_operators)
      add(row.operators, one);
  }

  static void add(std::vector<OperatorFlops>& operators, const OperatorFlops& more) {
    const auto known = std::ranges::find_if(operators, [&](const OperatorFlops& one) { return one.name == more.name; });
    if (known == operators.end()) {
      operators.push_back({more.name, more.calls, {more.flops.value, ""}});
      return;
    }
    known->calls = saturating_sum(known->calls, more.calls);
    if (known->flops.value && more.flops.value)
      known->flops.value = saturating_sum(*known->flops.value, *more.flops.value);
    else
      known->flops.value.reset();
  }

  /// A row of one module has the module's own number. Its path includes the surrounding row's only if the modules'
  /// paths do, so that odd ones do not grow with the depth.
  void name_rows(const std::vector<std::size_t>& rows) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ModuleRow& row = rows_[rows[i]];
      const ModuleFlops& module = model_.modules[i];
      const ModuleFlops& parent = model_.modules[module.parent];
      if (row.count == 1) row.name = name_below(module, parent);
      row.path = extends(module, parent) ? rows_[row.parent].path + '.' + row.name : row.name;
    }
  }

  /// In the order of a walk.
  [[nodiscard]] std::vector<ModuleRow> in_order() const {
    std::vector<std::vector<std::size_t>> children(rows_.size());
    for (std::size_t i = 1; i < rows_.size(); ++i)
      children[rows_[i].parent].push_back(i);
    std::vector<ModuleRow> ordered;
    std::vector<std::pair<std::size_t, std::size_t>> waiting{{0, 0}};
    while (!waiting.empty()) {
      const auto [index, parent] = waiting.back();
      waiting.pop_back();
      const ModuleRow& row = rows_[index];
      if (index != 0 && row.flops == 0 && row.parameter_bytes == 0 && row.saved_bytes == 0) continue;
      ordered.push_back(row);
      ordered.back().parent = parent;
      for (auto child = children[index].rbegin(); child != children[index].rend(); ++child)
        waiting.emplace_back(*child, ordered.size() - 1);
    }
    return ordered;
  }

  const ModelFlops& model_;
  std::vector<ModuleRow> rows_;
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> known_;
};

} // namespace

std::string_view class_of(std::string_view type) {
  return program::last_part(type);
}

std::vector<ModuleRow> module_rows(const ModelFlops& model) {
  return Rows(model).run();
}

} // namespace memviz
