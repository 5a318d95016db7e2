#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/input.hpp"
#include "support/compress.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <lzma.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace memviz {

using test::bzip2;
using test::gzip;
using test::TemporaryFolder;
using test::xz;
using test::zstd;

namespace {

std::string message_of(const std::string& path, std::size_t max_bytes = 1'000'000) {
  try {
    static_cast<void>(read_input(path, {.max_bytes = max_bytes, .check_head = {}, .on_progress = {}}));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Long enough for several buffers, with little to compress.
std::string many_bytes() {
  std::string bytes;
  std::uint32_t state = 1;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24U);
  }
  return bytes;
}

/// Returns the bytes that this process has in memory of a file that it has mapped once.
std::size_t resident_bytes(const std::string& path) {
  const std::string maps = test::read_bytes("/proc/self/smaps");
  const std::size_t mapping = maps.find(path);
  REQUIRE(mapping != std::string::npos);
  return std::stoull(maps.substr(maps.find("Rss:", mapping) + 4)) * 1024;
}

} // namespace

TEST_CASE("read_input gives the bytes of") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  const std::string bytes = many_bytes();

  SUBCASE("a regular file") {
    test::write_bytes(path, bytes);
    CHECK(read_input(path).bytes() == bytes);
  }
  SUBCASE("an empty file") {
    test::write_bytes(path, "");
    CHECK(read_input(path).bytes().empty());
  }
  SUBCASE("a pipe") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::thread writer([&] { test::write_bytes(path, bytes); });
    const Input input = read_input(path);
    writer.join();
    CHECK(input.bytes() == bytes);
  }
  SUBCASE("a file under /proc, whose size reads as 0") {
    CHECK(!read_input("/proc/self/status").bytes().empty());
  }
  SUBCASE("gzip, whatever its name") {
    test::write_bytes(path, gzip(bytes));
    CHECK(read_input(path).bytes() == bytes);
  }
  SUBCASE("several gzip members, padded with zeros") {
    test::write_bytes(path, gzip(bytes) + gzip("") + gzip("tail") + std::string(512, '\0'));
    CHECK(read_input(path).bytes() == bytes + "tail");
  }
  SUBCASE("zstd") {
    test::write_bytes(path, zstd(bytes));
    CHECK(read_input(path).bytes() == bytes);
  }
  SUBCASE("several zstd frames") {
    test::write_bytes(path, zstd(bytes) + zstd("") + zstd("tail"));
    CHECK(read_input(path).bytes() == bytes + "tail");
  }
  SUBCASE("xz, and several of its streams") {
    test::write_bytes(path, xz(bytes));
    CHECK(read_input(path).bytes() == bytes);
    test::write_bytes(path, xz(bytes) + xz("") + xz("tail"));
    CHECK(read_input(path).bytes() == bytes + "tail");
  }
  SUBCASE("bzip2, and several of its streams") {
    test::write_bytes(path, bzip2(bytes));
    CHECK(read_input(path).bytes() == bytes);
    test::write_bytes(path, bzip2(bytes) + bzip2("") + bzip2("tail"));
    CHECK(read_input(path).bytes() == bytes + "tail");
  }
  SUBCASE("compressed sizes that fill a buffer exactly") {
    const std::string exact(1U << 16U, 'x');
    test::write_bytes(path, gzip(exact));
    CHECK(read_input(path).bytes() == exact);
    for (const std::string& packed : {zstd(exact), xz(exact), bzip2(exact)}) {
      test::write_bytes(path, packed);
      CHECK(read_input(path).bytes() == exact);
    }
  }
}

TEST_CASE("Input keeps its bytes when it is moved and its file is gone") {
  const TemporaryFolder folder;
  test::write_bytes(folder / "input", "abc");
  Input input = read_input(folder / "input");
  ::unlink((folder / "input").c_str());
  const Input moved = std::move(input);
  CHECK(moved.bytes() == "abc");
}

TEST_CASE("read_input shows the beginning before it reads the rest") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  constexpr std::size_t kHeadBytes = std::size_t{1} << 16U;
  const std::string bytes = many_bytes();
  std::vector<std::string> heads;
  const InputOptions options{.max_bytes = 1'000'000,
                             .check_head = [&](std::string_view head) { heads.emplace_back(head); },
                             .on_progress = {}};

  SUBCASE("of what is compressed, or comes through a pipe, once") {
    for (const std::string& compressed : {gzip(bytes), zstd(bytes), xz(bytes), bzip2(bytes)}) {
      test::write_bytes(path, compressed);
      CHECK(read_input(path, options).bytes() == bytes);
    }
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    std::thread writer([&] { test::write_bytes(folder / "pipe", bytes); });
    CHECK(read_input(folder / "pipe", options).bytes() == bytes);
    writer.join();
    CHECK(heads == std::vector<std::string>(5, bytes.substr(0, kHeadBytes)));
  }
  SUBCASE("but not of a mapped file, nor of one that is no longer than that") {
    test::write_bytes(path, bytes);
    static_cast<void>(read_input(path, options));
    test::write_bytes(path, gzip(bytes.substr(0, kHeadBytes)));
    CHECK(read_input(path, options).bytes().size() == kHeadBytes);
    CHECK(heads.empty());
  }
  SUBCASE("and stops where it is asked to") {
    test::write_bytes(path, zstd(std::string(900'000, '\0')));
    std::size_t seen_bytes = 0;
    const InputOptions refusing{.max_bytes = 1'000'000,
                                .check_head =
                                    [&](std::string_view head) {
                                      seen_bytes = head.size();
                                      throw Error("refused");
                                    },
                                .on_progress = {}};
    CHECK_THROWS_WITH_AS(static_cast<void>(read_input(path, refusing)), "refused", Error);
    CHECK(seen_bytes == kHeadBytes);
  }
}

TEST_CASE("read_input says how far it is") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  const std::string bytes = many_bytes() + many_bytes();
  std::vector<std::uint64_t> done;
  std::uint64_t total_bytes = 0;
  const InputOptions options{
      .max_bytes = 1'000'000, .check_head = {}, .on_progress = [&](std::uint64_t now, std::uint64_t all) {
        done.push_back(now);
        total_bytes = all;
      }};
  const auto check_done = [&](std::uint64_t all) {
    REQUIRE(!done.empty());
    CHECK(std::is_sorted(done.begin(), done.end()));
    CHECK(done.back() == all);
  };
  SUBCASE("in compressed bytes") {
    const std::string compressed = zstd(bytes);
    test::write_bytes(path, compressed);
    static_cast<void>(read_input(path, options));
    check_done(compressed.size());
    CHECK(total_bytes == compressed.size());
  }
  SUBCASE("of a pipe, whose end no one knows") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::thread writer([&] { test::write_bytes(path, bytes); });
    static_cast<void>(read_input(path, options));
    writer.join();
    check_done(bytes.size());
    CHECK(total_bytes == 0);
  }
}

TEST_CASE("a mapped file gives its memory back and keeps its bytes") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  constexpr std::size_t kBytes = std::size_t{32} << 20U;
  std::string bytes(kBytes, 'x');
  for (std::size_t i = 0; i < kBytes; i += 1000)
    bytes[i] = static_cast<char>(i / 1000);
  test::write_bytes(path, bytes);
  Input input = read_input(path);
  REQUIRE(input.bytes() == bytes);
  CHECK(resident_bytes(path) == kBytes);
  input.release_before(kBytes / 2 + 1);
  CHECK(resident_bytes(path) == kBytes / 2);
  input.release_before(kBytes * 2); // beyond the end
  CHECK(resident_bytes(path) == 0);
  CHECK(input.bytes() == bytes); // brings them back
  input.release_before(kBytes / 4);
  CHECK(resident_bytes(path) == kBytes - kBytes / 4);
  CHECK(input.bytes() == bytes);
}

TEST_CASE("bytes in memory stay where they are") {
  const TemporaryFolder folder;
  const std::string bytes = many_bytes();
  test::write_bytes(folder / "input", gzip(bytes));
  Input input = read_input(folder / "input");
  input.release_before(bytes.size());
  CHECK(input.bytes() == bytes);
  CHECK(!input.has_changed());
}

TEST_CASE("bytes in memory are unpacked as those of files are") {
  const std::string bytes = many_bytes();
  for (const std::string& stored : {bytes, gzip(bytes), zstd(bytes), xz(bytes), bzip2(bytes)})
    CHECK(unpacked(input_of(stored)).bytes() == bytes);
  CHECK(unpacked(input_of("")).bytes().empty());
  const std::string cut = gzip(bytes).substr(0, 1000);
  CHECK_THROWS_WITH_AS(static_cast<void>(unpacked(input_of(cut))),
                       "the gzip data ends before it is complete: is the file cut short?", Error);
  CHECK_THROWS_AS(static_cast<void>(unpacked(input_of(zstd(bytes)), {.max_bytes = bytes.size() - 1})), Error);
  std::string zeros;
  zeros.resize(80'000'000);
  CHECK_THROWS_AS(static_cast<void>(unpacked(input_of(zstd(zeros)))), Error);
}

TEST_CASE("a mapped file knows that somebody wrote to it") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  test::write_bytes(path, "abc");
  const Input input = read_input(path);
  CHECK(!input.has_changed());
  SUBCASE("more of it") {
    test::write_bytes(path, "abcdef");
  }
  SUBCASE("something else of the same length, later") {
    const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  }
  CHECK(input.has_changed());
}

TEST_CASE("read_input says what is wrong with") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  const std::string bytes = many_bytes();

  SUBCASE("a missing file") {
    CHECK(message_of(path) == "no such file");
  }
  SUBCASE("a directory") {
    CHECK(message_of(folder / "") == "is a directory, not a snapshot");
  }
  SUBCASE("a file that may not be read") {
    test::write_bytes(path, "abc");
    ::chmod(path.c_str(), 0);
    if (::geteuid() != 0) CHECK(message_of(path) == "cannot be opened: permission denied");
  }
  SUBCASE("a path through a file") {
    test::write_bytes(path, "abc");
    CHECK(message_of(path + "/x") == "cannot be opened: not a directory");
  }
  SUBCASE("gzip that is cut short, at every byte") {
    const std::string whole = gzip("some text to compress");
    for (std::size_t length = 2; length < whole.size(); ++length) {
      test::write_bytes(path, whole.substr(0, length));
      CHECK(message_of(path) == "the gzip data ends before it is complete: is the file cut short?");
    }
  }
  SUBCASE("zstd that is cut short, at every byte") {
    const std::string whole = zstd("some text to compress");
    for (std::size_t length = 4; length < whole.size(); ++length) {
      test::write_bytes(path, whole.substr(0, length));
      CHECK(message_of(path) == "the zstd data ends before it is complete: is the file cut short?");
    }
  }
  SUBCASE("xz and bzip2 that are cut short, at every byte") {
    const std::string whole = xz("some text to compress");
    for (std::size_t length = 6; length < whole.size(); ++length) {
      test::write_bytes(path, whole.substr(0, length));
      CHECK(message_of(path) == "the xz data ends before it is complete: is the file cut short?");
    }
    const std::string other = bzip2("some text to compress");
    for (std::size_t length = 4; length < other.size(); ++length) {
      test::write_bytes(path, other.substr(0, length));
      CHECK(message_of(path) == "the bzip2 data ends before it is complete: is the file cut short?");
    }
  }
  SUBCASE("xz and bzip2 that are damaged") {
    for (std::string damaged : {xz(bytes), bzip2(bytes)}) {
      damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
      test::write_bytes(path, damaged);
      CHECK(message_of(path).find("data is damaged at compressed byte ") != std::string::npos);
    }
  }
  SUBCASE("bytes after xz and bzip2 data") {
    test::write_bytes(path, xz("abc") + "junk of some length");
    CHECK(message_of(path).starts_with("the xz data is damaged at compressed byte "));
    const std::string whole = bzip2("abc");
    test::write_bytes(path, whole + "junk");
    CHECK(message_of(path) ==
          "bytes that are not bzip2 follow the bzip2 data, at compressed byte " + std::to_string(whole.size()));
  }
  SUBCASE("xz that wants a larger dictionary than xz -9 writes") {
    // As `xz --lzma2=dict=1GiB` writes it: dictionary and checksum of the block's header.
    std::string wide = xz("abc");
    const std::string header{"\x02\x00\x21\x01\x24\x00\x00\x00", 8};
    const std::uint32_t checksum = lzma_crc32(reinterpret_cast<const std::uint8_t*>(header.data()), header.size(), 0);
    wide.replace(12, header.size(), header);
    for (std::size_t i = 0; i < 4; ++i)
      wide[20 + i] = static_cast<char>(checksum >> (8 * i) & 0xFFU);
    test::write_bytes(path, wide);
    CHECK(message_of(path) ==
          "the xz data needs 1.00 GiB to be decompressed, more than xz -9 writes: if that is meant, "
          "decompress it first (xz -d)");
  }
  SUBCASE("gzip that is damaged") {
    std::string damaged = gzip(bytes);
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    test::write_bytes(path, damaged);
    CHECK(message_of(path).starts_with("the gzip data is damaged at compressed byte "));
  }
  SUBCASE("zstd that is damaged") {
    std::string damaged = zstd(bytes);
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    test::write_bytes(path, damaged);
    CHECK(message_of(path).starts_with("the zstd data is damaged at compressed byte "));
  }
  SUBCASE("bytes after the gzip data") {
    const std::string whole = gzip("abc");
    test::write_bytes(path, whole + "junk");
    CHECK(message_of(path) ==
          "bytes that are not gzip follow the gzip data, at compressed byte " + std::to_string(whole.size()));
  }
  SUBCASE("what grows over a thousand times its size") {
    std::string zeros;
    zeros.resize(80'000'000); // more than 64 MiB
    test::write_bytes(path, zstd(zeros));
    const std::uint64_t allowed = 64 * 1024 * 1024 + 1000 * std::filesystem::file_size(path);
    CHECK(message_of(path, 100'000'000) == "holds more than " + format_bytes(allowed) +
                                               ", over 1000 times its compressed size: if that is meant, decompress it "
                                               "first (zcat, zstdcat, xzcat, bzcat)");
    test::write_bytes(path, zstd(zeros.substr(0, 60'000'000)));
    CHECK(message_of(path, 100'000'000) == "no error");
  }
  SUBCASE("more bytes than the limit") {
    const std::string zeros(100'001, '\0');
    for (const std::string& compressed : {gzip(zeros), zstd(zeros), xz(zeros), bzip2(zeros)}) {
      test::write_bytes(path, compressed);
      CHECK(message_of(path, 100'000) == "holds more than 97.7 KiB, the most that is read");
      CHECK(message_of(path, 100'001) == "no error");
    }
  }
}

} // namespace memviz
