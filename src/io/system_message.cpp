#include "io/system_message.hpp"

#include <system_error>

namespace memviz {

std::string system_message(int error_number) {
  std::string text = std::generic_category().message(error_number);
  const bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

} // namespace memviz
