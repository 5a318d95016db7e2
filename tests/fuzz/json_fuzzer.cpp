// Any bytes -> the JSON reader and, for a snapshot, everything computed from it.

#include "memviz/error.hpp"
#include "promises.hpp"
#include "snapshot_checks.hpp"
#include "json/json_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace memviz;

namespace {

void check_reader(std::string_view bytes) {
  try {
    fuzz::check_document(json::read(bytes));
  } catch (const ParseError& error) {
    fuzz::check_error(error, bytes.size());
  }
}

void check_snapshot(std::string_view bytes) {
  const auto choice = static_cast<std::uint32_t>(bytes.size());
  try {
    fuzz::check_outputs(fuzz::read_in_every_way(bytes, choice), choice);
  } catch (const Error& error) {
    fuzz::check_error(error, bytes.size());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_reader(bytes);
  check_snapshot(bytes);
  return 0;
}
