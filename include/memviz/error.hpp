#pragma once

// The errors that memviz throws. Every message is a sentence ready to print, without a prefix: the code that knows the
// file's name adds it once, and main() prints the result.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace memviz {

/// Bad data or failed I/O: exit code 1.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Bytes that the format does not allow. what() is "byte N: expected ..., found ...".
class ParseError : public Error {
public:
  ParseError(std::uint64_t offset, const std::string& message)
      : Error("byte " + std::to_string(offset) + ": " + message), offset_(offset) {}

  /// The offset into the decompressed input, in bytes.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

private:
  std::uint64_t offset_;
};

/// A command line that cannot be understood: exit code 2.
class UsageError : public Error {
public:
  using Error::Error;
};

} // namespace memviz
