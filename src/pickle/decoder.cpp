#include "pickle/decoder.hpp"

#include "pickle/machine.hpp"

#include <utility>

namespace memviz::pickle {

Decoded decode(std::string_view bytes, Progress progress) {
  Machine machine(bytes, std::move(progress));
  while (machine.step()) {}
  const int protocol = machine.protocol();
  const std::uint64_t end_offset = machine.offset();
  return {std::move(machine).take_document(), protocol, end_offset};
}

} // namespace memviz::pickle
