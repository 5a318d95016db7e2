#pragma once

// Kinds of memory -> JSON.

#include "base/json_object.hpp"
#include "memviz/kinds.hpp"

#include <vector>

namespace memviz {

struct KindInJson {
  MemoryKind kind = MemoryKind::unknown;
  KindAmount amount = {};
};

/// Returns the kinds that have bytes, because a file may have thousands of devices.
[[nodiscard]] inline std::vector<KindInJson> kinds_in_json(const KindAccount& account) {
  std::vector<KindInJson> kinds;
  for (std::size_t i = 0; i < account.size(); ++i)
    if (account[i].blocks > 0 || account[i].bytes > 0) kinds.push_back({static_cast<MemoryKind>(i), account[i]});
  return kinds;
}

template <KindEvidence Evidence> [[nodiscard]] std::uint64_t bytes_known_by(const KindInJson& kind) {
  return kind.amount.bytes_by[static_cast<std::size_t>(Evidence)];
}

inline constexpr auto kNamedKind =
    named(kind_name, MemoryKind::parameter, MemoryKind::unknown).others_as(MemoryKind::unknown);
inline constexpr auto kNamedEvidence = named(evidence_name, KindEvidence::none, KindEvidence::behaviour);

inline constexpr auto kKind = json_object<KindInJson>(
    {.meaning = "A kind of memory, with how much of it is known in which way", .name = "kind"},
    member("kind", "The kind; docs/kinds.md has the rules", &KindInJson::kind, kNamedKind),
    member("bytes", "Requested bytes of that kind", part_of(&KindInJson::amount, &KindAmount::bytes)),
    member("blocks", "Blocks of that kind", part_of(&KindInJson::amount, &KindAmount::blocks)),
    member("rules_bytes", "Of these, bytes known by rules of the user's own (--kinds)",
           bytes_known_by<KindEvidence::rules>),
    member("declared_bytes", "Of these, bytes whose kind the program declared", bytes_known_by<KindEvidence::declared>),
    member("keepers_bytes",
           "Of these, bytes whose kind the objects that refer to them show: a module, an optimizer, .grad",
           bytes_known_by<KindEvidence::keepers>),
    member("frames_bytes", "Of these, bytes known by their stacks", bytes_known_by<KindEvidence::frames>),
    member("behaviour_bytes", "Of these, bytes known by when they were made and freed",
           bytes_known_by<KindEvidence::behaviour>));
static_assert(kKindEvidences == 6); // with `none`, for which a kind has no member

} // namespace memviz
