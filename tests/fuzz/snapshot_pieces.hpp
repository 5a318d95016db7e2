#pragma once

// Pieces of snapshots, for shapes built by hand.

#include "pickle_pieces.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace memviz::fuzz {

/// A snapshot built key by key; the words that records repeat are in the memo from the start.
class File {
public:
  File() : text_(std::string(kProtocol4) + "}(" + text_piece("words") + "(") {
    for (const std::string_view word : kWords) {
      text_ += text_piece(word) + "\x94";
      ++memo_;
    }
    text_ += "l";
  }

  /// Fetches one of the words.
  static std::string word(std::string_view wanted) {
    for (std::size_t i = 0; i < kWords.size(); ++i)
      if (kWords[i] == wanted) return fetch_piece(i);
    return text_piece(wanted);
  }
  /// word, value, word, value, ... -> a dict.
  static std::string dict(std::initializer_list<std::pair<std::string_view, std::string>> items) {
    std::string piece = "}(";
    for (const auto& [key, value] : items)
      piece += word(key) + value;
    return piece + "u";
  }

  void add(std::string_view key, const std::string& value) { text_ += text_piece(key) + value; }
  /// Adds it under a meaningless key; returns the bytes that fetch it.
  std::string keep(const std::string& value) {
    add("kept", value + "\x94");
    return fetch_piece(memo_++);
  }
  /// Adds meaningless bytes that pay for references elsewhere.
  void pad(std::size_t count) { add("padding", text_piece(std::string(count, 'p'))); }

  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::string done() const { return text_ + "u."; }

private:
  static constexpr std::array<std::string_view, 30> kWords{"device",
                                                           "address",
                                                           "addr",
                                                           "total_size",
                                                           "size",
                                                           "stream",
                                                           "frames",
                                                           "blocks",
                                                           "state",
                                                           "action",
                                                           "active_allocated",
                                                           "inactive",
                                                           "alloc",
                                                           "free_completed",
                                                           "name",
                                                           "filename",
                                                           "line",
                                                           "requested_size",
                                                           "user_metadata",
                                                           "forward_frames",
                                                           "pool_id",
                                                           "segment_pool_id",
                                                           "stage",
                                                           "START",
                                                           "time_us",
                                                           "segment_alloc",
                                                           "segment_free",
                                                           "fx_node_op",
                                                           "k",
                                                           "oom"};
  std::string text_;
  std::uint64_t memo_ = 0;
};

/// Returns `piece` of a number, as often as fits into `bytes`, as a list.
template <class Piece> [[nodiscard]] std::string list_of(std::size_t bytes, Piece piece) {
  std::string list = "(";
  for (std::uint64_t number = 0; list.size() < bytes; ++number)
    list += piece(number);
  return list + "l";
}

[[nodiscard]] inline std::string repeated(std::size_t bytes, const std::string& piece) {
  return list_of(bytes, [&](std::uint64_t) { return piece; });
}

[[nodiscard]] inline std::string block(const std::string& frames) {
  return File::dict({{"size", "K\1"}, {"state", File::word("active_allocated")}, {"frames", frames}});
}

[[nodiscard]] inline std::string segment(std::uint64_t stream, const std::string& blocks) {
  return File::dict(
      {{"address", "K\1"}, {"total_size", "K\1"}, {"stream", "J" + number_bytes(stream, 4)}, {"blocks", blocks}});
}

[[nodiscard]] inline std::string frame(const std::string& name) {
  return File::dict({{"name", name}});
}

[[nodiscard]] inline std::string alloc(std::uint64_t address) {
  return File::dict({{"action", File::word("alloc")}, {"addr", "J" + number_bytes(address, 4)}, {"size", "K\1"}});
}

} // namespace memviz::fuzz
