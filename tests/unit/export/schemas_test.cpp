#include "export/schemas.hpp"

#include "support/files.hpp"

#include <cstdlib>
#include <doctest/doctest.h>

namespace memviz {

TEST_CASE("docs/schemas has the schemas of the described documents") {
  const auto folder = test::testdata().parent_path() / "docs/schemas";
  CHECK(test::files_in(folder, ".json").size() == document_schemas().size());
  for (const DocumentSchema& schema : document_schemas()) {
    const auto path = folder / (std::string(schema.name) + ".json");
    if (std::getenv("MEMVIZ_BLESS") != nullptr) test::write_bytes(path.string(), schema.text());
    const bool is_equal = test::read_bytes(path.string()) == schema.text(); // a check would print both
    CHECK_MESSAGE(is_equal, path, " is not what memviz writes; MEMVIZ_BLESS=1 writes it anew: read the difference");
  }
}

} // namespace memviz
