#pragma once

// Meanings of members that several documents of JSON have.

#include <string_view>

namespace memviz {

inline constexpr std::string_view kSnapshotMeaning =
    "The snapshot as the command line names it; with --redact its base name or a pseudonym";
inline constexpr std::string_view kWarningsMeaning = "What does not add up, or was lost, in sentences";
inline constexpr std::string_view kOwnLineMeaning =
    "The user's own line that asked for it, `function file.py:12`; else the best other frame, or why there is no stack";
inline constexpr std::string_view kDecimalAddressMeaning = "Its address, as decimal text: it may pass 2^53";
inline constexpr std::string_view kDecimalStreamMeaning = "Its stream, as decimal text: it may pass 2^53";

} // namespace memviz
