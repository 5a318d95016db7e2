#include "support/python_api.hpp"

#include "support/files.hpp"

#include <cstdlib>
#include <doctest/doctest.h>

namespace memviz {

TEST_CASE("_api.py has the options of the program as keywords, with their types and their words") {
  const std::string path = (test::testdata().parent_path() / "python/memviz_torch/_api.py").string();
  const std::string made = test::python_api();
  if (std::getenv("MEMVIZ_BLESS") != nullptr) test::write_bytes(path, made);
  const bool is_equal = test::read_bytes(path) == made; // a check would print both
  CHECK_MESSAGE(is_equal, path, " is not what the options are; MEMVIZ_BLESS=1 writes it anew: read the difference");
}

} // namespace memviz
