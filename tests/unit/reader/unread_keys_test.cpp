#include "memviz/recording.hpp"
#include "support/both_readers.hpp"
#include "support/contains.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

Recording with_key(const std::string& key, PythonValue value) {
  SnapshotBuilder builder;
  return builder.set(key, std::move(value)).read();
}

bool is_warned_of(PythonValue value) {
  const Recording recording = with_key("new_key", std::move(value));
  REQUIRE(recording.unread_keys.size() == 1);
  CHECK(recording.unread_keys[0].may_hold_memory == !recording.warnings.empty());
  return recording.unread_keys[0].may_hold_memory;
}

} // namespace

TEST_CASE("keys that are read are not named") {
  SnapshotBuilder builder;
  builder.host_block(0x1000, 4096, true).host_event("alloc", 0x1000, 4096);
  builder.set("allocator_settings", dict()).set("external_annotations", list());
  builder.set("memviz_rehearsal", dict());
  CHECK(builder.read().unread_keys.empty());
}

TEST_CASE("a key that nothing reads is named") {
  const Recording recording = with_key("world_size", 8);
  REQUIRE(recording.unread_keys.size() == 1);
  CHECK(recording.frames.text(recording.unread_keys[0].name) == "world_size");
  CHECK(recording.warnings.empty());
}

TEST_CASE("a key that could hold memory is warned of") {
  const PythonValue segment = dict({{"address", 1}});
  CHECK(is_warned_of(list({segment})));
  CHECK(is_warned_of(list({list(), list({segment})})));
  CHECK(is_warned_of(dict({{"0", segment}})));
  CHECK(is_warned_of(dict({{"0", list({segment})}})));
  CHECK(!is_warned_of(list()));
  CHECK(!is_warned_of(dict()));
  CHECK(!is_warned_of(list({1, 2, 3})));
  CHECK(!is_warned_of(dict({{"limit", 4096}})));
  CHECK(!is_warned_of("text"));
}

TEST_CASE("many keys that nothing reads are counted") {
  SnapshotBuilder builder;
  for (int i = 0; i < 40; ++i)
    builder.set("key" + std::to_string(i), list({dict({{"address", i}})}));
  const Recording recording = builder.read();
  CHECK(recording.unread_keys.size() == 16);
  CHECK(recording.more_unread_keys == 24);
  CHECK(recording.warnings.size() == 1);
}

TEST_CASE("keys of segments, blocks and events that nothing reads are named") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).block(dict({{"size", 4096}, {"state", "inactive"}, {"owner", 3}})).set("numa_node", 1);
  for (int i = 0; i < 300; ++i)
    builder.event(dict({{"action", "alloc"}, {"addr", 4096 * i}, {"size", 512}, {"stream", 0}, {"replay_id", i}}));
  check_same(builder.pickle());
  const Recording recording = builder.read();
  std::vector<std::string_view> names;
  for (const UnreadKey& key : recording.unread_keys)
    names.push_back(recording.frames.text(key.name));
  CHECK(names == std::vector<std::string_view>{"segments[].numa_node", "segments[].blocks[].owner",
                                               "device_traces[][].replay_id"});
  CHECK_FALSE(one_contains(recording.warnings, "does not read"));
}
