// One build contains all mutants: the environment's MUTANT is the number of the active one. With MUTANT_LOG, a file,
// each process notes there which mutants its run reached, so that a mutant is only tested by tests that reach it.

#pragma once

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace mutants {

inline std::array<std::atomic<bool>, 4096> reached;

/// Appends a line to the log, if there is one.
inline void note(const char* mark, const char* text) {
  static const char* const path = std::getenv("MUTANT_LOG");
  if (path == nullptr) return;
  if (std::FILE* const log = std::fopen(path, "a")) {
    std::fprintf(log, "%s%s\n", mark, text);
    std::fclose(log);
  }
}

/// Whether the mutant with this number is active.
inline bool is_on(int number) {
  static const int chosen = [] {
    const char* const value = std::getenv("MUTANT");
    return value == nullptr ? -1 : static_cast<int>(std::strtol(value, nullptr, 10));
  }();
  if (!reached[static_cast<std::size_t>(number)].exchange(true)) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%d", number);
    note("", digits.data());
  }
  return number == chosen;
}

} // namespace mutants
