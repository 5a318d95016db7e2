#include "memviz/flops.hpp"

#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/flops_modules.hpp"

#include "memviz/flops_report.hpp"
#include "memviz/format.hpp"
#include "story/flops_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {
namespace {

constexpr std::size_t kFlopsColumns = 100;
constexpr std::size_t kFlopsNameColumns = 60;
constexpr std::size_t kMostModuleRows = 40;

std::string count_text(const Count& count) {
  return count.value ? format_count(*count.value) : elided(count.formula, kFlopsNameColumns);
}

std::string percent_of(const Count& part, const Count& whole) {
  return part.value && whole.value ? format_percent(*part.value, *whole.value) : "";
}

std::string facts(const ModelFlops& model) {
  std::string text = wrapped_text(fmt::format("{}", fmt::join(flops_facts(model), ", ")), "  ", kFlopsColumns);
  text += fmt::format("  {} of parameters", format_bytes(model.parameter_bytes));
  if (model.saved_bytes.value) text += fmt::format(", {} kept for backward", format_bytes(*model.saved_bytes.value));
  return text + '\n';
}

std::string headline(const std::string& file, const ModelFlops& model) {
  if (model.flops.value.value_or(0) > 0)
    return fmt::format("{}: {} for a forward pass\n", printable(file), format_exact_flops(*model.flops.value));
  return wrapped_text(fmt::format("{}: {}", printable(file), flops_headline(model)), "", kFlopsColumns);
}

std::string operators_text(const ModelFlops& model) {
  TextTable table{Align::left, Align::right, Align::right, Align::right};
  table.add_row({"operator", "calls", "FLOP", "of all"});
  for (const OperatorFlops& one : model.operators)
    table.add_row({elided(one.name, kFlopsNameColumns), format_count(one.calls), count_text(one.flops),
                   percent_of(one.flops, model.flops)});
  return "\nBy operator\n" + table.text("  ");
}

/// The ratios refer to a forward pass, as in the published table of nanoGPT.
std::string ratio_of(const Count& part, const Count& whole) {
  if (!part.value || !whole.value || *whole.value == 0) return "";
  return fmt::format("{:.4f}", 100.0 * static_cast<double>(*part.value) / static_cast<double>(*whole.value));
}

std::string transformer_text(const ModelFlops& model) {
  const TransformerTable& transformer = model.transformer;
  if (transformer.lines.empty()) return "";
  TextTable table{Align::left, Align::right, Align::right};
  table.add_row({"name", "flops", "ratio (%)"});
  for (const RoleFlops& line : transformer.lines)
    table.add_row({line.name, line.flops.value ? std::to_string(*line.flops.value) : count_text(line.flops),
                   ratio_of(line.flops, model.flops)});
  return fmt::format("\nThe transformer, {} in {}; backward is twice forward\n{}",
                     format_counted(transformer.block_count, "block"), elided(transformer.blocks, kFlopsNameColumns),
                     table.text("  "));
}

/// Returns the deepest level whose rows fit.
std::size_t usual_depth(const std::vector<ModuleRow>& rows) {
  std::size_t depth = 1;
  const auto fits = [&](std::size_t level) {
    return std::ranges::count_if(rows, [&](const ModuleRow& row) { return row.level <= level; }) <=
           static_cast<std::ptrdiff_t>(kMostModuleRows);
  };
  const std::size_t deepest = std::ranges::max_element(rows, [](const ModuleRow& left, const ModuleRow& right) {
                                return left.level < right.level;
                              })->level;
  while (depth < deepest && fits(depth + 1))
    ++depth;
  return depth;
}

std::string bytes_or_nothing(std::uint64_t bytes) {
  return bytes == 0 ? "" : format_bytes(bytes);
}

std::string modules_text(const ModelFlops& model, std::size_t depth) {
  const std::vector<ModuleRow> rows = module_rows(model);
  if (depth == 0) depth = usual_depth(rows);
  TextTable table{Align::left, Align::right, Align::right, Align::right, Align::right};
  table.add_row({"module", "FLOP", "of all", "parameters", "kept"});
  bool is_cut = false;
  for (const ModuleRow& row : rows) {
    is_cut = is_cut || row.level > depth;
    if (row.level > depth) continue;
    std::string name = std::string(2 * row.level, ' ') + (row.path.empty() ? "(all)" : row.path);
    if (!row.type.empty()) name += " " + row.type;
    if (row.count > 1) name += fmt::format(" x {}", row.count);
    table.add_row({elided(name, kFlopsNameColumns), row.flops == 0 ? "" : format_flops(row.flops),
                   row.flops == 0 ? "" : format_percent(row.flops, model.flops.value.value_or(0)),
                   bytes_or_nothing(row.parameter_bytes), bytes_or_nothing(row.saved_bytes)});
  }
  std::string text = "\nBy module; \"kept\" is what stays in memory for backward\n" + table.text("  ");
  if (is_cut) text += fmt::format("  deeper ones: --depth {}\n", depth + 1);
  return text;
}

std::string uncounted_text(const ModelFlops& model) {
  std::string silent;
  std::string text;
  for (const UncountedOperator& one : model.uncounted) {
    const std::string name = fmt::format("{} x {}", elided(one.name, kFlopsNameColumns), format_count(one.calls));
    if (one.reason == UncountedReason::no_product)
      silent += (silent.empty() ? "" : ", ") + name;
    else
      text += wrapped_text(fmt::format("{}: {}", name, reason_text(one.reason)), "  ! ", kFlopsColumns);
  }
  if (!silent.empty()) text += wrapped_text("no products of matrices: " + silent, "  ", kFlopsColumns);
  return text.empty() ? "" : "\nNot counted\n" + text;
}

} // namespace

std::string flops_text(const std::string& file, const ModelFlops& model, std::size_t depth) {
  std::string text = headline(file, model) + facts(model);
  if (model.flops.value && !model.flops.formula.empty())
    text += wrapped_text("FLOP by sizes: " + elided(model.flops.formula, 2 * kFlopsColumns), "  ", kFlopsColumns);
  if (!model.flops.value) text += "  set sizes without a value with --set NAME=N\n";
  if (!model.operators.empty()) text += operators_text(model);
  text += transformer_text(model);
  if (model.flops.value) text += modules_text(model, depth);
  text += uncounted_text(model);
  if (!model.notes.empty()) text += "\nNotes\n";
  for (const std::string& note : flops_notes(model))
    text += wrapped_text(note, "  ", kFlopsColumns);
  return text;
}

} // namespace memviz
