#include "pickle/locate.hpp"

#include "pickle/machine.hpp"

namespace memviz::pickle {

std::uint64_t offset_of(std::string_view bytes, Value container) {
  const bool is_dict = container.kind() == Kind::dict;
  if (!is_dict && container.kind() != Kind::list && container.kind() != Kind::tuple) return 0;
  Machine machine(bytes);
  while (machine.step()) {
    const Document& document = machine.document();
    if ((is_dict ? document.dict_count() : document.list_count()) > container.payload()) break;
  }
  return machine.opcode_offset();
}

} // namespace memviz::pickle
