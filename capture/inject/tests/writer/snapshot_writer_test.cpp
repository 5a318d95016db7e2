#include "snapshot_writer.hpp"

#include "sample_snapshot.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace memviz::capture;

namespace {

/// An empty folder that is removed with the test.
class Folder {
public:
  Folder() : path_(fs::temp_directory_path() / ("memviz_writer_test." + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] auto files() const { return std::distance(fs::directory_iterator(path_), fs::directory_iterator()); }

private:
  fs::path path_;
};

std::string written(const SnapshotData& snapshot) {
  std::ostringstream out;
  write_snapshot(snapshot, out);
  return out.str();
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t count_of(std::string_view bytes, std::string_view wanted) {
  std::size_t found = 0;
  for (std::size_t at = bytes.find(wanted); at != std::string_view::npos; at = bytes.find(wanted, at + 1))
    ++found;
  return found;
}

std::string failure(const SnapshotData& snapshot, const fs::path& path) {
  try {
    write_snapshot_file(snapshot, path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "written";
}

/// During its lifetime, files of this process cannot grow beyond some bytes: a full disk.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

} // namespace

TEST_CASE("write_snapshot: texts, frames and stacks are written once") {
  SnapshotData snapshot = sample_snapshot();
  const std::string bytes = written(snapshot);
  for (const char* text :
       {"user_metadata", "is_expandable", "forward(at::Tensor const&)", "/home/user/main.cpp", "step 1"}) {
    INFO(text);
    CHECK(count_of(bytes, text) == 1);
  }
  CHECK(count_of(bytes, "J\x70\x11\x01") == 1); // line 70000, in its frame
  EventData again = snapshot.traces[0].back();
  again.action = "free_completed";
  snapshot.traces[0].push_back(again);
  const auto event_bytes = written(snapshot).size() - bytes.size();
  CHECK(event_bytes < 64);
}

TEST_CASE("write_snapshot: an event that ran out of memory has the free bytes in place of an address") {
  SnapshotData snapshot;
  EventData oom;
  oom.action = "oom";
  snapshot.traces = {{oom}};
  const std::string bytes = written(snapshot);
  CHECK(count_of(bytes, "device_free") == 1);
  CHECK(count_of(bytes, "addr") == 0);
  CHECK(count_of(bytes, "frames") == 0);
}

TEST_CASE("write_snapshot: a stack or frame that is none is an error, not a bad file") {
  SnapshotData snapshot = sample_snapshot();
  snapshot.traces[0][0].stack = 77;
  std::ostringstream out;
  CHECK_THROWS_AS(write_snapshot(snapshot, out), std::out_of_range);
  Folder folder;
  CHECK_THROWS_AS(write_snapshot_file(snapshot, folder / "bad.pickle"), std::out_of_range);
  CHECK(folder.files() == 0);
}

TEST_CASE("write_snapshot_file: writes, replaces, and leaves nothing else") {
  Folder folder;
  const fs::path path = folder / "snapshot.pickle";
  write_snapshot_file({}, path);
  CHECK(content(path) == written({}));
  write_snapshot_file(sample_snapshot(), path);
  CHECK(content(path) == written(sample_snapshot()));
  CHECK(folder.files() == 1);
}

TEST_CASE("write_snapshot_file: a link stays a link") {
  Folder folder;
  fs::create_symlink("snapshot.pickle", folder / "latest.pickle");
  write_snapshot_file(sample_snapshot(), folder / "latest.pickle");
  CHECK(fs::is_symlink(folder / "latest.pickle"));
  CHECK(content(folder / "snapshot.pickle") == written(sample_snapshot()));
}

TEST_CASE("write_snapshot_file: says which file it cannot write, and why") {
  Folder folder;
  CHECK(failure({}, "/dev/full") == "cannot write snapshot /dev/full: No space left on device");
  CHECK(fs::is_character_file("/dev/full"));
  const fs::path nowhere = folder / "nowhere/snapshot.pickle";
  CHECK(failure({}, nowhere) == "cannot write snapshot " + nowhere.string() + ": No such file or directory");
  const fs::path directory = folder / "directory";
  fs::create_directory(directory);
  CHECK(failure({}, directory) == "cannot write snapshot " + directory.string() + ": Is a directory");
  CHECK(folder.files() == 1);
}

TEST_CASE("write_snapshot_file: a full disk leaves the earlier file and no other") {
  Folder folder;
  const fs::path path = folder / "snapshot.pickle";
  write_snapshot_file({}, path);
  SnapshotData big = sample_snapshot();
  for (int i = 0; i < 10'000; ++i)
    big.frames.push_back({"function " + std::to_string(i), "file", i});
  big.stacks.emplace_back();
  for (std::uint32_t i = 0; i < big.frames.size(); ++i)
    big.stacks.back().push_back(i);
  big.segments[0].stack = static_cast<StackIndex>(big.stacks.size() - 1);
  {
    const FullDisk full(100'000);
    CHECK(failure(big, path) == "cannot write snapshot " + path.string() + ": File too large");
  }
  CHECK(content(path) == written({}));
  CHECK(folder.files() == 1);
}
