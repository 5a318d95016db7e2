#pragma once

// The reader that read a file, and the reason if it was the plain one. The fast reader passes events on while it
// decodes; the plain reader decodes everything first, which costs more time and memory for the same result.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// The reason for the plain reader.
enum class PlainReason : std::uint8_t {
  not_a_pickle, ///< the file is JSON
  not_wanted,   ///< ReadOptions::stream

  // The fast reader gave up:
  damaged,          ///< the file cannot be decoded; the plain reader reports the error
  unexpected_value, ///< a type that snapshots do not have there; the plain reader accepts it, or reports the error
  used_again,       ///< an event, or a list of one, that was already passed on
  content_changed,  ///< a container that an event had referred to
  memo_replaced,    ///< a memo number that was assigned a new value
  memo_numbers,     ///< events that are not numbered one by one
  other_traces,     ///< the events passed on are not exactly those of the snapshot
};

/// "an event, or a list of one, is used again": for "read by the plain reader: ...".
[[nodiscard]] std::string_view reason_text(PlainReason reason);

struct ReadBy {
  std::optional<PlainReason> plain_reason = {}; ///< nullopt: the fast reader read it
  std::optional<std::uint64_t> offset = {};     ///< in bytes, where the fast reader gave up
};

/// "the fast reader", or "the plain reader: REASON, at byte N".
[[nodiscard]] std::string read_by_text(const ReadBy& read_by);

} // namespace memviz
