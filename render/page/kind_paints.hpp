#pragma once

// Kinds of memory -> their colours: one for each kind, the same in every picture.

#include "page/palette.hpp"

#include "memviz/kind_shares.hpp"

#include <cstdint>
#include <span>

namespace memviz::render {

namespace paint {
/// The paint of memory in which no kind has 90 %.
inline constexpr Paint kSeveralKinds{"kind-several", "#d8cdb2", "#1d2026", "#5b5549", "#f6f3ec"};
inline constexpr Paint kUnknownKind{"kind-unknown", "#b4b6ba", "#1d2026", "#6e7177", "#ffffff"};
} // namespace paint

[[nodiscard]] const Paint& kind_paint(MemoryKind kind);
/// Returns the kind of 90 % or more of `whole_bytes`, or several.
[[nodiscard]] const Paint& kind_paint(const KindShares& shares, std::uint64_t whole_bytes);

/// The kinds that palette_css() omits, in the order of MemoryKind, several kinds before unknown.
[[nodiscard]] std::span<const Paint> kind_paints();

} // namespace memviz::render
