#pragma once

// Texts and stacks -> the kinds that are declared rather than concluded: by a user's rules, or by the program that was
// recorded.

#include "memviz/frames.hpp"
#include "memviz/kind_rules.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Returns the kind that a text attached to an allocation declares: nothing except a kind's name in one of its
/// spellings ("Gradients", "optimizer state"), or a key that names one (kind=activation, {'category': 'input'}).
[[nodiscard]] std::optional<MemoryKind> declared_kind(std::string_view text);

/// Returns the name that the same text gives the allocation besides its kind: "h.0.attn.weight" of "kind=parameter
/// name=h.0.attn.weight"; "" if it names no kind, or no name.
[[nodiscard]] std::string declared_name(std::string_view text);

/// Looks at each text and each frame once.
class DeclaredKinds {
public:
  /// Both must outlive this; `frames` may grow meanwhile.
  DeclaredKinds(const KindRules& rules, const FrameTable& frames) : rules_(rules), frames_(frames) {}

  /// Returns the kind that a text attached to an allocation declares; unknown for none.
  [[nodiscard]] KindOf of_text(StringId text);
  /// Returns the kind by the rules; unknown where none matches a frame.
  [[nodiscard]] KindOf of_stack(StackId stack);

private:
  [[nodiscard]] std::size_t rule_of(FrameId frame);

  const KindRules& rules_;
  const FrameTable& frames_;
  std::vector<std::optional<KindOf>> texts_;
  std::vector<std::optional<KindOf>> stacks_;
  std::vector<std::size_t> frame_rules_; ///< two more than the index; 1: none matches, 0: not looked at
};

/// Returns the one of two declarations of an allocation that comes first in the order of KindEvidence.
[[nodiscard]] constexpr KindOf stronger(KindOf one, KindOf other) {
  if (one.evidence == KindEvidence::none) return other;
  return other.evidence == KindEvidence::none || one.evidence <= other.evidence ? one : other;
}

} // namespace memviz
