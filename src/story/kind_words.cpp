#include "story/kind_words.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment.hpp"
#include "story/kind_totals.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace memviz {
namespace {

/// The number of shares in a line of a tooltip, which is cut if it is too long.
constexpr std::size_t kSharesALine = 3;

KindShares largest_first(KindShares shares) {
  std::erase_if(shares, [](const KindShare& share) { return share.amount.bytes == 0; });
  std::ranges::stable_sort(
      shares, [](const KindShare& one, const KindShare& other) { return one.amount.bytes > other.amount.bytes; });
  return shares;
}

/// Sums the shares over all evidence.
KindShares by_kind(const KindShares& shares) {
  KindShares kinds;
  for (const KindShare& share : shares)
    add_share(kinds, {{share.kind.kind, KindEvidence::none}, share.amount});
  return kinds;
}

std::string share_text(const KindShare& share) {
  const std::string text = fmt::format("{} {}", kind_label(share.kind.kind), format_bytes(share.amount.bytes));
  const std::string evidence = evidence_text(share.kind.evidence);
  return evidence.empty() ? text : text + ' ' + evidence;
}

/// Whole percents are enough for a column.
std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.0f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string behaviour_text(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::parameter: return "made before the first forward pass, and kept to the end";
  case MemoryKind::gradient: return "made in a backward pass, still there when it ended";
  case MemoryKind::activation: return "made in a forward pass, freed in its backward pass";
  case MemoryKind::input: return "computed from a batch before the forward pass";
  case MemoryKind::kv_cache: return "grows call by call in a module";
  case MemoryKind::temporary: return "freed in the phase that made it";
  case MemoryKind::optimizer_state: return "made in a step of an optimizer, still there when it ended";
  default: break;
  }
  return "by when it was allocated and freed";
}

} // namespace

std::string_view evidence_words(KindEvidence evidence) {
  switch (evidence) {
  case KindEvidence::rules: return "by your rules";
  case KindEvidence::declared: return "declared";
  case KindEvidence::keepers: return "by keepers";
  case KindEvidence::frames: return "by frames";
  case KindEvidence::behaviour: return "by behaviour";
  case KindEvidence::none: break;
  }
  return "by no rule";
}

std::string evidence_text(KindEvidence evidence) {
  return evidence == KindEvidence::none ? "" : std::string(evidence_words(evidence));
}

std::string kinds_lines(const KindShares& shares) {
  if (!has_known_kind(shares)) return "";
  const KindShares sorted = largest_first(shares);
  if (sorted.size() == 1) return kind_line(sorted.front().kind);
  std::string lines = "kinds: ";
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) lines += i % kSharesALine == 0 ? ",\n" : ", ";
    lines += share_text(sorted[i]);
  }
  return lines;
}

std::string kind_line(const KindOf& kind) {
  const std::string evidence = evidence_text(kind.evidence);
  return fmt::format("kind: {}{}{}", kind_label(kind.kind), evidence.empty() ? "" : ", ", evidence);
}

std::string kinds_cell(const KindShares& shares) {
  if (!has_known_kind(shares)) return "";
  const std::uint64_t whole_bytes = shared_bytes(shares);
  if (const auto kind = main_kind(shares, whole_bytes)) return std::string(kind_label(*kind));
  std::string cell;
  for (const KindShare& share : largest_first(by_kind(shares)))
    cell += fmt::format("{}{} {}", cell.empty() ? "" : ", ", kind_label(share.kind.kind),
                        percent_text(share.amount.bytes, whole_bytes));
  return cell;
}

std::string kind_reason(const KindOf& kind, Pseudo reason) {
  if (kind.kind == MemoryKind::unknown) return "";
  if (kind.evidence != KindEvidence::behaviour) return evidence_text(kind.evidence);
  if (reason == Pseudo::without_stack) return behaviour_text(kind.kind);
  if (kind.kind == MemoryKind::parameter)
    return "the first blocks of this size, as many as gradients; older than the recording";
  if (kind.kind == MemoryKind::parameter_or_state)
    return "several blocks of this size for each gradient; older than the recording";
  if (kind.kind == MemoryKind::optimizer_state)
    return "further blocks of a gradient's size, made after a step; older than the recording";
  if (kind.kind == MemoryKind::activation) return "freed by the first backward pass; older than the recording";
  return "by its size and lifetime; older than the recording";
}

std::string no_kinds_note() {
  return "The kind of all this memory is unknown: memviz recognizes the kinds of a training loop in "
         "recordings of whole "
         "steps with stacks (docs/kinds.md).";
}

std::vector<KindFigure> kind_figures(const KindShares& shares) {
  std::vector<KindFigure> figures;
  const std::uint64_t whole_bytes = shared_bytes(shares);
  for (std::size_t i = 0; i < kMemoryKinds; ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    const Amount amount = amount_of_kind(shares, kind);
    if (amount.bytes == 0) continue;
    figures.push_back({kind, amount,
                       fmt::format("{} {}, {}", kind_label(kind), format_bytes(amount.bytes),
                                   format_percent(amount.bytes, whole_bytes))});
  }
  return figures;
}

namespace {

KindShares shares_of(const MemorySubject& subject) {
  KindShares shares;
  for (const UserLine& user : subject.users)
    add_shares(shares, user.kinds);
  return shares;
}

/// Whether so little is known that a bar would be one colour.
bool is_hardly_known(const KindShares& shares) {
  constexpr std::uint64_t kLeastKnown = 10;
  const std::uint64_t known_bytes = shared_bytes(shares) - amount_of_kind(shares, MemoryKind::unknown).bytes;
  return known_bytes < shared_bytes(shares) / kLeastKnown;
}

} // namespace

std::string hardly_known_note(const MemorySubject& subject) {
  const KindShares shares = shares_of(subject);
  if (!has_known_kind(shares) || !is_hardly_known(shares)) return "";
  const std::string text = kind_shares_text(kind_account(shares));
  return text.empty() ? "" : fmt::format("Kinds of memory in use: {}.", text);
}

KindFigures kind_figures(const MemorySubject& subject) {
  const KindShares shares = shares_of(subject);
  if (!has_known_kind(shares) || is_hardly_known(shares)) return {};
  const DeviceState* const leading = leading_device(subject.devices);
  KindFigures result;
  result.name = leading != nullptr ? fmt::format("{}, by kind", device_name(*leading)) : "Requested, by kind";
  result.figures = kind_figures(shares);
  return result;
}

} // namespace memviz
