#pragma once

// Plain data -> a pickle of protocol 4, in the opcodes that Python's own pickler uses for it.

#include "base/hash_map.hpp"
#include "export/text_writer.hpp"
#include "pickle/opcode.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memviz {

/// The place of an object in the memo of a pickle; none before the object is written.
class MemoPlace {
public:
  MemoPlace() = default;
  explicit MemoPlace(std::uint32_t index) : count_(index + 1) {}
  [[nodiscard]] bool is_none() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t index() const { return count_ - 1; }

private:
  std::uint32_t count_ = 0;
};

class PickleWriter {
public:
  /// Begins a pickle. `sink` must outlive this object.
  explicit PickleWriter(const TextSink& sink);
  /// Ends the pickle.
  void finish();

  void boolean(bool value) { add(value ? pickle::Opcode::newtrue : pickle::Opcode::newfalse); }
  void none() { add(pickle::Opcode::none); }
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  void real(double value);
  /// Writes two integers as a tuple.
  void pair(std::uint64_t first, std::uint64_t second);

  /// Writes a text, or fetches it if it was written before. `text` must outlive this object.
  void word(std::string_view text);
  /// Writes the same, if the caller keeps the place of the text.
  void text(std::string_view text, MemoPlace& place);

  /// Writes a dict's items: each key is a word or a text; its value follows it.
  void begin_dict() { begin(pickle::Opcode::empty_dict); }
  void end_dict() { add(pickle::Opcode::setitems); }
  /// Writes a list of at least one item in one piece, as lists of frames are; the list is kept in the memo.
  MemoPlace begin_kept_list();
  void end_kept_list() { add(pickle::Opcode::appends); }
  void begin_kept_dict(MemoPlace& place);
  MemoPlace empty_kept_list();

  void fetch(MemoPlace place);

  /// Calls `write` for each of `count` items of a list, which is written in batches of a thousand.
  template <class Write> void list(std::size_t count, const Write& write) {
    constexpr std::size_t kBatchItems = 1000;
    add(pickle::Opcode::empty_list);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % kBatchItems == 0) add(pickle::Opcode::mark);
      write(i);
      if (i + 1 == count || (i + 1) % kBatchItems == 0) add(pickle::Opcode::appends);
    }
  }

private:
  void begin(pickle::Opcode container);
  void add(pickle::Opcode opcode);
  void add_number(std::uint64_t number, std::size_t bytes);
  MemoPlace memoize();

  TextWriter output_;
  HashMap<std::string_view, MemoPlace> words_;
  std::uint32_t memo_size_ = 0;
};

} // namespace memviz
