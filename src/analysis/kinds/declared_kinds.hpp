#pragma once

// Texts and stacks -> the kinds that are declared instead of inferred: by a user's rules, or by the recorded program.

#include "memviz/frames.hpp"
#include "memviz/kind_rules.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Returns the kind that a text attached to an allocation declares. The text must be a kind's name in one of its
/// spellings ("Gradients", "optimizer state"), or have a key that names one (kind=activation, {'category': 'input'}).
[[nodiscard]] std::optional<MemoryKind> declared_kind(std::string_view text);

/// Returns the name that the same text gives the allocation: "h.0.attn.weight" of "kind=parameter
/// name=h.0.attn.weight"; "" if it names no kind, or no name.
[[nodiscard]] std::string declared_name(std::string_view text);

/// Caches the results: each text and each frame is examined once.
class DeclaredKinds {
public:
  /// `rules` and `frames` must outlive this object; `frames` may grow.
  DeclaredKinds(const KindRules& rules, const FrameTable& frames) : rules_(rules), frames_(frames) {}

  /// Returns the kind that a text attached to an allocation declares; unknown if there is no text.
  [[nodiscard]] KindOf of_text(StringId text);
  /// Returns the kind by the rules; unknown if none matches a frame.
  [[nodiscard]] KindOf of_stack(StackId stack);

private:
  [[nodiscard]] std::size_t rule_of(FrameId frame);

  const KindRules& rules_;
  const FrameTable& frames_;
  std::vector<std::optional<KindOf>> texts_;
  std::vector<std::optional<KindOf>> stacks_;
  std::vector<std::size_t> frame_rules_; ///< two more than the index; 1: none matches, 0: not examined
};

/// Returns the declaration, of the two for an allocation, that comes first in the order of KindEvidence.
[[nodiscard]] constexpr KindOf stronger(KindOf one, KindOf other) {
  if (one.evidence == KindEvidence::none) return other;
  return other.evidence == KindEvidence::none || one.evidence <= other.evidence ? one : other;
}

} // namespace memviz
