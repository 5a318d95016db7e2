// Any bytes -> the pickle decoder: a sound document, or an error with an offset.

#include "memviz/error.hpp"
#include "pickle/decoder.hpp"
#include "pickle/locate.hpp"
#include "promises.hpp"
#include "require.hpp"

#include <cstdint>
#include <string_view>

using namespace memviz;

namespace {

void check_offsets(std::string_view bytes, const pickle::Decoded& decoded) {
  const Value root = decoded.document.root;
  if (root.kind() != Kind::list && root.kind() != Kind::dict) return;
  fuzz::require(pickle::offset_of(bytes, root) < decoded.end_offset, "a container that begins within the pickle");
}

void check_pickle(std::string_view bytes) {
  const pickle::Decoded decoded = pickle::decode(bytes);
  fuzz::check_document(decoded.document);
  fuzz::require(decoded.end_offset > 0 && decoded.end_offset <= bytes.size(), "an end within the input");
  const auto end = static_cast<std::size_t>(decoded.end_offset);
  fuzz::require(bytes[end - 1] == '.', "a pickle that ends with STOP");
  fuzz::require(decoded.protocol >= 0 && decoded.protocol <= 5, "a protocol that there is");
  // Bytes after the pickle do not change it.
  fuzz::require(pickle::decode(bytes.substr(0, end)).end_offset == end, "the same end without what follows");
  check_offsets(bytes, decoded);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    check_pickle(bytes);
  } catch (const ParseError& error) {
    fuzz::check_error(error, size);
  }
  return 0;
}
