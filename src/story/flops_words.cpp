#include "memviz/flops.hpp"

#include "base/printable.hpp"

#include "memviz/flops_modules.hpp"
#include "memviz/format.hpp"
#include "story/flops_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {
namespace {

constexpr std::size_t kMostFormulaColumns = 200;
constexpr std::size_t kMostModuleColumns = 60;

/// Returns the largest place with several modules that has most of the operations, else the largest single module.
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

/// Returns an operator that may be all of the work, if nothing is counted.
const UncountedOperator* work_in_place_of_zero(const ModelFlops& model) {
  const bool is_zero = model.flops.value && *model.flops.value == 0;
  const bool has_work =
      is_zero && !model.uncounted.empty() && model.uncounted.front().reason != UncountedReason::no_product;
  return has_work ? &model.uncounted.front() : nullptr;
}

/// Returns the sentence of an assumption; for one about kept tensors, which share a sentence, the operator.
std::string assumption_text(const FlopNote& note) {
  switch (note.assumption) {
  case FlopAssumption::while_loop_once:
    return "a while_loop counts once, because how often it runs depends on the data";
  case FlopAssumption::loop_once: return note.name + " counts once, because what it runs over is unknown";
  case FlopAssumption::dearer_branch:
    return "only the more expensive branch of a cond counts, because which one runs depends on the data";
  case FlopAssumption::unknown_kept: return note.name;
  case FlopAssumption::uncast_kept: return note.name + " (its contents count as if nothing were cast)";
  case FlopAssumption::first_kept: return note.name + " (its first branch is taken)";
  case FlopAssumption::fused_cells:
    return "lstm_cell and gru_cell are assumed to keep the same tensors as their fused GPU kernels";
  case FlopAssumption::fused_norm: break;
  }
  return "rms_norm is assumed to keep the same tensors as the fused GPU kernel of PyTorch 2.13; without that (CPUs, "
         "PyTorch 2.6) it keeps others";
}

bool is_left_out(const FlopNote& note) {
  return note.assumption == FlopAssumption::unknown_kept || note.assumption == FlopAssumption::uncast_kept ||
         note.assumption == FlopAssumption::first_kept;
}

} // namespace

std::string_view layout_text(ArchiveLayout layout) {
  return layout == ArchiveLayout::flat_zip ? "flat zip (PyTorch 2.7 or older)" : "PT2 archive (PyTorch 2.8 or newer)";
}

std::string_view reason_text(UncountedReason reason) {
  switch (reason) {
  case UncountedReason::no_product: return "";
  case UncountedReason::unknown_product: return "multiplies matrices, but is not counted";
  case UncountedReason::not_pytorch: break;
  }
  return "is not PyTorch's own";
}

std::vector<std::string> flops_notes(const ModelFlops& model) {
  std::vector<std::string> notes;
  bool lists_operators = false;
  for (const FlopNote& note : model.notes) {
    const std::string text = assumption_text(note);
    if (!is_left_out(note))
      notes.push_back(note.times == 1 ? text : fmt::format("{} ({} times)", text, format_count(note.times)));
    else if (lists_operators)
      notes.back() += ", " + text;
    else
      notes.push_back("what these operators keep for backward is unknown and not counted: " + text);
    lists_operators = is_left_out(note);
  }
  return notes;
}

std::string flops_headline(const ModelFlops& model) {
  if (const UncountedOperator* const one = work_in_place_of_zero(model))
    return fmt::format("no count of a forward pass: {} {}", elided(one->name, kMostModuleColumns),
                       reason_text(one->reason));
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
  std::vector<std::string> facts{std::string(layout_text(model.layout))};
  if (!model.torch_version.empty()) facts.push_back("PyTorch " + elided(model.torch_version, kMostModuleColumns));
  facts.push_back("schema " + model.schema_version);
  facts.push_back(format_counted(model.parameters, "parameter"));
  if (model.buffer_bytes > 0) facts.push_back(format_bytes(model.buffer_bytes) + " of buffers");
  for (const ProgramSymbol& symbol : model.symbols)
    facts.push_back(symbol_fact(symbol));
  return facts;
}

std::vector<std::string> flops_picture_notes(const ModelFlops& model) {
  constexpr std::size_t kMostNamedOperators = 12;
  std::vector<std::string> unknown;
  std::size_t silent = 0;
  for (const UncountedOperator& one : model.uncounted) {
    if (one.reason == UncountedReason::no_product)
      ++silent;
    else if (unknown.size() < kMostNamedOperators)
      unknown.push_back(fmt::format("{} ({})", one.name, reason_text(one.reason)));
  }
  std::vector<std::string> notes = flops_notes(model);
  if (!unknown.empty()) notes.push_back(fmt::format("Not counted: {}.", fmt::join(unknown, ", ")));
  if (silent > 0)
    notes.push_back(
        fmt::format("Only matrix products count; {} of other kinds do not.", format_counted(silent, "operator")));
  return notes;
}

} // namespace memviz
