#include "memviz/read_by.hpp"
#include "story/no_stack_words.hpp"

#include <fmt/format.h>

namespace memviz {

std::string_view reason_text(PlainReason reason) {
  switch (reason) {
  case PlainReason::not_a_pickle: return "the file is not a pickle";
  case PlainReason::not_wanted: return "the fast reader was not requested";
  case PlainReason::damaged: return "the file cannot be decoded";
  case PlainReason::unexpected_value: return "a value has an unexpected type";
  case PlainReason::used_again: return "an event, or a list of one, is used again";
  case PlainReason::content_changed: return "a list or dict changed after an event had referred to it";
  case PlainReason::memo_replaced: return "a number of the memo was given to another value";
  case PlainReason::memo_numbers: return "the events do not number the memo one by one";
  case PlainReason::other_traces: return "the events that came are not those of 'device_traces'";
  }
  return "";
}

std::string read_by_text(const ReadBy& read_by) {
  if (!read_by.plain_reason) return "the fast reader";
  std::string text = fmt::format("the plain reader: {}", reason_text(*read_by.plain_reason));
  if (read_by.offset) text += fmt::format(", at byte {}", *read_by.offset);
  return text;
}

} // namespace memviz
