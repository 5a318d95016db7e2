#pragma once

// Pickle bytes -> their contents, opcode by opcode, without creating any value: for `check`, which describes an
// untrusted file before and after the decoder refuses it. It continues after opcodes that the decoder refuses, so that
// all of them can be named.

#include "pickle/opcode.hpp"
#include "pickle/progress.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::pickle {

enum class SurveyEnd : std::uint8_t {
  stop,           ///< the pickle is complete
  truncated,      ///< the bytes end inside an opcode, or before STOP
  unknown_opcode, ///< a byte that is not an opcode: the rest has no meaning
};

struct RefusedOpcode {
  std::uint64_t offset = 0;
  Opcode opcode = Opcode::stop;
  std::string target; ///< "posix.system", valid UTF-8 of any length; "" where the opcode has none or hides it
};

struct Survey {
  int protocol = 0;
  std::uint64_t opcodes = 0;
  std::array<std::uint64_t, 256> counts{}; ///< by opcode
  std::uint64_t frames = 0;                ///< FRAME opcodes
  std::uint64_t memo_entries = 0;
  std::uint64_t deepest_nesting = 0; ///< containers written inside each other; references to the memo count as leaves
  std::uint64_t longest_text_bytes = 0;
  /// Containers that get their memo number before they are filled, as in Python's pickle, and after, as by the pickler
  /// of LibTorch.
  std::uint64_t memoized_before_filling = 0;
  std::uint64_t memoized_after_filling = 0;
  std::uint64_t refused_count = 0;
  std::vector<RefusedOpcode> refused; ///< the first of them, at most kMostRefused
  SurveyEnd end = SurveyEnd::truncated;
  std::uint64_t end_offset = 0; ///< after STOP, of the opcode that is cut off, or of the byte that is not an opcode
};

inline constexpr std::size_t kMostRefused = 12;

/// Walks over all opcodes of one pickle. Never throws because of the bytes; memory is at most a few bytes for each
/// value that the pickle holds on its stack or in its memo.
[[nodiscard]] Survey survey(std::string_view bytes, Progress progress = Progress());

} // namespace memviz::pickle
