#include "memviz/error.hpp"
#include "memviz/read_by.hpp"
#include "memviz/recording.hpp"
#include "support/both_readers.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/opcodes.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

// The files that the fast reader leaves to the plain one, with the reason; and files that it must read itself.

using namespace memviz;
using namespace memviz::test;
using namespace std::string_literals;

namespace {

const std::string kEndBytes(100, '\0'); // the fast reader leaves the last bytes of a file to the machine

/// The parts of the events of a file, as numbers of the memo.
struct Keys {
  Opcodes::Number action, alloc, address, size, frames, frame_list;
};

/// Without the value of its size, which is the last key.
void begin_event(Opcodes& pickle, const Keys& keys) {
  pickle.raw("(").get(keys.action).get(keys.alloc).get(keys.address).integer(0x1000).get(keys.frames);
  pickle.get(keys.frame_list).get(keys.size);
}

Opcodes::Number event(Opcodes& pickle, const Keys& keys) {
  const Opcodes::Number number = pickle.dict();
  begin_event(pickle, keys);
  pickle.integer(512).raw("u");
  return number;
}

/// The facts about a file for functions that change it.
struct File {
  Opcodes& pickle;
  Keys keys;
  Opcodes::Number traces, events, last_event;
};

Opcodes begun() {
  Opcodes pickle;
  pickle.dict();
  pickle.raw("(");
  pickle.text("segments");
  pickle.list();
  return pickle;
}

Keys keys_of(Opcodes& pickle) {
  const Keys keys{pickle.text("action"), pickle.text("alloc"),  pickle.text("addr"),
                  pickle.text("size"),   pickle.text("frames"), pickle.list()};
  pickle.raw("000000"); // only the memo was to have them
  return keys;
}

/// {'segments': [], 'device_traces': [[EVENTS...` up to where `meddle` writes, then `]]}`.
template <class Meddle> std::string with_meddling(Meddle meddle) {
  Opcodes pickle = begun();
  const Keys keys = keys_of(pickle);
  pickle.text("device_traces");
  const Opcodes::Number traces = pickle.list();
  const Opcodes::Number events = pickle.list();
  pickle.raw("(");
  Opcodes::Number last = 0;
  for (int i = 0; i < 20; ++i)
    last = event(pickle, keys);
  pickle.raw("e");
  meddle(File{pickle, keys, traces, events, last});
  pickle.raw("au.");
  return pickle.bytes() + kEndBytes;
}

/// The reader that read `bytes`, which must be the plain one, and who gave up within the file.
PlainReason reason_of(const std::string& bytes) {
  const ReadBy read_by = check_same(bytes);
  REQUIRE(read_by.plain_reason);
  REQUIRE(read_by.offset);
  CHECK(*read_by.offset <= bytes.size());
  return *read_by.plain_reason;
}

/// One more event, which has a list of texts that the memo knows as well. Returns the number of the list.
Opcodes::Number add_event_with_list(const File& file) {
  Opcodes& pickle = file.pickle;
  const Opcodes::Number key = pickle.text("forward_frames");
  pickle.raw("0(}");
  begin_event(pickle, file.keys);
  pickle.integer(1).get(key);
  const Opcodes::Number lines = pickle.list();
  pickle.raw("(").get(file.keys.alloc).get(file.keys.size).raw("eue");
  return lines;
}

template <class Meddle> PlainReason reason_with(Meddle meddle) {
  return reason_of(with_meddling(meddle));
}

/// Throws `thing` at the first events.
template <class Thing> class FailingSink final : public EventSink {
public:
  explicit FailingSink(Thing thing) : thing_(std::move(thing)) {}
  void take(DeviceId /*device*/, std::span<const Event> /*events*/) override {
    ++takes;
    throw thing_;
  }
  void restart() override { ++restarts; }

  int takes = 0;
  int restarts = 0;

private:
  Thing thing_;
};

template <class Thing> void check_passed_on(Thing thing) {
  const std::string bytes = with_meddling([](const File&) {});
  for (const bool stream : {true, false}) {
    CAPTURE(stream);
    FailingSink sink(thing);
    ReadOptions options;
    options.sink = &sink;
    options.stream = stream;
    CHECK_THROWS_AS(static_cast<void>(read_snapshot(bytes, options)), Thing);
    CHECK(sink.takes == 1);
    CHECK(sink.restarts == 0);
  }
}

/// Throws what a reader could throw as well.
class FailingRewriter final : public TextRewriter {
public:
  [[nodiscard]] FrameText frame(std::string_view /*name*/, std::string_view /*filename*/) override {
    throw ParseError(7, "no frames are wanted");
  }
  [[nodiscard]] std::string text(TextKind /*kind*/, std::string_view /*text*/) override {
    throw ParseError(7, "no texts are wanted");
  }
};

} // namespace

TEST_CASE("a file that no one meddled with is read by the fast reader") {
  CHECK_FALSE(check_same(with_meddling([](const File&) {})).plain_reason);
}

TEST_CASE("what was handed over and is used again makes the reader start anew") {
  SUBCASE("an event fetched from the memo") {
    const std::string before = with_meddling([](const File&) {});
    const ReadBy read_by =
        check_same(with_meddling([](const File& file) { file.pickle.get(file.last_event).raw("0"); }));
    CHECK(read_by.plain_reason == PlainReason::used_again);
    CHECK(read_by.offset == before.size() - kEndBytes.size() - 3); // instead of what ends the file
  }
  SUBCASE("an event in the list a second time") {
    CHECK(reason_with([](const File& file) { file.pickle.get(file.last_event).raw("a"); }) == PlainReason::used_again);
  }
  SUBCASE("an event that is changed later") {
    CHECK(reason_with([](const File& file) {
            file.pickle.get(file.last_event);
            file.pickle.text("size");
            file.pickle.integer(7).raw("s0");
          }) == PlainReason::used_again);
  }
  SUBCASE("the list of events as that of a second device") {
    CHECK(reason_with([](const File& file) {
            file.pickle.raw("a").get(file.traces).get(file.events).raw("a0").get(file.events);
          }) == PlainReason::used_again);
  }
  SUBCASE("the list of events under another key") {
    CHECK(reason_with([](const File& file) {
            file.pickle.raw("a");
            file.pickle.text("external_annotations");
            file.pickle.get(file.events).get(file.events);
          }) == PlainReason::used_again);
  }
  SUBCASE("a list in an event as a setting") {
    CHECK(reason_with([](const File& file) {
            Opcodes& pickle = file.pickle;
            const Opcodes::Number lines = add_event_with_list(file);
            pickle.raw("a");
            pickle.text("allocator_settings");
            pickle.raw("}(");
            pickle.text("name");
            pickle.get(lines).raw("u");
            pickle.text("other");
            pickle.raw("]]");
          }) == PlainReason::used_again);
  }
}

TEST_CASE("a container that changes after an event had referred to it makes the reader start anew") {
  SUBCASE("a list of frames that gets one more") {
    CHECK(reason_with([](const File& file) {
            file.pickle.get(file.keys.frame_list);
            file.pickle.raw("}a0");
          }) == PlainReason::content_changed);
  }
  SUBCASE("a list that an event wrote in place") {
    CHECK(reason_with([](const File& file) {
            const Opcodes::Number lines = add_event_with_list(file);
            file.pickle.get(lines).get(file.keys.size).raw("a0");
          }) == PlainReason::content_changed);
  }
}

TEST_CASE("a number of the memo that gets another value makes the reader start anew") {
  CHECK(reason_with([](const File& file) {
          file.pickle.get(file.keys.size);
          file.pickle.raw("q\x00"s + "0");
        }) == PlainReason::memo_replaced);
}

TEST_CASE("events that do not number the memo one by one make the reader start anew") {
  CHECK(reason_with([](const File& file) {
          file.pickle.raw("(");
          for (char number = 120; number > 110; --number) {
            file.pickle.raw("}q"s + number);
            begin_event(file.pickle, file.keys);
            file.pickle.integer(8).raw("u");
          }
          file.pickle.raw("e");
        }) == PlainReason::memo_numbers);
}

TEST_CASE("events that turn out not to be those of the snapshot make the reader start anew") {
  SUBCASE("because another list takes the place of theirs") {
    CHECK(reason_with([](const File& file) {
            file.pickle.raw("a");
            file.pickle.text("device_traces");
            file.pickle.list();
            file.pickle.list();
          }) == PlainReason::other_traces);
  }
  SUBCASE("because they are not part of the snapshot") {
    std::string bytes = with_meddling([](const File&) {});
    bytes.insert(bytes.rfind('.'), "]");
    CHECK(reason_of(bytes) == PlainReason::other_traces);
  }
  SUBCASE("because a second device has the same") {
    Opcodes pickle = begun();
    const Keys keys = keys_of(pickle);
    pickle.text("device_traces");
    pickle.list();
    pickle.raw("(");
    pickle.list();
    pickle.raw("(");
    for (int i = 0; i < 5; ++i)
      event(pickle, keys);
    pickle.raw("e2eu.");
    CHECK(reason_of(pickle.bytes() + kEndBytes) == PlainReason::other_traces);
  }
}

TEST_CASE("a value of another kind than is expected is for the plain reader to take, or to name") {
  SUBCASE("a size that is a text") {
    CHECK(reason_with([](const File& file) {
            file.pickle.raw("(}");
            begin_event(file.pickle, file.keys);
            file.pickle.get(file.keys.alloc).raw("ue");
          }) == PlainReason::unexpected_value);
  }
  SUBCASE("a text in the list of events") {
    CHECK(reason_with([](const File& file) { file.pickle.raw("(").get(file.keys.alloc).raw("e"); }) ==
          PlainReason::unexpected_value);
  }
  SUBCASE("the list of events within itself") {
    CHECK(reason_with([](const File& file) { file.pickle.raw("2a"); }) == PlainReason::unexpected_value);
  }
  SUBCASE("a snapshot without segments") {
    std::string bytes = with_meddling([](const File&) {});
    bytes.replace(bytes.find("segments"), 8, "SEGMENTS");
    CHECK(reason_of(bytes) == PlainReason::unexpected_value);
  }
}

TEST_CASE("what is wrong with a damaged file is said by the plain reader") {
  const std::string whole = with_meddling([](const File&) {});
  SUBCASE("one that is cut off") {
    const ReadBy read_by = check_same(std::string_view(whole).substr(0, 300));
    CHECK(read_by.plain_reason == PlainReason::damaged);
    CHECK(read_by.offset <= 300);
  }
  SUBCASE("an event that fetches what no one put into the memo") {
    CHECK(reason_with([](const File& file) {
            file.pickle.raw("(}");
            begin_event(file.pickle, file.keys);
            file.pickle.get(7777).raw("ue");
          }) == PlainReason::damaged);
  }
  SUBCASE("a dict's items for the list of events") {
    CHECK(reason_with([](const File& file) { file.pickle.raw("(").get(file.keys.alloc).raw("}u"); }) ==
          PlainReason::damaged);
  }
  SUBCASE("a list that was handed over for a key") {
    CHECK(reason_with([](const File& file) {
            const Opcodes::Number lines = add_event_with_list(file);
            file.pickle.raw("}").get(lines).raw("Ns0");
          }) == PlainReason::damaged);
  }
}

TEST_CASE("the plain reader reads what is not a pickle, and what it is asked to read") {
  const Reading json = reading_of(R"({"segments": []})", {.on_progress = {}});
  REQUIRE(json.read_by);
  CHECK(json.read_by->plain_reason == PlainReason::not_a_pickle);
  const Reading plain = reading_of(with_meddling([](const File&) {}), {.stream = false, .on_progress = {}});
  REQUIRE(plain.read_by);
  CHECK(plain.read_by->plain_reason == PlainReason::not_wanted);
  CHECK_FALSE(reading_of("no pickle at all", {.on_progress = {}}).read_by);
}

TEST_CASE("what the caller's code throws ends the reading") {
  SUBCASE("an error of a sink") {
    check_passed_on(Error("nobody reads the output"));
  }
  SUBCASE("an error of a sink that looks like one of the reader") {
    FailingSink sink(ParseError(3, "another file"));
    ReadOptions options;
    options.sink = &sink;
    const std::string bytes = with_meddling([](const File&) {});
    CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(bytes, options)), "byte 3: another file", ParseError);
    CHECK(sink.restarts == sink.takes - 1);
  }
  SUBCASE("the end of the memory") {
    check_passed_on(std::bad_alloc());
  }
  SUBCASE("what is not an exception of the library") {
    check_passed_on(42);
  }
  SUBCASE("an error of a rewriter") {
    SnapshotBuilder builder;
    builder.segment(0x1000, 4096).active(1024, 1000, {"train.py:1:step"}).inactive(3072);
    FailingRewriter rewriter;
    ReadOptions options;
    options.rewriter = &rewriter;
    CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(builder.pickle(), options)), "byte 7: no frames are wanted",
                         ParseError);
  }
}

TEST_CASE("check says which reader read a file, and why") {
  const TemporaryFolder folder;
  const auto reader_of = [&](const std::string& file) {
    return nlohmann::json::parse(run({"check", file, "--json", "-", "-q"}).out)["reader"];
  };
  const std::string good = testdata_file("training_step.pickle");
  CHECK(contains(run({"check", good}).out, "\n  read by       the fast reader\n"));
  CHECK(reader_of(good) == nlohmann::json{{"name", "fast"}});

  const std::string odd = folder / "odd.pickle";
  write_bytes(odd, with_meddling([](const File& file) { file.pickle.get(file.last_event).raw("a"); }));
  const nlohmann::json reader = reader_of(odd);
  CHECK(reader["name"] == "plain");
  CHECK(reader["reason"] == "an event, or a list of one, is used again");
  CHECK(contains(run({"check", odd}).out,
                 "\n  read by       the plain reader: an event, or a list of one, is used again, at byte " +
                     std::to_string(reader["offset"].get<int>()) + '\n'));

  CHECK(reader_of(testdata_file("encodings/snapshot.json")) ==
        nlohmann::json{{"name", "plain"}, {"reason", "the file is not a pickle"}});
  write_bytes(odd, "no pickle at all, and no JSON");
  CHECK(reader_of(odd).is_null());
}
