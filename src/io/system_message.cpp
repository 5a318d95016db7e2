#include "io/system_message.hpp"

#include "base/ascii.hpp"

#include <system_error>

namespace memviz {

std::string system_message(int error_number) {
  std::string text = std::generic_category().message(error_number);
  const bool is_word = text.size() > 1 && is_lower(text[1]);
  if (is_word) text[0] = lower_case(text[0]);
  return text;
}

} // namespace memviz
