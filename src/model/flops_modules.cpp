#include "memviz/flops_modules.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

bool is_number(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What a module's parent calls it: "attn", "h.0" where the list between them is no module of its own.
std::string_view name_below(const ModuleFlops& module, const ModuleFlops& parent) {
  const std::string_view path = module.path;
  return parent.path.empty() || !path.starts_with(parent.path) || path.size() <= parent.path.size()
             ? path
             : path.substr(parent.path.size() + 1);
}

/// "h.*" of "h.0"
std::string pattern_of(std::string_view name) {
  const std::string_view last = last_part(name);
  return is_number(last) ? std::string(name.substr(0, name.size() - last.size())) + '*' : std::string(name);
}

class Rows {
public:
  explicit Rows(const ModelFlops& model) : model_(model) {}

  std::vector<ModuleRow> run() {
    std::vector<std::size_t> rows(model_.modules.size(), 0);
    for (std::size_t i = 0; i < model_.modules.size(); ++i) {
      const ModuleFlops& module = model_.modules[i];
      rows[i] = i == 0 ? add_row("", "", module, 0, 0) : row_of(module, rows[module.parent]);
      add(rows_[rows[i]], module);
    }
    name_singles(rows);
    return in_order();
  }

private:
  std::size_t add_row(std::string path, std::string pattern, const ModuleFlops& module, std::size_t level,
                      std::size_t parent) {
    ModuleRow row;
    row.path = std::move(path);
    row.type = class_of(module.type);
    row.is_torch = module.type.starts_with("torch.");
    row.count = 0;
    row.level = level;
    row.parent = parent;
    rows_.push_back(std::move(row));
    patterns_.push_back(std::move(pattern));
    return rows_.size() - 1;
  }

  std::size_t row_of(const ModuleFlops& module, std::size_t parent) {
    std::string pattern = pattern_of(name_below(module, model_.modules[module.parent]));
    const auto [known, is_new] = known_.try_emplace({parent, pattern, module.type}, 0);
    if (is_new) {
      const std::string& above = rows_[parent].path;
      std::string path = above.empty() ? pattern : above + '.' + pattern;
      known->second = add_row(std::move(path), std::move(pattern), module, rows_[parent].level + 1, parent);
    }
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
    const auto known = std::find_if(operators.begin(), operators.end(),
                                    [&](const OperatorFlops& one) { return one.name == more.name; });
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

  /// A row of one module has the module's own number.
  void name_singles(const std::vector<std::size_t>& rows) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ModuleRow& row = rows_[rows[i]];
      const ModuleRow& parent = rows_[row.parent];
      const std::string name(name_below(model_.modules[i], model_.modules[model_.modules[i].parent]));
      const std::string own = row.count == 1 ? name : patterns_[rows[i]];
      row.path = parent.path.empty() ? own : parent.path + '.' + own;
    }
  }

  /// As a walk meets them.
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
  std::vector<std::string> patterns_;
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> known_;
};

} // namespace

std::string_view class_of(std::string_view type) {
  return last_part(type);
}

std::vector<ModuleRow> module_rows(const ModelFlops& model) {
  return Rows(model).run();
}

} // namespace memviz
