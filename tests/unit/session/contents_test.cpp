#include "memviz/contents.hpp"

#include "io/tar_file.hpp"
#include "memviz/error.hpp"
#include "memviz/session.hpp"
#include "memviz/several_snapshots.hpp"
#include "session/chosen_snapshot.hpp"
#include "support/compress.hpp"
#include "support/files.hpp"
#include "support/zip_builder.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

using test::zip_archive;

namespace {

std::string error_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string before() {
  return test::read_bytes(test::testdata() / "before.pickle");
}

/// Returns the bytes of the only snapshot in `stored`.
std::string snapshot_in(std::string stored) {
  Contents contents(input_of(std::move(stored)));
  return std::string(contents.take(chosen_snapshot(contents.names(), {})).input.bytes());
}

std::string message_of(const std::string& stored) {
  return error_of([&] { static_cast<void>(snapshot_in(stored)); });
}

std::string octal(std::uint64_t number, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i)
    text += static_cast<char>('0' + (number >> (3 * i) & 7U));
  return text;
}

/// Returns an entry of a tar archive that states `stated_bytes`, padded.
std::string tar_entry(const std::string& name, const std::string& content, std::uint64_t stated_bytes,
                      char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(124, 11, octal(stated_bytes, 11));
  header[156] = type;
  header.replace(257, 5, "ustar");
  header.replace(148, 8, "        ");
  std::uint64_t sum = 0;
  for (const char c : header)
    sum += static_cast<unsigned char>(c);
  header.replace(148, 8, octal(sum, 6) + std::string("\0 ", 2));
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

std::string tar_entry(const std::string& name, const std::string& content) {
  return tar_entry(name, content, content.size());
}

} // namespace

TEST_CASE("each form of a snapshot gives the bytes of the snapshot") {
  const std::string snapshot = before();
  const auto folder = test::testdata() / "containers";
  const std::vector<std::pair<std::string, std::vector<std::string>>> forms{
      {"before.pickle.xz", {"xz"}},      {"before.pickle.bz2", {"bzip2"}},
      {"before.zip", {"zip"}},           {"before.tar.gz", {"gzip", "tar"}},
      {"before.base64.txt", {"base64"}}, {"nested.zip", {"zip", "gzip", "tar", "xz"}},
  };
  for (const auto& form : forms) {
    CAPTURE(form.first);
    Contents contents((folder / form.first).string());
    REQUIRE(contents.names() == std::vector<std::string>{""});
    const Contents::Snapshot found = contents.take(0);
    CHECK(found.input.bytes() == snapshot);
    CHECK(found.layers == form.second);
  }
}

TEST_CASE("a snapshot that is packed or wrapped is the same recording") {
  const auto figures_of = [](const std::filesystem::path& path) {
    const MemoryState state = Session(path.string()).open().state;
    REQUIRE(state.devices.size() == 1);
    CHECK(state.devices[0].figures.balanced());
    return std::pair(state.devices[0].figures.requested_bytes, state.devices[0].figures.events);
  };
  const auto folder = test::testdata() / "containers";
  for (const char* const name : {"before.html", "saved.pt", "saved_by_1.5.pt", "wrapped.pickle", "tuple.pickle"}) {
    CAPTURE(name);
    CHECK(figures_of(folder / name) == figures_of(test::testdata() / "before.pickle"));
  }
}

TEST_CASE("events alone give the segments and blocks that they lead to") {
  const MemoryState whole = Session((test::testdata() / "before.pickle").string()).open().state;
  const MemoryState events = Session((test::testdata() / "containers" / "events_alone.pickle").string()).open().state;
  REQUIRE(events.devices.size() == 1);
  CHECK(events.devices[0].figures.balanced());
  CHECK(events.devices[0].figures.requested_bytes == whole.devices[0].figures.requested_bytes);
  const MemoryMap& computed = events.recording->end;
  const MemoryMap& recorded = whole.recording->end;
  REQUIRE(computed.segments.size() == recorded.segments.size());
  REQUIRE(computed.blocks.size() == recorded.blocks.size());
  for (std::size_t i = 0; i < recorded.blocks.size(); ++i) {
    CHECK(computed.blocks[i].address == recorded.blocks[i].address);
    CHECK(computed.blocks[i].size_bytes == recorded.blocks[i].size_bytes);
    CHECK(computed.blocks[i].state == recorded.blocks[i].state);
  }
}

TEST_CASE("of several snapshots one is chosen by name or by rank") {
  const auto folder = test::testdata() / "containers";
  const auto events_of = [&](const std::string& name, const std::string& rank) {
    SessionOptions options;
    options.rank = rank;
    return Session((folder / name).string(), options).open().state.devices.at(0).figures.events;
  };
  const auto events = [](const std::string& name) {
    return Session((test::testdata() / name).string()).open().state.devices.at(0).figures.events;
  };
  REQUIRE(events("before.pickle") != events("after.pickle"));
  for (const char* const name : {"ranks.zip", "ranks.tar", "by_rank.pickle", "by_name.pickle", "gathered_list.json"}) {
    CAPTURE(name);
    CHECK(events_of(name, "0") == events("before.pickle"));
    CHECK(events_of(name, "1") == events("after.pickle"));
    CHECK_THROWS_AS(static_cast<void>(events_of(name, "2")), UsageError);
    CHECK_THROWS_AS(static_cast<void>(Session((folder / name).string()).open()), SeveralSnapshots);
  }
  CHECK(events_of("ranks.zip", "job/rank1.pickle") == events("after.pickle"));
  CHECK(events_of("gathered_list.pickle", "[2]") == events("after.pickle")); // its second item is None
}

TEST_CASE("the snapshots of a list are read one after another") {
  Session session((test::testdata() / "containers" / "gathered_list.pickle").string());
  std::vector<std::string> names;
  session.read_each([&](const std::string& name, Session& one) {
    names.push_back(name);
    CHECK(one.open().state.devices.at(0).figures.balanced());
  });
  CHECK(names == std::vector<std::string>{"[0]", "[2]"});
}

TEST_CASE("members of a zip archive may be deflated, and only files named like snapshots are looked at") {
  const std::string snapshot = before();
  CHECK(snapshot_in(zip_archive({{.name = "mem.pickle", .content = snapshot, .is_deflated = true}})) == snapshot);
  CHECK(snapshot_in(zip_archive({{.name = "job/", .content = ""},
                                 {.name = "job/notes.txt", .content = "x"},
                                 {.name = "__MACOSX/job/._mem.pickle", .content = "x"},
                                 {.name = "job/mem.pickle.gz", .content = test::gzip(snapshot)}})) == snapshot);
  CHECK(snapshot_in(zip_archive({{.name = "attachment", .content = snapshot}})) == snapshot);
}

TEST_CASE("an archive without a snapshot is named") {
  const auto found = [](const std::vector<test::ZipEntry>& entries) {
    const std::string message = message_of(zip_archive(entries));
    const std::string head = "byte 0: expected a memory snapshot, found ";
    REQUIRE(message.starts_with(head));
    return message.substr(head.size(), message.find(':', head.size()) - head.size());
  };
  CHECK(found({{.name = "m/data.pkl", .content = "x"},
               {.name = "m/version", .content = "3"},
               {.name = "m/data/0", .content = "x"}}) == "a checkpoint (tensors that torch.save wrote)");
  CHECK(found({{.name = "m/data.pkl", .content = "x"}, {.name = "m/code/a.py", .content = "x"}}) ==
        "a TorchScript program, which records no memory");
  CHECK(found({{.name = "serialized_exported_program.json", .content = "{}"}}) ==
        "a program that torch.export.save wrote");
  CHECK(found({{.name = "arr_0.npy", .content = "x"}}) == "arrays of NumPy (.npz)");
  CHECK(found({{.name = "empty/", .content = ""}}) == "an archive without a file");
}

TEST_CASE("damaged and lying archives are refused") {
  const std::string snapshot = before();
  SUBCASE("zip that is cut short, at every byte") {
    const std::string whole = zip_archive({{.name = "mem.pickle", .content = "abc"}});
    for (std::size_t length = 4; length < whole.size(); ++length)
      CHECK(message_of(whole.substr(0, length)).starts_with("the zip archive is damaged, or the file is cut short: "));
  }
  SUBCASE("zip with a wrong checksum, an encrypted or unknown member, a lying size") {
    CHECK(message_of(zip_archive({{.name = "a.pickle", .content = snapshot, .checksum = 1}})) == "a.pickle: CRC error");
    CHECK(message_of(zip_archive({{.name = "a.pickle", .content = snapshot, .flags = 1}})) == "a.pickle is encrypted");
    CHECK(message_of(zip_archive({{.name = "a.pickle", .content = snapshot, .method = 14}})) ==
          "a.pickle is compressed by method 14, expected stored or deflated");
    CHECK(message_of(zip_archive({{.name = "a.pickle", .content = "abc", .is_deflated = true, .stated_bytes = 9}})) !=
          "no error");
  }
  SUBCASE("names with control characters are shown as text") {
    CHECK(message_of(zip_archive({{.name = "a\x1b[2J.pickle", .content = snapshot, .flags = 1}})).find('\x1b') ==
          std::string::npos);
  }
  SUBCASE("tar that is cut short, at every block") {
    const std::string whole = tar_entry("mem.pickle", snapshot);
    for (std::size_t length = 512; length < 512 + snapshot.size(); length += 512)
      CHECK(message_of(whole.substr(0, length)).find("is the file cut short?") != std::string::npos);
  }
  SUBCASE("tar that states more bytes than it has, or junk between entries") {
    CHECK(
        message_of(tar_entry("mem.pickle", "abc", 077777777777)).starts_with("byte 0: expected mem.pickle of the tar"));
    CHECK(message_of(tar_entry("mem.pickle", "abc") + std::string(512, 'x')) ==
          "byte 1024: expected the header of an entry of the tar archive, found something else");
  }
  SUBCASE("base64 that is damaged") {
    std::string text = test::read_bytes(test::testdata() / "containers" / "before.base64.txt");
    text[1000] = '!';
    CHECK(message_of(text) == "byte 1000: expected base64, found byte 0x21");
  }
  SUBCASE("pickles of torch.save that are cut short") {
    const std::string whole = test::read_bytes(test::testdata() / "containers" / "saved_by_1.5.pt");
    CHECK(message_of(whole.substr(0, 40)).find("expected the pickles that torch.save writes") != std::string::npos);
  }
}

TEST_CASE("a tar archive may have long names and links") {
  const std::string snapshot = before();
  const std::string long_name = std::string(200, 'n') + ".pickle";
  CHECK(snapshot_in(tar_entry("link", "", 0, '2') +
                    tar_entry("././@LongLink", long_name + '\0', long_name.size() + 1, 'L') +
                    tar_entry("short", snapshot) + std::string(1024, '\0')) == snapshot);
  const std::string record = "40 path=renamed.pickle\n";
  CHECK(snapshot_in(tar_entry("pax", record, record.size(), 'x') + tar_entry("other", snapshot) +
                    tar_entry("notes.txt", "x")) == snapshot);
  const std::string time = "20 mtime=1764460800\n";
  const std::string with_time = tar_entry("pax", time, time.size(), 'x') + tar_entry("mem.pickle", snapshot);
  REQUIRE(tar_entries(with_time).size() == 1);
  CHECK(tar_entries(with_time)[0].name == "mem.pickle");
}

TEST_CASE("layers are inside each other up to a limit") {
  std::string packed = before();
  for (std::size_t i = 0; i < Contents::kMostLayers; ++i)
    packed = test::gzip(packed);
  CHECK(snapshot_in(packed) == before());
  CHECK(message_of(test::gzip(packed)) == "is packed more than 4 times: unpack it first");
}

TEST_CASE("no number of layers unpacks more than one does") {
  std::string zeros;
  zeros.resize(80'000'000); // more than 64 MiB
  const std::string bomb = test::zstd(test::zstd("\x80\x04" + zeros));
  CHECK(message_of(bomb).find("over 1000 times its compressed size") != std::string::npos);
  CHECK(message_of(zip_archive({{.name = "a.pickle", .content = bomb, .is_deflated = true}}))
            .find("over 1000 times its compressed size") != std::string::npos);
}

TEST_CASE("an error in an archive names the entry") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "job.zip";
  test::write_bytes(path, zip_archive({{.name = "mem.pickle", .content = "\x80\x04K\x01."}}));
  CHECK(error_of([&] {
          static_cast<void>(Session(path).open());
        }).starts_with("'mem.pickle' in the zip archive: byte 0: expected a memory snapshot"));
}

} // namespace memviz
