#pragma once

// The reader that read a file, and the reason if it was the plain one. The fast reader hands events over while it
// decodes; the plain reader decodes everything first, which takes more time and memory for the same result.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// Why a file was read by the plain reader.
enum class PlainReason : std::uint8_t {
  not_a_pickle, ///< the file is JSON
  not_wanted,   ///< ReadOptions::stream

  // The fast reader gave up:
  damaged,          ///< the file cannot be decoded; the plain reader says what is wrong
  unexpected_value, ///< not of the kind that a snapshot has there; the plain reader takes it, or says what is wrong
  used_again,       ///< an event, or a list of one, that was handed over
  content_changed,  ///< of a container that an event had referred to
  memo_replaced,    ///< a number of the memo that got another value
  memo_numbers,     ///< of events that are not numbered one by one
  other_traces,     ///< the events that were handed over are not, or not all, those of the snapshot
};

/// "an event, or a list of one, is used again": for "read by the plain reader: ...".
[[nodiscard]] std::string_view reason_text(PlainReason reason);

struct ReadBy {
  std::optional<PlainReason> plain_reason = {}; ///< none: the fast reader read it
  std::optional<std::uint64_t> offset = {};     ///< in bytes, of the place where the fast reader gave up
};

/// "the fast reader", or "the plain reader: REASON, at byte N".
[[nodiscard]] std::string read_by_text(const ReadBy& read_by);

} // namespace memviz
