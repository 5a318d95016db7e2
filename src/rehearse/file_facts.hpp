#pragma once

// A snapshot of a rehearsed run -> who held the memory, and where it failed, why.

#include "memviz/explain.hpp"
#include "memviz/explain_words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

struct Holder {
  std::string line; ///< "forward model.py:140"
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

struct FileFacts {
  std::string file;
  DeviceId device;    ///< as the process counts them
  std::string moment; ///< "at its peak, event 12 of 34"
  std::uint64_t requested_bytes = 0;
  std::uint64_t reserved_bytes = 0;
  std::vector<Holder> holders; ///< largest first, at most three
  std::string loss;            ///< a sentence, where the history does not reach back to everything; else ""
};

/// Of the device that held most at its peak; nothing where there are no events. Throws Error.
[[nodiscard]] std::optional<FileFacts> facts_at_peak(const std::string& file);

struct Failure {
  FileFacts facts;
  ExplanationText words; ///< what `explain` says
};

/// Of the last out-of-memory error; nothing where the file has none. Throws Error.
[[nodiscard]] std::optional<Failure> facts_at_failure(const std::string& file);

} // namespace memviz::rehearse
