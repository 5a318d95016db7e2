#include "pickle/machine.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>

namespace memviz::pickle {
namespace {

constexpr int kNewestProtocol = 5;

/// Returns text from the file, made suitable for a message.
std::string quoted(std::string_view text) {
  return elided(to_valid_utf8(text.substr(0, 256)), 60);
}

} // namespace

bool Machine::step() {
  opcode_offset_ = cursor_.offset();
  progress_.reached(opcode_offset_);
  const auto opcode = static_cast<Opcode>(cursor_.opcode());
  switch (opcode) {
  case Opcode::proto: read_protocol(); break;
  case Opcode::frame: read_frame(); break;
  case Opcode::stop: stop(); break;

  case Opcode::memoize: memo_.put_next(top()); break;
  case Opcode::binput: put(argument<Opcode::binput>()); break;
  case Opcode::long_binput: put(argument<Opcode::long_binput>()); break;
  case Opcode::binget: push(memo_value(argument<Opcode::binget>())); break;
  case Opcode::long_binget: push(memo_value(argument<Opcode::long_binget>())); break;

  case Opcode::none: push(Value::none()); break;
  case Opcode::newtrue: push(Value::boolean(true)); break;
  case Opcode::newfalse: push(Value::boolean(false)); break;
  case Opcode::binint1: push(Value::integer(argument<Opcode::binint1>())); break;
  case Opcode::binint2: push(Value::integer(argument<Opcode::binint2>())); break;
  case Opcode::binint: push(Value::integer(static_cast<std::int32_t>(argument<Opcode::binint>()))); break;
  case Opcode::long1: push(long_integer(argument<Opcode::long1>())); break;
  case Opcode::long4: push(long_integer(argument<Opcode::long4>())); break;
  case Opcode::binfloat: push(big_endian_double(argument<Opcode::binfloat>())); break;

  case Opcode::short_binunicode: push_text(argument<Opcode::short_binunicode>()); break;
  case Opcode::binunicode: push_text(argument<Opcode::binunicode>()); break;
  case Opcode::binunicode8: push_text(argument<Opcode::binunicode8>()); break;
  // Python 2's str: text in an unknown encoding.
  case Opcode::short_binstring: push_text(argument<Opcode::short_binstring>()); break;
  case Opcode::binstring: push_text(argument<Opcode::binstring>()); break;
  case Opcode::short_binbytes: push_bytes(argument<Opcode::short_binbytes>()); break;
  case Opcode::binbytes: push_bytes(argument<Opcode::binbytes>()); break;
  case Opcode::binbytes8: push_bytes(argument<Opcode::binbytes8>()); break;
  case Opcode::bytearray8: push_bytes(argument<Opcode::bytearray8>()); break;

  case Opcode::mark: mark(); break;
  case Opcode::empty_dict: push(document_.add_dict()); break;
  case Opcode::empty_list: make_list(); break;
  case Opcode::empty_set: push(document_.add_list()); break;
  case Opcode::empty_tuple: make_tuple(0); break;
  case Opcode::tuple1: make_tuple(popped(Opcode::tuple1)); break;
  case Opcode::tuple2: make_tuple(popped(Opcode::tuple2)); break;
  case Opcode::tuple3: make_tuple(popped(Opcode::tuple3)); break;
  case Opcode::tuple:
  case Opcode::frozenset: make_sequence(above_mark(), Kind::tuple); break;
  case Opcode::list: make_sequence(above_mark(), Kind::list); break;
  case Opcode::dict: make_dict(); break;
  case Opcode::append: append_one(); break;
  case Opcode::appends:
  case Opcode::additems: append_all(); break;
  case Opcode::setitem: set_one(); break;
  case Opcode::setitems: set_all(); break;

  case Opcode::pop: pop_anything(); break;
  case Opcode::pop_mark: drop_to(above_mark()); break;
  case Opcode::dup: push(top()); break;

  case Opcode::int_text:
  case Opcode::long_text:
  case Opcode::float_text:
  case Opcode::string:
  case Opcode::unicode:
  case Opcode::put:
  case Opcode::get: run_text(opcode); break;

  default: refuse(opcode);
  }
  return !is_done_;
}

void Machine::put(std::uint64_t index) {
  memo_.put(index, top());
  if (hooks_ != nullptr) hooks_->after_dict();
}

void Machine::mark() {
  marks_.push_back(stack_.size());
  if (hooks_ != nullptr) hooks_->after_mark();
}

void Machine::make_list() {
  push(document_.add_list());
  if (hooks_ != nullptr) hooks_->after_empty_list();
}

void Machine::read_protocol() {
  const int protocol = argument<Opcode::proto>();
  if (protocol > kNewestProtocol) {
    fail(fmt::format("a pickle protocol from 0 to {}", kNewestProtocol), fmt::format("protocol {}", protocol));
  }
  protocol_ = protocol;
}

void Machine::read_frame() {
  const auto size = argument<Opcode::frame>();
  if (size > cursor_.left()) {
    fail(fmt::format("a frame of {} bytes", size),
         fmt::format("{} bytes up to the end of the file: is it cut off?", cursor_.left()));
  }
  if (hooks_ != nullptr) hooks_->after_dict();
}

void Machine::stop() {
  document_.root = pop();
  is_done_ = true;
}

void Machine::refuse(Opcode opcode) {
  const std::string_view purpose = refused_purpose(opcode);
  if (purpose.empty()) {
    fail("a pickle opcode", fmt::format("byte {:#04x}", static_cast<unsigned>(opcode)));
  }
  std::string target;
  if (opcode_info(opcode).argument == OpcodeArgument::two_lines) {
    const std::string module = quoted(cursor_.line());
    target = fmt::format(" ('{}.{}')", module, quoted(cursor_.line()));
  } else if (opcode == Opcode::stack_global && stack_.size() >= 2 && stack_.back().kind() == Kind::text &&
             stack_[stack_.size() - 2].kind() == Kind::text) {
    target = fmt::format(" ('{}.{}')", quoted(document_.text(stack_[stack_.size() - 2])),
                         quoted(document_.text(stack_.back())));
  }
  throw ParseError(
      opcode_offset_,
      fmt::format("expected plain data, found the opcode {}, which would {}{}: this file wants to run code. No "
                  "memory snapshot does, and memviz ran none",
                  opcode_name(opcode), purpose, target));
}

void Machine::fail(const std::string& expected, const std::string& found) const {
  throw ParseError(opcode_offset_, "expected " + expected + ", found " + found);
}

Value Machine::top() const {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("a value on the pickle stack", "none");
  return stack_.back();
}

Value Machine::pop() {
  const Value value = top();
  stack_.pop_back();
  return value;
}

void Machine::pop_anything() {
  if (!marks_.empty() && marks_.back() == stack_.size()) {
    marks_.pop_back();
  } else {
    pop();
  }
}

std::span<const Value> Machine::above_mark() {
  if (marks_.empty()) fail("a mark on the pickle stack", "none");
  const std::size_t begin = marks_.back();
  marks_.pop_back();
  return std::span(stack_).subspan(begin);
}

void Machine::drop_to(std::span<const Value> values) {
  stack_.resize(stack_.size() - values.size());
}

Value Machine::memo_value(std::uint64_t index) const {
  const Value value = memo_.get(index);
  if (value.kind() == Kind::unset) fail("a memo slot that was filled before", fmt::format("slot {}", index));
  if (is_stand_in(value.kind())) hooks_->check_fetched(value);
  return value;
}

} // namespace memviz::pickle
