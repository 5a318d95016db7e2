#include "export/schemas.hpp"

#include "support/files.hpp"
#include "verdict/fit_report.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <vector>

namespace memviz {

namespace {

std::vector<DocumentSchema> all_schemas() {
  std::vector<DocumentSchema> all(document_schemas().begin(), document_schemas().end());
  all.push_back({"rehearse", rehearse_schema});
  return all;
}

} // namespace

TEST_CASE("docs/schemas has the schemas of the described documents") {
  const auto folder = test::testdata().parent_path() / "docs/schemas";
  CHECK(test::files_in(folder, ".json").size() == all_schemas().size());
  for (const DocumentSchema& schema : all_schemas()) {
    const auto path = folder / (std::string(schema.name) + ".json");
    if (std::getenv("MEMVIZ_BLESS") != nullptr) test::write_bytes(path.string(), schema.text());
    const bool is_equal = test::read_bytes(path.string()) == schema.text(); // a check would print both
    CHECK_MESSAGE(is_equal, path, " is not what memviz writes; MEMVIZ_BLESS=1 writes it anew: read the difference");
  }
}

} // namespace memviz
