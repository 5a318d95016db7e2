#pragma once

// Whether --max-memory can be tested: a sanitizer takes additional address space and memory.

namespace memviz::test {

// A sanitizer reserves memory that counts as the program's, so no limit would leave it any.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kCanLimit = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kCanLimit = false;
#else
inline constexpr bool kCanLimit = true;
#endif
#else
inline constexpr bool kCanLimit = true;
#endif

} // namespace memviz::test
