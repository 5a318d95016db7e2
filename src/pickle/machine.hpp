#pragma once

// The stack machine behind decode(): one method per family of opcodes, all state in one object. machine_hooks.hpp
// defines what other code may do while it runs.

#include "pickle/cursor.hpp"
#include "pickle/decoder.hpp"
#include "pickle/machine_hooks.hpp"
#include "pickle/memo.hpp"
#include "pickle/opcode_bytes.hpp"
#include "pickle/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::pickle {

class Machine {
public:
  explicit Machine(std::string_view bytes, Progress progress = Progress())
      : cursor_(bytes), progress_(std::move(progress)) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() = default;

  /// Sets the hooks, before the first step; they must live until the last.
  void watch(MachineHooks& hooks) { hooks_ = &hooks; }
  /// Returns the parts that such hooks may use.
  [[nodiscard]] MachineState state() { return {opcode_offset_, cursor_, document_, memo_, stack_, marks_, progress_}; }
  /// Runs one opcode; returns false after STOP. Throws ParseError, and the exceptions of the hooks.
  bool step();
  [[nodiscard]] Document take_document() && { return std::move(document_); }

  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] int protocol() const { return protocol_; }
  [[nodiscard]] std::uint64_t offset() const { return cursor_.offset(); }
  /// Returns the offset of the last opcode that ran.
  [[nodiscard]] std::uint64_t opcode_offset() const { return opcode_offset_; }

private:
  [[noreturn]] void refuse(Opcode opcode);

  /// Returns the argument of the current opcode, as the table describes it: its number, its line, or as many bytes as
  /// its length.
  template <Opcode kOpcode> auto argument() {
    constexpr OpcodeArgument kArgument = opcode_info(kOpcode).argument;
    static_assert(kArgument != OpcodeArgument::none && kArgument != OpcodeArgument::two_lines);
    if constexpr (kArgument == OpcodeArgument::one_line) {
      return cursor_.line();
    } else {
      const auto number = cursor_.number<ArgumentNumber<kOpcode>>();
      if constexpr (kArgument == OpcodeArgument::signed_length4)
        return cursor_.take(unsigned_size(number, opcode_info(kOpcode).is_text ? "a string" : "an integer"));
      else if constexpr (is_number(kArgument))
        return number;
      else
        return cursor_.take(number);
    }
  }
  [[nodiscard]] std::uint64_t unsigned_size(std::uint32_t bits, const char* of_what) const;

  void mark();
  void make_list();
  void put(std::uint64_t index);
  void read_protocol();
  void read_frame();
  void stop();
  [[nodiscard]] Value memo_value(std::uint64_t index) const;
  [[nodiscard]] Value long_integer(std::string_view little_endian);
  /// BINFLOAT is the one big-endian number of the format.
  [[nodiscard]] Value big_endian_double(std::uint64_t little_endian);
  void push_bytes(std::string_view bytes) { push(document_.add_text(bytes, Kind::bytes)); }
  /// The opcodes of protocol 0, whose arguments are lines of text.
  void run_text(Opcode opcode);
  void push(Value value) { stack_.push_back(value); }
  void push_text(std::string_view text) { push(document_.add_text(text)); }
  [[nodiscard]] Value top() const;
  Value pop();
  void pop_anything();
  /// Returns the values above the topmost mark, which is removed; they stay in place until drop_to().
  std::span<const Value> above_mark();
  void drop_to(std::span<const Value> values);
  [[nodiscard]] Value list_below(std::size_t depth) const;
  void append_to(Value list, std::span<const Value> items);
  void fill(Value dict, std::span<const Value> items);
  /// Returns the container below the topmost mark, or on top of the stack; throws if it is of another kind.
  [[nodiscard]] Value container_below(std::size_t depth, Kind kind) const;

  void append_one();
  void append_all();
  void set_one();
  void set_all();
  void check_items(std::span<const Value> items) const;
  void make_sequence(std::span<const Value> items, Kind kind);
  void make_dict();
  void make_tuple(std::size_t size);

  /// Throws ParseError at the current opcode.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

  Cursor cursor_;
  Progress progress_;
  std::uint64_t opcode_offset_ = 0;
  Document document_;
  Memo memo_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_; ///< stack sizes
  int protocol_ = 0;
  bool is_done_ = false;
  MachineHooks* hooks_ = nullptr;
};

} // namespace memviz::pickle
