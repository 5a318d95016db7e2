#pragma once

// Shares of kinds -> the words and figures that pictures show for them.

#include "memviz/kind_shares.hpp"
#include "memviz/story.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "by your rules", "declared", "by frames", "by behaviour"; "by no rule".
[[nodiscard]] std::string_view evidence_words(KindEvidence evidence);
/// Returns evidence_words(), and "" for unknown.
[[nodiscard]] std::string evidence_text(KindEvidence evidence);

/// For a tooltip: "kinds: activation 146 MiB by behaviour, unknown 19.5 MiB", largest first, a few on each line, or
/// "kind: activation, by behaviour" if there is only one; "" if no kind is known.
[[nodiscard]] std::string kinds_lines(const KindShares& shares);

/// For the tooltip of one allocation: "kind: activation, by behaviour", "kind: unknown".
[[nodiscard]] std::string kind_line(const KindOf& kind);

/// For a column: the kind of 90 % or more, else "activation 60 %, temporary 30 %", largest first; "" if no kind is
/// known. Callers with less room cut it at a comma.
[[nodiscard]] std::string kinds_cell(const KindShares& shares);

/// Returns the evidence for the kind of memory without a stack, where `reason` is why it has none: "as many blocks of
/// this size as gradients; older than the recording"; "" if the kind is unknown.
[[nodiscard]] std::string kind_reason(const KindOf& kind, Pseudo reason);

/// For a picture coloured by kind, if no kind is known.
[[nodiscard]] std::string no_kinds_note();

/// A kind of memory in use, for a bar with its legend.
struct KindFigure {
  MemoryKind kind = MemoryKind::unknown;
  Amount amount;
  std::string text; ///< "activation 146 MiB, 29.0 %"
};

struct KindFigures {
  std::string name; ///< "Requested, by kind"; "GPU 0, by kind" where the subject leads with one of several
  std::vector<KindFigure> figures; ///< in the order of MemoryKind, unknown last; empty if no kind is known
};

/// Returns kinds in the order of MemoryKind; their texts give the percentage of all of `shares`.
[[nodiscard]] std::vector<KindFigure> kind_figures(const KindShares& shares);
/// Returns the kinds of the memory held by the users of the subject; they add up to its requested bytes. Empty if less
/// than a tenth is known: hardly_known_note() has a sentence for that.
[[nodiscard]] KindFigures kind_figures(const MemorySubject& subject);
/// "Kinds of what is in use: 3.3 % activations; 96.7 % unknown."; "" if none or more is known.
[[nodiscard]] std::string hardly_known_note(const MemorySubject& subject);

} // namespace memviz
