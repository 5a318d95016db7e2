#include "run/read_files.hpp"
#include "run/run_cache.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::rehearse;
using namespace memviz::test;
namespace fs = std::filesystem;

namespace {

/// A folder with files whose content is said to be an hour old.
class Files {
public:
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    write_bytes(folder_ / name, text);
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
    return folder_ / name;
  }

  /// Returns what a run that began now depends on by these records.
  [[nodiscard]] ReadFiles read(const std::vector<std::string>& records,
                               std::optional<std::uint64_t> begin_ns = {}) const {
    std::string text = "p/bin/python" + std::string(1, '\0');
    for (const std::string& record : records)
      text += record + '\0';
    write_bytes(folder_ / "records", text);
    // After the files: the clock has steps of some milliseconds.
    const std::uint64_t begin = begin_ns.value_or(file_clock_ns() + 1'000'000'000);
    return read_files(folder_ / "records", begin, {folder_ / "own"});
  }

private:
  TemporaryFolder folder_;
};

std::vector<std::string> kinds_and_names(const ReadFiles& read) {
  std::vector<std::string> texts;
  for (const ReadFile& file : read.files)
    texts.push_back(file.kind + (" " + fs::path(file.path).filename().string()));
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("a run depends on the files that it read, not on those that it wrote before") {
  const Files files;
  const std::string script = files.write("train.py", "1");
  const std::string made = files.write("made", "1");
  const ReadFiles read = files.read({"r" + script, "w" + made, "r" + made, "a" + (files / "gone"),
                                     "r" + (files / "own/x"), "r/proc/self/maps", "f" + (files / ".")});
  CHECK(read.unknown_reason.empty());
  CHECK(kinds_and_names(read) == Texts{"e .", "a gone", "r train.py"});
  CHECK(std::ranges::all_of(read.files, is_as_it_was));
  files.write("gone", "");
  CHECK_FALSE(std::ranges::all_of(read.files, is_as_it_was));
  fs::remove(files / "gone");
  CHECK(std::ranges::all_of(read.files, is_as_it_was));
  const auto written = fs::last_write_time(script);
  files.write("train.py", "2");
  fs::last_write_time(script, written); // as large and, as it says, as old
  CHECK_FALSE(std::ranges::all_of(read.files, is_as_it_was));
}

TEST_CASE("a compiled module stands for its source") {
  const Files files;
  files.write("sizes.py", "1");
  const std::string compiled = files.write("__pycache__/sizes.cpython-311.pyc", "1");
  CHECK(kinds_and_names(files.read({"r" + compiled})) == Texts{"r sizes.py"});
  CHECK(kinds_and_names(files.read({"a" + compiled, "w" + compiled + ".123", "w" + compiled})).empty());
  fs::remove(files / "sizes.py");
  CHECK(kinds_and_names(files.read({"r" + compiled})) == Texts{"r sizes.cpython-311.pyc"});
}

TEST_CASE("of a folder in which Python looks for modules only these count") {
  const Files files;
  files.write("src/a.py", "");
  const ReadFiles modules = files.read({"i" + (files / "src")});
  const ReadFiles names = files.read({"d" + (files / "src")});
  files.write("src/answer.json", "");
  files.write("src/results/1", "");
  CHECK(std::ranges::all_of(modules.files, is_as_it_was));
  CHECK_FALSE(std::ranges::all_of(names.files, is_as_it_was));
  files.write("src/package/__init__.py", "");
  CHECK_FALSE(std::ranges::all_of(modules.files, is_as_it_was));
}

TEST_CASE("what a run depends on is unknown") {
  const Files files;
  const std::string file = files.write("config", "1");
  CHECK(contains(files.read({"r" + file, "n/network"}).unknown_reason, "connects to another machine"));
  CHECK(contains(files.read({"r" + file, "w" + file}).unknown_reason, "config, which it has read"));
  CHECK(files.read({"s" + file, "w" + file}).unknown_reason.empty()); // it looked whether the file is there
  CHECK(contains(files.read({"r" + (files / "gone")}).unknown_reason, "is gone"));
  CHECK(contains(files.read({"r" + file}, 1).unknown_reason, "changed while the program ran"));
  write_bytes(files / "records", "r" + file);
  CHECK(contains(read_files(files / "records", file_clock_ns(), {}).unknown_reason, "not dynamically linked"));
  CHECK(contains(read_files(files / "none", file_clock_ns(), {}).unknown_reason, "not dynamically linked"));
}

TEST_CASE("a run in the cache that is damaged anywhere is no run") {
  const Files files;
  ::setenv("XDG_CACHE_HOME", (files / "cache").c_str(), 1);
  const RunCache cache;
  ::unsetenv("XDG_CACHE_HOME");
  files.write("run/log", "a line\n");
  files.write("run/report.live-7", "another\n");
  files.write("run/shared", "not kept");
  files.write("out/rehearsal-7.pickle", "a snapshot");
  const RunPlaces places{{files / "run"}, files / "out"};
  const ReadFiles read = files.read({"r" + files.write("train.py", "1")});
  cache.keep("question", read.files, {{.exit_code = 3}}, places, {files / "out/rehearsal-7.pickle"});

  const auto found_in = [&](const std::string& place) {
    fs::create_directories(files / (place + "/run"));
    fs::create_directories(files / (place + "/out"));
    return cache.find("question", {{files / (place + "/run")}, files / (place + "/out")});
  };
  const auto found = found_in("again");
  REQUIRE(found);
  CHECK(found->endings.size() == 1);
  CHECK(found->endings.front().exit_code == 3);
  CHECK(read_bytes(files / "again/run/log") == "a line\n");
  CHECK(read_bytes(files / "again/run/report.live-7") == "another\n");
  CHECK_FALSE(fs::exists(files / "again/run/shared"));
  CHECK(read_bytes(files / "again/out/rehearsal-7.pickle") == "a snapshot");
  CHECK(fs::last_write_time(files / "again/run/log") == fs::last_write_time(files / "run/log"));
  CHECK_FALSE(cache.find("another question", places));

  write_bytes(files / "again/out/rehearsal-7.pickle", "of somebody else");
  CHECK_FALSE(found_in("again"));
  const fs::path entry = fs::directory_iterator(files / "cache/memviz/runs")->path();
  const std::string bytes = read_bytes(entry.string());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write_bytes(entry.string(), bytes.substr(0, size));
    CHECK_FALSE(found_in("damaged"));
  }
  int unnoticed = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    write_bytes(entry.string(), changed);
    // The header of gzip, and the end of its data, have bits that mean nothing.
    if (!found_in("damaged")) continue;
    ++unnoticed;
    CHECK(read_bytes(files / "damaged/run/log") == "a line\n");
    CHECK(read_bytes(files / "damaged/out/rehearsal-7.pickle") == "a snapshot");
  }
  CHECK(unnoticed <= 11);
  write_bytes(entry.string(), bytes);
  CHECK(found_in("whole"));
}
