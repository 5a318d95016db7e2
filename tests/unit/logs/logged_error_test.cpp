#include "memviz/logged_error.hpp"

#include <doctest/doctest.h>
#include <optional>
#include <string>

using namespace memviz;

TEST_CASE("a message without figures has none of the message after it") {
  const std::string between(300, '-');
  const std::string log = between +
                          "\nValueError: No available memory for the cache blocks. Try increasing "
                          "`gpu_memory_utilization`.\n" +
                          between +
                          "\nValueError: Free memory on device (7.25/14.75 GiB) on startup is less than desired GPU "
                          "memory utilization (0.5, 8 GiB).\n";
  const LoggedErrors found = read_logged_errors(log);
  REQUIRE(found.errors.size() == 2);
  CHECK(found.errors[0].needed_bytes == std::nullopt);
  CHECK(found.errors[0].free_bytes == std::nullopt);
  CHECK(found.errors[0].total_bytes == std::nullopt);
  CHECK(found.errors[1].needed_bytes == std::uint64_t{8} << 30U);
}
