#pragma once

// The figures of an out-of-memory error in a log -> sentences about them.

#include "memviz/logged_error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// A part of the device's memory, by the message. The parts add up to the device.
struct LoggedPart {
  std::string name;
  std::uint64_t bytes = 0;
};

/// The answer to an error as sentences.
struct LoggedErrorText {
  std::string headline;
  std::string cause;
  std::vector<std::string> helps;
  std::vector<std::string> notes; ///< what the message does not say, and how to get it
  std::vector<LoggedPart> parts;  ///< empty without the device's total
};

/// Returns the error to answer for: the last one with a request, else the last. `errors` must not be empty.
[[nodiscard]] const LoggedError& leading_error(const LoggedErrors& errors);

[[nodiscard]] LoggedErrorText in_words(const LoggedErrors& errors);

} // namespace memviz
