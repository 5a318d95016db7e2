#include "memviz/source_lines.hpp"

#include "memviz/error.hpp"
#include "memviz/frames.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <sys/stat.h>

namespace memviz {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLater = std::numeric_limits<std::int64_t>::max();

FrameId frame_in(FrameTable& frames, std::string_view file, std::int64_t line) {
  return frames.add_frame({frames.intern("step"), frames.intern(file), line});
}

void write_in(const test::TemporaryFolder& folder, const std::string& path, std::string_view text) {
  const fs::path file = folder / path;
  fs::create_directories(file.parent_path());
  test::write_bytes(file.string(), text);
}

/// Returns the text of a line of a file, with `folder` as --source.
std::string text_of(const std::string& folder, std::string_view file, std::int64_t line = 1) {
  FrameTable frames;
  const FrameId frame = frame_in(frames, file, line);
  SourceLines sources({folder}, kLater);
  sources.add_to(frames);
  return std::string(frames.source(frame));
}

} // namespace

TEST_CASE("the text of a frame's line is that of its file below the folder") {
  const test::TemporaryFolder folder;
  write_in(folder, "project/train.py", "import torch\n\n    loss = model(x)  \r\nlast");
  const std::string project = folder / "project";
  SUBCASE("at the path that the frame has") {
    CHECK(text_of(project, project + "/train.py", 3) == "loss = model(x)");
    CHECK(text_of(project + "/", project + "/train.py", 4) == "last");
  }
  SUBCASE("at the end of a path of another machine") {
    CHECK(text_of(project, "/home/ana/project/train.py", 1) == "import torch");
    CHECK(text_of(project, "train.py", 1) == "import torch");
    CHECK(text_of(project, "./train.py", 1) == "import torch");
    CHECK(text_of(project, "C:\\work\\train.py", 1) == "import torch");
    CHECK(text_of(folder / "", "/home/ana/project/train.py", 1) == "import torch");
  }
  SUBCASE("nothing for an empty line, lines after the end, and numbers that are none") {
    for (const std::int64_t line : {std::int64_t{2}, std::int64_t{5}, kLater, std::int64_t{0}, std::int64_t{-1},
                                    std::numeric_limits<std::int64_t>::min()})
      CHECK(text_of(project, "train.py", line).empty());
  }
  SUBCASE("and the same when it is asked again, although the file is gone") {
    FrameTable frames;
    const FrameId frame = frame_in(frames, "train.py", 1);
    SourceLines sources({project}, kLater);
    sources.add_to(frames);
    fs::remove(project + "/train.py");
    FrameTable again;
    CHECK(frame_in(again, "train.py", 1) == frame);
    sources.add_to(again);
    CHECK(again.source(frame) == "import torch");
  }
}

TEST_CASE("no file outside of a source folder is read") {
  const test::TemporaryFolder folder;
  write_in(folder, "secret.py", "secret");
  write_in(folder, "project/train.py", "x = 1");
  const std::string project = folder / "project";
  fs::create_symlink(folder / "secret.py", project + "/link.py");
  fs::create_directory_symlink(folder / "", project + "/up");
  CHECK(text_of(project, project + "/../secret.py").empty());
  CHECK(text_of(project, "../secret.py").empty());
  CHECK(text_of(project, "/a/../secret.py").empty());
  CHECK(text_of(project, folder / "secret.py").empty());
  CHECK(text_of(project, project + "/link.py").empty());
  CHECK(text_of(project, "link.py").empty());
  CHECK(text_of(project, "up/secret.py").empty());
  CHECK(text_of(project, "/home/up/project/train.py") == "x = 1");
}

TEST_CASE("only regular source files of a bounded size are read") {
  const test::TemporaryFolder folder;
  write_in(folder, ".env", "PASSWORD=1");
  write_in(folder, "notes.txt", "text");
  write_in(folder, "large.py", "x\n" + std::string(std::size_t{4} << 20U, '#'));
  write_in(folder, "kernel.cu", "launch()");
  write_in(folder, "bytes.py", std::string("key\0\1", 5));
  REQUIRE(::mkfifo((folder / "pipe.py").c_str(), 0600) == 0);
  fs::create_directory(folder / "folder.py");
  const std::string place = folder / "";
  for (const char* const name : {".env", "notes.txt", "large.py", "pipe.py", "folder.py", "missing.py", "bytes.py"})
    CHECK_MESSAGE(text_of(place, name).empty(), name);
  CHECK(text_of(place, "kernel.cu") == "launch()");
}

TEST_CASE("no hidden file of a source folder is read, and none in a hidden folder") {
  const test::TemporaryFolder folder;
  for (const char* const path : {".work/train.py", ".work/.key.py", ".work/.py", ".work/.git/hook.py"})
    write_in(folder, path, "x = 1");
  const std::string place = folder / ".work";
  for (const char* const name : {".key.py", ".py", ".git/hook.py"}) {
    CHECK_MESSAGE(text_of(place, name).empty(), name);
    CHECK_MESSAGE(text_of(place, place + "/" + name).empty(), name);
    CHECK_MESSAGE(text_of(place, std::string("/home/ana/") + name).empty(), name);
  }
  CHECK(text_of(place, place + "/train.py") == "x = 1");
}

TEST_CASE("a line is shown clean and short") {
  const test::TemporaryFolder folder;
  write_in(folder, "a.py", "x = '\x1b[31m\xff'\n" + std::string(5000, 'y') + "\n");
  CHECK(text_of(folder / "", "a.py", 1) == "x = ' [31m\xef\xbf\xbd'");
  CHECK(text_of(folder / "", "a.py", 2).size() == 120);
}

TEST_CASE("a file that changed after the snapshot was written is not shown, and that is said once") {
  const test::TemporaryFolder folder;
  write_in(folder, "train.py", "x = 1");
  FrameTable frames;
  const FrameId frame = frame_in(frames, "/home/ana/train.py", 1);
  const auto remarks = [&](std::optional<std::int64_t> written) {
    SourceLines sources({folder / ""}, written);
    sources.add_to(frames);
    sources.add_to(frames);
    return sources.remarks();
  };
  CHECK(remarks(1) ==
        std::vector<std::string>{"train.py changed after the snapshot was written, so its lines are not shown"});
  CHECK(frames.source(frame).empty());
  CHECK(remarks({}) ==
        std::vector<std::string>{
            "train.py may have changed since, because the snapshot is not a file, so its lines are not shown"});
  CHECK(frames.source(frame).empty());
  CHECK(remarks(kLater).empty());
  CHECK(frames.source(frame) == "x = 1");
}

TEST_CASE("a file that changed after the first event is not shown, however new the snapshot's file is") {
  const test::TemporaryFolder folder;
  write_in(folder, "train.py", "x = 1");
  const std::int64_t changed_us = *written_ns(folder / "train.py") / 1000;
  const auto text = [&](std::optional<std::int64_t> written, std::int64_t first_us, std::size_t remark_count) {
    FrameTable frames;
    const FrameId frame = frame_in(frames, "/home/ana/train.py", 1);
    SourceLines sources({folder / ""}, written);
    sources.add_to(frames, first_us);
    CHECK(sources.remarks().size() == remark_count);
    if (first_us < changed_us && remark_count > 0 && written == kLater)
      CHECK(sources.remarks().front() ==
            "train.py changed after the first event of the snapshot, so its lines are not shown");
    return std::string(frames.source(frame));
  };
  CHECK(text(kLater, changed_us - 1'000'000, 1).empty());
  CHECK(text(kLater, changed_us + 1'000'000, 0) == "x = 1");
  CHECK(text({}, changed_us + 1'000'000, 0) == "x = 1");
  CHECK(text({}, changed_us - 1'000'000, 1).empty());
  CHECK(text(1, changed_us + 1'000'000, 1).empty());
  // Times that do not count from 1970.
  CHECK(text(kLater, 1'000'000, 0) == "x = 1");
  CHECK(text(kLater, kLater, 0) == "x = 1");
}

TEST_CASE("files of a snapshot are those of a folder where their paths begin alike") {
  const test::TemporaryFolder folder;
  write_in(folder, "train.py", "own");
  write_in(folder, "models/gpt.py", "own model");
  FrameTable frames;
  const FrameId own = frame_in(frames, "/home/ana/project/train.py", 1);
  SUBCASE("so that a file of another project with the same name is not shown") {
    const FrameId model = frame_in(frames, "/home/ana/project/models/gpt.py", 1);
    const FrameId other = frame_in(frames, "/opt/tools/train.py", 1);
    SourceLines sources({folder / ""}, kLater);
    sources.add_to(frames);
    CHECK(frames.source(own) == "own");
    CHECK(frames.source(model) == "own model");
    CHECK(frames.source(other).empty());
    CHECK(sources.remarks().empty());
  }
  SUBCASE("and none is shown where two beginnings are as good") {
    const FrameId other = frame_in(frames, "/opt/tools/train.py", 1);
    SourceLines sources({folder / ""}, kLater);
    sources.add_to(frames);
    CHECK(frames.source(own).empty());
    CHECK(frames.source(other).empty());
    REQUIRE(sources.remarks().size() == 1);
    CHECK(sources.remarks().front().ends_with(
        "it is unknown whether its files are those of /home/ana/project/ or of /opt/tools/ in the snapshot, so none of "
        "their lines is shown; name the folder above it"));
  }
  SUBCASE("and a file of a package is not one of the project") {
    FrameTable packages;
    const FrameId package = frame_in(packages, "/usr/lib/python3/site-packages/kit/train.py", 1);
    SourceLines sources({folder / ""}, kLater);
    sources.add_to(packages);
    CHECK(packages.source(package).empty());
    CHECK(sources.remarks() == std::vector<std::string>{"--source: no source file of the snapshot is in the folder"});
  }
}

TEST_CASE("a source folder that is none is bad usage") {
  const test::TemporaryFolder folder;
  write_in(folder, "a.py", "x");
  CHECK_THROWS_WITH_AS(SourceLines({folder / "no"}, 0), ("--source " + (folder / "no") + ": no such folder").c_str(),
                       UsageError);
  CHECK_THROWS_WITH_AS(SourceLines({folder / "a.py"}, 0),
                       ("--source " + (folder / "a.py") + ": is a file; name the folder that it is in").c_str(),
                       UsageError);
}

} // namespace memviz
