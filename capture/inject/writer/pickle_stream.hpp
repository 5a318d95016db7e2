#pragma once

// Values -> the bytes of a pickle of protocol 4, as they come. Holds only a frame of about 64 KiB, and what is needed
// for values that are written once and used again: their number in the memo, and for texts their bytes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memviz::capture {

/// Number of a value in the pickle's memo.
using MemoId = std::uint32_t;

/// Between begin_dict() and end_dict(), values are keys and values in turn; between begin_list() and end_list(), items.
/// The stream's state shows whether everything could be written.
class PickleStream {
public:
  explicit PickleStream(std::ostream& out);
  PickleStream(const PickleStream&) = delete;
  PickleStream& operator=(const PickleStream&) = delete;

  void begin_dict();
  void end_dict() { end('u'); }
  void begin_list();
  void end_list() { end('e'); }

  void boolean(bool value);
  void integer(std::int64_t value);
  void natural(std::uint64_t value);
  void real(double value);
  /// Writes each distinct text once; bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  /// Writes a tuple of two.
  void pair(std::uint64_t first, std::uint64_t second);

  /// Gives the last written value, or the last ended container, a number for reference().
  [[nodiscard]] MemoId memoize();
  /// Writes the value that memoize() numbered again: the same object, not a copy.
  void reference(MemoId id);

  /// Ends the pickle and flushes the stream. Nothing may follow.
  void finish();

private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view value) const { return std::hash<std::string_view>{}(value); }
  };

  void begin_value();
  void end(char opcode);
  void end_opcode();
  void write_frame();
  void put(char byte) { frame_.push_back(byte); }
  void put_little_endian(std::uint64_t value, std::size_t bytes);
  void put_natural(std::uint64_t value);
  void put_long(std::uint64_t value, bool negative);

  std::ostream& out_;
  std::string frame_;
  std::vector<std::size_t> values_in_batch_; ///< of the open containers, the innermost last
  std::vector<std::size_t> batch_limits_;
  std::unordered_map<std::string, MemoId, Hash, std::equal_to<>> texts_;
  MemoId memo_size_ = 0;
};

} // namespace memviz::capture
