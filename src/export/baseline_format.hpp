#pragma once

// The words of a baseline's JSON that its writer and its reader share.

#include <array>
#include <string_view>

namespace memviz {

inline constexpr std::string_view kBaselineSchema = "memviz.baseline/1.0";
/// The names of BaselineDevice::moments.
inline constexpr std::array<std::string_view, 2> kBaselineMoments{"peak", "end"};

} // namespace memviz
