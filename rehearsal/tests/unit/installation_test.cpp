#include "run/installation.hpp"

#include "memviz/error.hpp"
#include "support/files.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

using memviz::Error;
using memviz::test::TemporaryFolder;
using namespace memviz::rehearse;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& file, const std::string& text = "") {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

} // namespace

TEST_CASE("the made-up GPU is found where each kind of installation puts it") {
  unsetenv("MEMVIZ_REHEARSAL_DIR");
  for (const std::string place : {"bin/rehearsal", "lib/memviz/rehearsal", "libexec/memviz/rehearsal"}) {
    CAPTURE(place);
    const TemporaryFolder prefix;
    put(fs::path(prefix / place) / "libmemviz_rehearsal.so");
    CHECK(rehearsal_folder(prefix / "bin/memviz") == fs::path(prefix / place));
  }
  const TemporaryFolder empty;
  CHECK_THROWS_AS(static_cast<void>(rehearsal_folder(empty / "bin/memviz")), Error);
}

TEST_CASE("the names of CUDA's libraries are links where the folder has none") {
  const TemporaryFolder room;
  const fs::path folder = room / "from a wheel";
  put(folder / "libmemviz_rehearsal.so", "library");

  SUBCASE("a folder that has no list is as it is") {
    CHECK(folder_with_names(folder, room / "gpu") == folder);
    CHECK_FALSE(fs::exists(room / "gpu"));
  }
  SUBCASE("a folder that has all names of its list is as it is") {
    put(folder / "names", "libcuda.so.1\n");
    fs::create_symlink("libmemviz_rehearsal.so", folder / "libcuda.so.1");
    CHECK(folder_with_names(folder, room / "gpu") == folder);
  }
  SUBCASE("names that are missing are made elsewhere, all of the one library") {
    put(folder / "names", "libcuda.so.1\nlibcudart.so.12\n");
    const fs::path gpu = folder_with_names(folder, room / "gpu");
    CHECK(gpu == fs::path(room / "gpu"));
    for (const char* const name : {"libcuda.so.1", "libcudart.so.12", "libmemviz_rehearsal.so"})
      CHECK(fs::equivalent(gpu / name, folder / "libmemviz_rehearsal.so"));
  }
}
