#include "memviz/flops.hpp"

#include "base/printable.hpp"

#include "memviz/flops_modules.hpp"
#include "memviz/flops_words.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {
namespace {

constexpr std::size_t kMostFormulaColumns = 200;
constexpr std::size_t kMostModuleColumns = 60;

/// The largest of several modules of one place with most of the operations, else the largest single one.
const ModuleRow* leading_row(const std::vector<ModuleRow>& rows, std::uint64_t flops) {
  const ModuleRow* best = nullptr;
  for (const ModuleRow& row : rows) {
    const bool is_part = row.level > 0 && row.flops > 0;
    if (!is_part) continue;
    const bool leads = row.flops > flops / 2 && row.count > 1;
    const bool best_leads = best != nullptr && best->flops > flops / 2 && best->count > 1;
    if (best == nullptr || (leads && !best_leads) || (leads == best_leads && row.flops > best->flops)) best = &row;
  }
  return best;
}

std::string symbol_fact(const ProgramSymbol& symbol) {
  const std::string name = printable(symbol.name);
  if (!symbol.value) return name + " has no value";
  return fmt::format("{} = {}{}", name, *symbol.value, symbol.is_given ? "" : " as exported");
}

/// An operator that may be all of the work, where nothing is counted.
const UncountedOperator* work_in_place_of_zero(const ModelFlops& model) {
  const bool is_zero = model.flops.value && *model.flops.value == 0;
  const bool has_work = is_zero && !model.uncounted.empty() && !model.uncounted.front().why.empty();
  return has_work ? &model.uncounted.front() : nullptr;
}

} // namespace

std::string flops_headline(const ModelFlops& model) {
  if (const UncountedOperator* const one = work_in_place_of_zero(model))
    return fmt::format("no count of a forward pass: {} {}", elided(one->name, kMostModuleColumns), one->why);
  if (model.flops.value) return format_flops(*model.flops.value) + " for a forward pass";
  return elided(model.flops.formula, kMostFormulaColumns) + " FLOP for a forward pass";
}

std::string flops_answer(const ModelFlops& model) {
  const std::uint64_t flops = model.flops.value.value_or(0);
  if (flops == 0) return "";
  const OperatorFlops& dearest = model.operators.front();
  std::string answer = fmt::format("{} of it is {}", format_percent(dearest.flops.value.value_or(0), flops),
                                   elided(dearest.name, kMostModuleColumns));
  const std::vector<ModuleRow> rows = module_rows(model);
  if (const ModuleRow* const row = leading_row(rows, flops))
    answer += fmt::format("; {} is in {}{}", format_percent(row->flops, flops),
                          row->count > 1 ? fmt::format("the {} of ", format_counted(row->count, "module")) : "",
                          elided(row->path, kMostModuleColumns));
  return answer + ".";
}

std::vector<std::string> flops_facts(const ModelFlops& model) {
  std::vector<std::string> facts{model.layout};
  if (!model.torch_version.empty()) facts.push_back("PyTorch " + elided(model.torch_version, kMostModuleColumns));
  facts.push_back("schema " + model.schema_version);
  facts.push_back(format_counted(model.parameters, "parameter"));
  if (model.buffer_bytes > 0) facts.push_back(format_bytes(model.buffer_bytes) + " of buffers");
  for (const ProgramSymbol& symbol : model.symbols)
    facts.push_back(symbol_fact(symbol));
  return facts;
}

} // namespace memviz
