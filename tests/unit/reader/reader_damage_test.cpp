#include "memviz/error.hpp"
#include "memviz/recording.hpp"
#include "support/files.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;
using namespace std::string_literals;

namespace {

std::string error_of(const PythonValue& root) {
  try {
    static_cast<void>(read_snapshot(pickled(root)));
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.ends_with(end);
}

} // namespace

TEST_CASE("a file cannot make accounts for more devices than there can be") {
  const PythonValue event = dict({{"action", "alloc"}, {"addr", 4096}, {"size", 512}});
  const PythonValue root = dict({{"segments", list()}, {"device_traces", list(PythonItems(1025, list({event})))}});
  CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(pickled(root))),
                       doctest::Contains("expected traces of at most 1024 devices for device_traces, found 1025"),
                       ParseError);
}

TEST_CASE("a long key of the settings is not spelled out without bound") {
  PythonPairs inner;
  for (int i = 0; i < 1000; ++i)
    inner.emplace_back(std::to_string(i), 1);
  SnapshotBuilder builder;
  builder.set("allocator_settings", dict({{std::string(100'000, 'k'), dict(inner)}}));
  CHECK_THROWS_WITH_AS(static_cast<void>(builder.read()), doctest::Contains("settings of at most 16 MiB of text"),
                       ParseError);
}

TEST_CASE("damaged content that still can be read is warned about") {
  SnapshotBuilder builder;
  SUBCASE("blocks that do not cover their segment") {
    builder.segment(0x1000, 2048).active(512, 512);
    const Recording snapshot = builder.read();
    CHECK(snapshot.end.segments[0].uncovered_bytes == 1536);
    REQUIRE(snapshot.warnings.size() == 1);
    CHECK(snapshot.warnings[0].find("1.50 KiB of 2.00 KiB are unaccounted for") != std::string::npos);
  }
  SUBCASE("segments that overlap, all of which are summed") {
    builder.segment(0x1000, 2048).active(2048, 2048);
    builder.segment(0x1400, 512).active(512, 512);
    builder.segment(0x1700, 256).active(256, 256); // after the second, inside the first
    builder.segment(0x1800, 512).active(512, 512); // begins where the first ends
    builder.segment(0x1000, 512, 1).active(512, 512);
    const Recording snapshot = builder.read();
    CHECK(end_of(snapshot).devices[0].figures.reserved_bytes == 2048 + 512 + 256 + 512);
    REQUIRE(snapshot.warnings.size() == 1);
    CHECK(snapshot.warnings[0] == "2 of 5 segments overlap another of their device, the first at 0x1000 with 2,048 "
                                  "bytes and at 0x1400: all of them are summed (is the file edited?)");
  }
  SUBCASE("a request above the block's size") {
    builder.segment(0x1000, 512).active(512, 4096);
    const Recording snapshot = builder.read();
    CHECK(snapshot.end.blocks[0].requested_bytes == 512);
    CHECK(snapshot.warnings.size() == 1);
  }
  SUBCASE("a state of a name no one knows") {
    builder.segment(0x1000, 512).block(dict({{"size", 512}, {"state", "limbo"}}));
    const Recording snapshot = builder.read();
    CHECK(snapshot.end.blocks[0].state == BlockState::inactive);
    CHECK(snapshot.warnings[0].find("'limbo'") != std::string::npos);
  }
  SUBCASE("bytes after the end, unless they are the NULs that PyTorch pads with") {
    builder.segment(0x1000, 512).active(512, 512);
    CHECK(read_snapshot(builder.pickle() + "\0\0\0"s).warnings.empty());
    CHECK(read_snapshot(builder.pickle() + "junk").warnings.size() == 1);
  }
}

TEST_CASE("errors name the byte, the path, what was expected and what was found") {
  SnapshotBuilder builder;
  auto segment = builder.segment(0x1000, 512);
  SUBCASE("wrong types") {
    segment.block(dict({{"size", "big"}, {"state", "inactive"}}));
    const std::string message = error_of(builder.python());
    CHECK(message.starts_with("byte "));
    CHECK(ends_with(message, "expected a size of 0 or more for segments[0].blocks[0].size, found a str"));
  }
  SUBCASE("the byte is that of the dict that holds the value") {
    segment.block(dict({{"size", -5}, {"state", "inactive"}}));
    const std::string bytes = builder.pickle();
    const std::string message = error_of(builder.python());
    const std::size_t offset = std::stoul(message.substr(5));
    CHECK(bytes[offset] == '}');
    CHECK(ends_with(message, "found -5"));
  }
  SUBCASE("a block where a dict is expected") {
    segment.block(7);
    CHECK(ends_with(error_of(builder.python()), "expected a dict for segments[0].blocks[0], found an int"));
  }
  SUBCASE("missing keys") {
    segment.block(dict({{"size", 512}}));
    CHECK(ends_with(error_of(builder.python()), "expected a str for segments[0].blocks[0].state, found nothing"));
  }
  SUBCASE("blocks larger than their segment") {
    segment.inactive(1024);
    CHECK(ends_with(
        error_of(builder.python()),
        "expected blocks of at most 512 bytes, the segment's total_size, for segments[0].blocks, found more"));
  }
  SUBCASE("sums beyond all memory") {
    segment.set("total_size", std::uint64_t{1} << 62U);
    CHECK(ends_with(error_of(builder.python()),
                    "expected segments of at most 1 EiB together for segments[0].total_size, found more"));
  }
  SUBCASE("an event in a trace") {
    builder.event(dict({{"action", "alloc"}, {"addr", 1}}));
    CHECK(ends_with(error_of(builder.python()),
                    "expected a size of 0 or more for device_traces[0][0].size, found nothing"));
  }
  SUBCASE("something else than a snapshot") {
    CHECK(error_of(list({1, 2})) == "byte 2: expected a dict for segments[0], found an int");
    CHECK(error_of("text").find("found a str") != std::string::npos);
    CHECK(error_of(dict({{"state_dict", dict()}, {"epoch", 3}}))
              .find("found a dict with 2 keys ('state_dict', 'epoch')") != std::string::npos);
  }
}

TEST_CASE("a file of another kind is named") {
  const auto message = [](const std::string& bytes) {
    try {
      static_cast<void>(read_snapshot(bytes));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return "read"s;
  };
  CHECK(message("") == "the file is empty");
  CHECK(message("PK\x03\x04" + std::string(100, 'x')).find("found a zip archive") != std::string::npos);
  CHECK(message("<!DOCTYPE html>").find("found HTML or XML") != std::string::npos);
  CHECK(message("import torch\nprint(1)\n").find("found text: 'import torch'") != std::string::npos);
  CHECK(message("cos\nsystem\n(S'true'\ntR.").find("GLOBAL") != std::string::npos);
  CHECK(message("cAZ_az.09\nAZ_az.09\n(S'true'\ntR.").find("GLOBAL") != std::string::npos);
}

TEST_CASE("a few bytes that refer to much, many times, are refused") {
  SnapshotBuilder builder;
  auto segment = builder.segment(0x1000, 512 * 1000);
  for (int i = 0; i < 1000; ++i)
    segment.active(512, 512);
  PythonItems many(
      200'000,
      std::get<PythonList>(std::get<PythonDict>(builder.python().value).pairs->front().second.value).items->front());
  CHECK(error_of(dict({{"segments", list(many)}})).find("records that the file holds once each") != std::string::npos);
}

TEST_CASE("only the bytes of a file pay for what it refers to again and again") {
  const PythonValue block = dict({{"size", 0}, {"state", "inactive"}});
  const PythonValue segment = dict({{"address", 4096}, {"total_size", 0}, {"blocks", list(PythonItems(1000, block))}});
  const PythonValue event = dict({{"action", "alloc"}, {"addr", 4096}, {"size", 512}});
  const auto with_dicts = [](PythonValue root) {
    // A byte each, and nothing that anybody reads.
    root.set("kept", list(PythonItems(100'000, dict())));
    return root;
  };
  SUBCASE("a list of blocks of many segments") {
    CHECK(error_of(with_dicts(dict({{"segments", list(PythonItems(300, segment))}})))
              .find("records that the file holds once each for segments[") != std::string::npos);
  }
  SUBCASE("a list of events of many devices") {
    const PythonValue trace = list(PythonItems(1000, event));
    CHECK(error_of(with_dicts(dict({{"segments", list()}, {"device_traces", list(PythonItems(300, trace))}})))
              .find("records that the file holds once each for device_traces[") != std::string::npos);
  }
  SUBCASE("an event that DUP adds with each byte") {
    const std::string shared = "}(\x8c\x06"
                               "action\x8c\x05"
                               "alloc\x8c\x04"
                               "addrK\x01\x8c\x04sizeK\x01u"s;
    const std::string file = "\x80\x04}(\x8c\x08segments]\x8c\x0d"
                             "device_traces](](" +
                             shared + std::string(100'000, '2') + "eeu.";
    CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(file)),
                         doctest::Contains("records that the file holds once each for device_traces[0]"), ParseError);
  }
  SUBCASE("the keys of one annotation, of many") {
    PythonPairs keys;
    for (int i = 0; i < 1000; ++i)
      keys.emplace_back("name", "a name");
    const PythonValue annotations = list(PythonItems(1000, dict(keys)));
    CHECK(error_of(with_dicts(dict({{"segments", list()}, {"external_annotations", annotations}})))
              .find("records that the file holds once each for external_annotations[") != std::string::npos);
  }
}

TEST_CASE("a real attack with an event in most bytes is refused") {
  const auto folder = shared_folder();
  if (!folder) return;
  const std::string file = read_bytes(*folder / "probes/findings4/attack/dup_free_480000.pickle");
  CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(file)),
                       doctest::Contains("records that the file holds once each for device_traces[0]"), ParseError);
}

TEST_CASE("as many devices as there can be are read") {
  const PythonValue event = dict({{"action", "alloc"}, {"addr", 4096}, {"size", 512}});
  const PythonValue shared = list({event});
  const auto root = [](PythonItems traces) {
    return dict({{"segments", list()}, {"device_traces", list(std::move(traces))}});
  };
  SUBCASE("they may share one list") {
    CHECK(read_snapshot(pickled(root(PythonItems(1024, shared)))).devices().size() == 1024);
  }
  SUBCASE("each may have its own few events") {
    PythonItems traces;
    for (int i = 0; i < 1024; ++i) {
      PythonItems events;
      for (int k = 0; k < 3; ++k)
        events.push_back(dict({{"action", "alloc"}, {"addr", 4096 + i}, {"size", 512}}));
      traces.push_back(list(std::move(events)));
    }
    CHECK(read_snapshot(pickled(root(std::move(traces)))).devices().size() == 1024);
  }
  SUBCASE("empty lists are no devices") {
    PythonItems traces(1023, list());
    traces.push_back(shared);
    CHECK(read_snapshot(pickled(root(std::move(traces)))).devices() == std::vector{DeviceId{1023}});
  }
}
