// Any bytes -> the reader in all its ways, replay, trees, the picture (read back as XML), texts and JSON (read back).

#include "memviz/error.hpp"
#include "promises.hpp"
#include "snapshot_checks.hpp"

#include <cstdint>
#include <numeric>
#include <string_view>

using namespace memviz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The options follow from the content: the same input does the same in every run.
  const std::uint32_t choice = std::accumulate(data, data + size, std::uint32_t{0});
  try {
    fuzz::check_outputs(fuzz::read_in_every_way(bytes, choice), choice);
  } catch (const Error& error) {
    fuzz::check_error(error, size);
  }
  return 0;
}
