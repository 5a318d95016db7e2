#include "io/temporary_folder.hpp"

#include "io/own_folder.hpp"

#include <system_error>

namespace memviz {

TemporaryFolder::TemporaryFolder() : path_(make_private_temporary_folder("memviz-")) {
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace memviz
