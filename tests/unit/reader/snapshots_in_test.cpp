#include "memviz/recording.hpp"
#include "memviz/several_snapshots.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace memviz {

using test::dict;
using test::list;
using test::MiB;
using test::pickled;
using test::PythonValue;
using test::SnapshotBuilder;
using test::tuple;

namespace {

PythonValue snapshot_of(std::uint64_t bytes) {
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000000, 20 * MiB).active(bytes, bytes).inactive(20 * MiB - bytes);
  return snapshot.python();
}

std::vector<std::string> names_in(const std::string& bytes) {
  try {
    static_cast<void>(read_snapshot(bytes));
  } catch (const SeveralSnapshots& error) {
    return error.names();
  }
  return {};
}

std::uint64_t first_block_bytes(const Recording& recording) {
  return recording.end.blocks.at(0).size_bytes;
}

} // namespace

TEST_CASE("a snapshot is found in the data around it") {
  const PythonValue snapshot = snapshot_of(5 * MiB);
  const std::vector<PythonValue> wrapped{
      dict({{"rank", 3}, {"snapshot", snapshot}}),
      tuple({snapshot, dict({{"note", "x"}})}),
      list({PythonValue(), snapshot}),
      dict({{"a", list({dict({{"b", snapshot}})})}}),
  };
  for (const PythonValue& value : wrapped)
    CHECK(first_block_bytes(read_snapshot(pickled(value))) == 5 * MiB);
}

TEST_CASE("several snapshots have the names that Python gives them") {
  const PythonValue one = snapshot_of(5 * MiB);
  const PythonValue other = snapshot_of(6 * MiB);
  CHECK(names_in(pickled(list({one, PythonValue(), other}))) == std::vector<std::string>{"[0]", "[2]"});
  CHECK(names_in(pickled(dict({{8, one}, {9, other}}))) == std::vector<std::string>{"[8]", "[9]"});
  CHECK(names_in(pickled(dict({{"rank3", dict({{"s", one}})}, {"x", other}}))) ==
        std::vector<std::string>{"['rank3']['s']", "['x']"});
  ReadOptions options;
  options.choose = [](const std::vector<std::string>& names) { return names.size() - 1; };
  CHECK(first_block_bytes(read_snapshot(pickled(dict({{8, one}, {9, other}})), options)) == 6 * MiB);
}

TEST_CASE("a dict inside a snapshot is no second one, and deeper ones are not looked for") {
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000000, 20 * MiB).inactive(20 * MiB);
  snapshot.set("extra", list({snapshot_of(5 * MiB), snapshot_of(6 * MiB)}));
  CHECK(names_in(snapshot.pickle()).empty());
  PythonValue deep = snapshot_of(5 * MiB);
  for (int i = 0; i < 4; ++i)
    deep = list({deep});
  CHECK_THROWS_AS(static_cast<void>(read_snapshot(pickled(deep))), Error);
}

TEST_CASE("each of several snapshots pays for what it holds") {
  const PythonValue shared = snapshot_of(5 * MiB);
  std::vector<std::string> names;
  const auto take = [&](const std::string& name, const Recording&) { names.push_back(name); };
  read_snapshots(pickled(list({shared, shared})), {}, take);
  CHECK(names == std::vector<std::string>{"[0]", "[1]"});
  test::PythonItems many(5000, shared);
  CHECK_THROWS_AS(read_snapshots(pickled(list(many)), {}, take), Error);
  CHECK(names.size() < 200);
}

} // namespace memviz
