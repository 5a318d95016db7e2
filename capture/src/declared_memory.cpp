#include "declared_memory.hpp"

#include "pickle_append.hpp"

namespace memviz::capture {

void add_declared_memory(const std::vector<DeclaredMemory>& memory, std::string& pickle) {
  add_key("memviz_recorder", pickle, [&](std::string& value) {
    value += "}("; // EMPTY_DICT, MARK
    append_text("format", value);
    append_natural(1, value);
    append_text("tensors", value);
    value += ']'; // EMPTY_LIST
    for (const DeclaredMemory& one : memory) {
      value += '('; // MARK
      append_natural(one.device, value);
      append_natural(one.address, value);
      append_natural(one.bytes, value);
      append_text(one.kind, value);
      append_text(one.name, value);
      value += "ta"; // TUPLE, APPEND
    }
    value += 'u'; // SETITEMS
  });
}

} // namespace memviz::capture
