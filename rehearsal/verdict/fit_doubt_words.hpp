#pragma once

// A rehearsed run and what is not measured of its GPU -> whether that may turn the answer.

#include "verdict/fit.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::rehearse {

/// Begins the note of a GPU for which the program's PyTorch has no kernels.
inline constexpr std::string_view kNoKernels = "No kernels: ";

/// Whether a real GPU refuses the program's kernels.
[[nodiscard]] bool lacks_kernels(const FitVerdict& verdict);

/// Returns the most that a real run may take of the fullest device in addition, by what was measured elsewhere, of what
/// the rehearsal does not count: kernels and libraries where nothing was measured on this GPU, a context of which only
/// a typical figure is known, NCCL, a server's graphs, and drivers that leave less of the device. 0 for a part that
/// --outside or a model counts.
[[nodiscard]] std::uint64_t uncounted_bytes(const FitVerdict& verdict);

/// Returns why the answer may be the other one on a real GPU: less memory is left than what is not counted may take,
/// less is short than drivers may leave in addition or a context may take less, or less is short, or left, than the
/// driver may take less, or more, than in its model. "" if it does not depend on that.
[[nodiscard]] std::string doubt_text(const FitVerdict& verdict);

/// Whether the program fits or not, and neither what is not counted, nor a model of the driver, nor an unknown value
/// may turn that, nor a GPU that refuses the program's kernels.
[[nodiscard]] bool is_sure(const FitVerdict& verdict);

} // namespace memviz::rehearse
