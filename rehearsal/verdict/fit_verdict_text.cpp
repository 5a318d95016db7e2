#include "verdict/fit_verdict_text.hpp"

#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/moment_words.hpp"
#include "story/perfect_allocator_words.hpp"
#include "verdict/fit.hpp"
#include "verdict/fit_server_settings.hpp"
#include "verdict/fit_server_words.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::rehearse {

std::string pytorch_text(const DeviceUse& use) {
  const bool is_part = use.peak_reserved_bytes && *use.peak_reserved_bytes <= use.peak_bytes;
  return is_part ? format_bytes(*use.peak_reserved_bytes) : "unknown";
}

namespace {

/// Returns a line for each known part of the server's memory; "" if none is known.
std::string server_table(const ServerFacts& server) {
  TextTable table{Align::left, Align::right, Align::left};
  bool is_empty = true;
  const auto add = [&](const char* part, const std::optional<std::uint64_t>& bytes, const std::string& more = "") {
    if (!bytes) return;
    table.add_row({part, format_bytes(*bytes), more});
    is_empty = false;
  };
  add("weights", server.weights_bytes);
  add("peak of activations", server.activation_bytes, "in a forward pass with the most tokens");
  add("outside of PyTorch", rehearsed_outside_bytes(server),
      lacks_outside(server) ? "not counted for this server on this GPU" : "");
  add("outside, a model", server.outside_model_bytes,
      model_range(server.outside_least_bytes, server.outside_most_bytes));
  add("KV cache", server.cache_bytes, cache_text(server));
  add("CUDA graphs", rehearsed_graph_bytes(server),
      lacks_graphs(server) ? fmt::format("and what the driver takes ({})", kGraphsElsewhere) : "");
  add("graphs, a model", server.graph_model_bytes, graph_model_text(server));
  add("limit of the server", server.budget_bytes, "decides the size of the KV cache");
  add("GPU, while awake", server.awake_peak_bytes, "the most in use, with all that the program has");
  add("GPU, while waking", server.waking_peak_bytes, "with only a part of the server awake");
  add("GPU, while asleep", server.asleep_peak_bytes,
      server.sleeps ? fmt::format("fell asleep {}", format_counted(*server.sleeps, "time")) : "");
  return is_empty ? "" : fmt::format("\n{} on one GPU\n", server_name(server)) + table.text("  ");
}

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kNameColumns = 120;
constexpr std::string_view kItem = "  - ";

std::string use_name(const DeviceUse& use, const RunFacts& facts) {
  std::string name = device_name(use.device, DeviceKind::cuda);
  if (use.rank) return fmt::format("rank {}, {}", *use.rank, name);
  const bool is_only_process =
      std::ranges::all_of(facts.uses, [&](const DeviceUse& other) { return other.pid == use.pid; });
  return is_only_process ? name : fmt::format("process {}, {}", use.pid, name);
}

/// Returns a row for every device of every process; if there are many, for the fullest.
std::string use_table(const RunFacts& facts) {
  if (facts.uses.empty()) return "";
  std::vector<const DeviceUse*> shown;
  for (const DeviceUse& use : facts.uses)
    shown.push_back(&use);
  if (shown.size() > kMostRows) {
    std::ranges::stable_sort(
        shown, [](const DeviceUse* one, const DeviceUse* other) { return one->left_bytes() < other->left_bytes(); });
    shown.resize(kMostRows);
  }
  const bool has_outside = std::ranges::any_of(shown, [](const auto* use) { return use->outside_bytes > 0; });
  const bool has_others =
      std::ranges::any_of(shown, [](const auto* use) { return use->most_bytes() > use->peak_bytes; });
  std::vector<Align> columns(std::size_t{6} + (has_outside ? 1U : 0U) + (has_others ? 1U : 0U), Align::right);
  columns.front() = Align::left;
  TextTable table(std::move(columns));
  const auto add = [&](std::vector<std::string> cells, std::string outside, std::string with_others) {
    if (has_outside) cells.insert(cells.begin() + 4, std::move(outside));
    if (has_others) cells.insert(cells.begin() + 2, std::move(with_others));
    table.add_row(std::move(cells));
  };
  add({"", "peak", "of which PyTorch", "context", "memory", "left"}, "outside", "with the rest");
  for (const DeviceUse* use : shown)
    add({use_name(*use, facts), format_bytes(use->peak_bytes), pytorch_text(*use), format_bytes(use->context_bytes),
         format_bytes(use->total_bytes), format_bytes(use->left_bytes())},
        format_bytes(use->outside_bytes), format_bytes(use->most_bytes()));
  const std::size_t more = facts.uses.size() - shown.size();
  return '\n' + table.text("  ") +
         (more > 0 ? fmt::format("  and {} more, with more memory left\n", format_count(more)) : "");
}

/// Returns "" if no kind is known.
std::string by_kind(const FileFacts& facts) {
  const std::string shares = kind_shares_text(facts.kinds);
  return shares.empty() ? "" : "  by kind: " + shares + '\n';
}

/// Returns a line with the bytes and kinds of a part of the held memory.
std::string part_line(std::string_view name, const KindAccount& part) {
  const std::string shares = kind_shares_text(part);
  return fmt::format("  {}: {}{}{}\n", name, format_bytes(bytes_of_kinds(part)), shares.empty() ? "" : ", ", shares);
}

/// Returns the parts of a server and of the program around it, which may be training; "" if one of them holds almost
/// everything.
std::string around_server(const FileFacts& facts) {
  constexpr std::uint64_t kLeastPart = 100;
  const KindAccount around = difference(facts.kinds, facts.server_kinds);
  const std::uint64_t all_bytes = bytes_of_kinds(facts.kinds);
  if (std::min(bytes_of_kinds(around), bytes_of_kinds(facts.server_kinds)) <= all_bytes / kLeastPart) return "";
  return part_line("the server", facts.server_kinds) + part_line("the program around it", around);
}

std::string holders(const std::string& title, const FileFacts& facts, std::size_t columns) {
  constexpr std::size_t kFigures = 22; // the columns before the line
  if (facts.holders.empty()) return "";
  const DeviceFigures& figures = facts.device.figures;
  TextTable table{Align::right, Align::right, Align::left};
  const auto add = [&](const Holder& holder, std::string_view indent) {
    const std::string line = std::string(indent) + with_source(elided(holder.line, kNameColumns), holder.source);
    table.add_row({format_bytes(holder.bytes), format_percent(holder.bytes, figures.requested_bytes),
                   with_callers(line, holder.callers, columns - std::min(columns, kFigures))});
  };
  for (const Holder& holder : facts.holders) {
    add(holder, "");
    for (const Holder& inner : holder.within)
      add(inner, "  ");
  }
  const auto perfect = perfect_allocator(facts.device);
  return fmt::format("\n{} {} ({} asked for, {} reserved)\n", title, moment_text(facts.device),
                     format_bytes(figures.requested_bytes), format_bytes(figures.reserved_bytes)) +
         table.text("  ") +
         (perfect ? fmt::format("  {}\n", capitalized(perfect_allocator_text(*perfect)) + ".") : "") + by_kind(facts) +
         around_server(facts);
}

std::string failure_text(const Failure& failure, std::size_t columns) {
  std::string text = '\n' + wrapped_text(failure.words.headline, "", columns);
  text += wrapped_text(failure.words.verdict, "", columns);
  text += wrapped_list("", failure.words.keepers, "", columns);
  text += wrapped_list("What would help", failure.words.helps, kItem, columns);
  text += holders("Who held it", failure.facts, columns);
  return text + wrapped_list("What would not have helped, or is unknown", failure.words.does_not_help, kItem, columns);
}

std::string files(const RunFacts& facts) {
  std::string text;
  for (const OutOfMemoryFact& oom : facts.ooms)
    if (!oom.file.empty()) text += fmt::format("  {}  (at an out-of-memory error)\n", printable(oom.file));
  for (const WrittenFile& file : facts.files)
    text += fmt::format("  {}\n", printable(file.path));
  return text.empty() ? "" : "\nWhat was recorded\n" + text;
}

} // namespace

std::string verdict_text(const FitVerdict& verdict, std::size_t columns) {
  std::string text = use_table(verdict.facts);
  if (verdict.facts.server) text += server_table(*verdict.facts.server);
  text += wrapped_list("Nearest settings that may fit (give one to the server and rehearse it again)",
                       settings_that_start(verdict), kItem, columns);
  if (verdict.failure)
    text += failure_text(*verdict.failure, columns);
  else if (verdict.peak)
    text += holders("Who holds it", *verdict.peak, columns);
  text += files(verdict.facts);
  return text + wrapped_list("What to know", notes(verdict), kItem, columns);
}

} // namespace memviz::rehearse
