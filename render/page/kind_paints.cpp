#include "page/kind_paints.hpp"

#include <array>
#include <cstddef>

namespace memviz::render {
namespace {

// The hues are those that torch.profiler's memory timeline made known (a red activation, a green parameter), where it
// has one. Lightness and chroma were searched for the largest distance of any two, as for the hues of lines.
constexpr std::array kKindPaints{
    Paint{"kind-parameter", "#91e89f", "#1d2026", "#68965a", "#0b0c0f"},
    Paint{"kind-gradient", "#6d98f4", "#1d2026", "#5399f1", "#0b0c0f"},
    Paint{"kind-optimizer-state", "#b89919", "#1d2026", "#ccac16", "#0b0c0f"},
    Paint{"kind-activation", "#da7f77", "#1d2026", "#f8a59a", "#0b0c0f"},
    Paint{"kind-input", "#eda96c", "#1d2026", "#8b5d00", "#ffffff"},
    Paint{"kind-temporary", "#947ec0", "#1d2026", "#713e9b", "#ffffff"},
    Paint{"kind-communication", "#1fc5c8", "#1d2026", "#1cd6e6", "#0b0c0f"},
    Paint{"kind-workspace", "#ff9eea", "#1d2026", "#9f5e90", "#ffffff"},
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
