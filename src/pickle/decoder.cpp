#include "pickle/decoder.hpp"

#include "pickle/machine.hpp"

namespace memviz::pickle {

Decoded decode(std::string_view bytes) {
  Machine machine(bytes);
  while (machine.step()) {}
  return std::move(machine).result();
}

} // namespace memviz::pickle
