#include "export/text_writer.hpp"

namespace memviz {

std::string whole_text(const TextSource& source) {
  std::string text;
  source([&](std::string_view piece) { text += piece; });
  return text;
}

} // namespace memviz
