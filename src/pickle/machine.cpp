#include "pickle/machine.hpp"

#include "memviz/error.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>
#include <utility>

namespace memviz::pickle {
namespace {

constexpr int kNewestProtocol = 5;

/// Text from the file, made fit for a message.
std::string quoted(std::string_view text) {
  return elided(to_valid_utf8(text.substr(0, 256)), 60);
}

} // namespace

bool Machine::step() {
  opcode_offset_ = cursor_.offset();
  const auto opcode = static_cast<Opcode>(cursor_.opcode());
  if (run_memo(opcode) || run_scalar(opcode) || run_container(opcode) || run_text(opcode)) return true;
  switch (opcode) {
  case Opcode::proto: read_protocol(); break;
  case Opcode::frame: read_frame(); break;
  case Opcode::stop: stop(); break;
  default: refuse(opcode);
  }
  return !is_done_;
}

Decoded Machine::result() && {
  return {std::move(document_), protocol_, cursor_.offset()};
}

void Machine::read_protocol() {
  const int protocol = cursor_.number<std::uint8_t>();
  if (protocol > kNewestProtocol) {
    fail(fmt::format("a pickle protocol from 0 to {}", kNewestProtocol), fmt::format("protocol {}", protocol));
  }
  protocol_ = protocol;
}

void Machine::read_frame() {
  const auto size = cursor_.number<std::uint64_t>();
  if (size > cursor_.left()) {
    fail(fmt::format("a frame of {} bytes", size),
         fmt::format("{} bytes up to the end of the file: is it cut off?", cursor_.left()));
  }
}

void Machine::stop() {
  document_.root = pop();
  is_done_ = true;
}

void Machine::refuse(Opcode opcode) {
  const std::string_view name = refused_name(opcode);
  if (name.empty()) {
    fail("a pickle opcode", fmt::format("byte {:#04x}", static_cast<unsigned>(opcode)));
  }
  std::string target;
  if (opcode == Opcode::global || opcode == Opcode::inst) {
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
                  name, refused_purpose(opcode), target));
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

bool Machine::run_memo(Opcode opcode) {
  const auto get = [&](std::uint64_t index) {
    const Value value = memo_.get(index);
    if (value.kind() == Kind::unset) fail("a memo slot that was filled before", fmt::format("slot {}", index));
    push(value);
  };
  switch (opcode) {
  case Opcode::memoize: memo_.put_next(top()); return true;
  case Opcode::binget: get(cursor_.number<std::uint8_t>()); return true;
  case Opcode::long_binget: get(cursor_.number<std::uint32_t>()); return true;
  case Opcode::binput: memo_.put(cursor_.number<std::uint8_t>(), top()); return true;
  case Opcode::long_binput: memo_.put(cursor_.number<std::uint32_t>(), top()); return true;
  default: return false;
  }
}

} // namespace memviz::pickle
