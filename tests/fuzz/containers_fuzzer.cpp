// Any bytes -> the layers that they are packed in, each of the snapshots inside, and those of one pickle.

#include "memviz/contents.hpp"
#include "memviz/error.hpp"
#include "memviz/recording.hpp"
#include "promises.hpp"
#include "require.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

using namespace memviz;

namespace {

void read_all(std::string_view bytes, std::size_t stored_bytes) {
  try {
    read_snapshots(bytes, {}, [](const std::string&, const Recording& recording) {
      fuzz::require(recording.end.blocks.size() <= UINT32_MAX, "blocks that have a number");
    });
  } catch (const Error& error) {
    fuzz::check_error(error, std::max(stored_bytes, bytes.size()));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostTaken = 8;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    Contents contents(input_of(std::string(bytes)), {.max_bytes = std::uint64_t{8} << 20U});
    for (std::size_t i = 0; i < std::min(contents.names().size(), kMostTaken); ++i) {
      const Contents::Snapshot snapshot = contents.take(i);
      fuzz::require(snapshot.layers.size() <= Contents::kMostLayers, "no more layers than are promised");
      read_all(snapshot.input.bytes(), size);
    }
  } catch (const Error& error) {
    fuzz::check_error(error, std::size_t{8} << 20U); // offsets may be those of what was unpacked
  }
  return 0;
}
