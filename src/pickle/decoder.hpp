#pragma once

// Pickle bytes -> Document. A stack machine for the opcodes that make plain data; every opcode that would import, call
// or construct is refused by name and offset, so that nothing in a file can run. Containers have Python's reference
// semantics: the Python writer refers to a container before it fills it, PyTorch's C++ writer afterwards. No recursion;
// memory is a small multiple of the input.

#include "pickle/progress.hpp"
#include "value/document.hpp"

#include <cstdint>
#include <string_view>

namespace memviz::pickle {

struct Decoded {
  Document document; ///< its texts point into the decoded bytes
  int protocol = 0;
  /// The offset after STOP.
  std::uint64_t end_offset = 0;
};

/// Decodes a pickle. Throws ParseError, with the offset of the opcode, for anything that is not one whole pickle of
/// plain data.
[[nodiscard]] Decoded decode(std::string_view bytes, Progress progress = Progress());

} // namespace memviz::pickle
