#include "io/temporary_folder.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace memviz {

TemporaryFolder::TemporaryFolder() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/memviz-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw Error("no temporary folder (in TMPDIR, else /tmp): " + system_message(errno));
  path_ = std::filesystem::absolute(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace memviz
