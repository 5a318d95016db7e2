// The checks of the fuzzers, over files: their earlier finds, and all of testdata. usage: check_files FILE...

#include "memviz/contents.hpp"
#include "memviz/error.hpp"
#include "promises.hpp"
#include "snapshot_checks.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <string_view>

using namespace memviz;

namespace {

void check_snapshot(std::string_view bytes) {
  const std::uint32_t choice = std::accumulate(bytes.begin(), bytes.end(), std::uint32_t{0}, [](auto sum, char byte) {
    return sum + static_cast<unsigned char>(byte);
  });
  fuzz::check_outputs(fuzz::read_in_every_way(bytes, choice), choice);
}

void check(const char* file) {
  std::printf("%s\n", file);
  std::fflush(stdout); // before a check ends the program
  try {
    Contents contents{std::string(file)};
    for (std::size_t i = 0; i < contents.names().size(); ++i)
      check_snapshot(contents.take(i).input.bytes());
  } catch (const ParseError&) {
    // Checked where it was caught first.
  } catch (const Error& error) {
    fuzz::check_error(error, 0);
  }
}

} // namespace

int main(int count, char** words) {
  try {
    for (int i = 1; i < count; ++i)
      check(words[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is no Error: %s\n", error.what());
    return 1;
  }
  return count > 1 ? 0 : 1;
}
