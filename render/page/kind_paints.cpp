#include "page/kind_paints.hpp"

#include <array>
#include <cstddef>

namespace memviz::render {
namespace {

// The hues are those known from torch.profiler's memory timeline (a red activation, a green parameter), if it has one.
// Lightness and chroma were searched for the largest distance of any two, as for the hues of lines.
constexpr std::array kKindPaints{
    Paint{"kind-parameter", "#89c286", "#1d2026", "#397a0f", "#ffffff"},
    Paint{"kind-gradient", "#72a6f3", "#1d2026", "#5ea0e5", "#0b0c0f"},
    Paint{"kind-optimizer-state", "#d2ac22", "#1d2026", "#d09f24", "#0b0c0f"},
    Paint{"kind-activation", "#d17b74", "#1d2026", "#ca7c6f", "#0b0c0f"},
    Paint{"kind-input", "#bc7f29", "#1d2026", "#f7b281", "#0b0c0f"},
    Paint{"kind-kv-cache", "#d3d634", "#1d2026", "#312deb", "#ffffff"},
    Paint{"kind-temporary", "#8d7ae0", "#1d2026", "#7e69b2", "#ffffff"},
    Paint{"kind-communication", "#30d3e3", "#1d2026", "#55dada", "#0b0c0f"},
    Paint{"kind-workspace", "#da80c6", "#1d2026", "#8d347d", "#ffffff"},
    Paint{"kind-parameter-or-state", "#ebe790", "#1d2026", "#e6e388", "#0b0c0f"},
    paint::kSeveralKinds,
    paint::kUnknownKind,
};
static_assert(kKindPaints.size() == kMemoryKinds + 1);

} // namespace

const Paint& kind_paint(MemoryKind kind) {
  return kind == MemoryKind::unknown ? paint::kUnknownKind : kKindPaints.at(static_cast<std::size_t>(kind));
}

const Paint& kind_paint(const KindShares& shares, std::uint64_t whole_bytes) {
  const auto kind = main_kind(shares, whole_bytes);
  return kind ? kind_paint(*kind) : paint::kSeveralKinds;
}

std::span<const Paint> kind_paints() {
  return kKindPaints;
}

} // namespace memviz::render
