#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/state_json.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memviz {

using nlohmann::json;
using test::SmallSnapshot;

namespace {

Recording example() {
  SmallSnapshot builder;
  const StackId stack = builder.stack({"/app/train.py:12:step"});
  builder.segment(0xFFFF'FFFF'FFFF'F000, 4096, -1).active(1024, 1000, stack).pending(512, 500, stack).inactive(2560);
  builder.event(Action::alloc, 0xFFFF'FFFF'FFFF'F000, 1000, stack);
  builder.event(Action::alloc, 0xFFFF'FFFF'FFFF'F600, 2000, stack);
  builder.event(Action::free_completed, 0xFFFF'FFFF'FFFF'F600, 2000, stack);
  builder.setting("roundup", "\"quoted\"").warning("made by hand");
  return builder.take();
}

const json& node_of_kind(const json& tree, std::string_view kind) {
  for (const json& node : tree["nodes"])
    if (node["kind"] == kind) return node;
  FAIL("no node of kind " << kind);
  return tree;
}

} // namespace

TEST_CASE("stats_json has the figures under their fixed names") {
  const Recording snapshot = example();
  const json device_state = json::parse(stats_json("mem.pickle", test::end_of(snapshot)));
  CHECK(device_state["file"] == "mem.pickle");
  REQUIRE(device_state["devices"].size() == 1);
  const json& device = device_state["devices"][0];
  const json expected{{"device", 0},
                      {"segments", 1},
                      {"blocks", 3},
                      {"events", 3},
                      {"reserved_bytes", 4096},
                      {"allocated_bytes", 1024},
                      {"pending_free_bytes", 512},
                      {"inactive_bytes", 2560},
                      {"requested_bytes", 1500},
                      {"baseline_bytes", 500},
                      {"unmatched_frees", 0},
                      {"peak_requested_bytes", 3500},
                      {"peak_event", 1},
                      {"end_requested_bytes", 1500},
                      {"balanced", true}};
  for (const auto& item : expected.items()) {
    CAPTURE(item.key());
    CHECK(device[item.key()] == item.value());
  }
  REQUIRE(device_state["warnings"].size() == 2);
  CHECK(device_state["warnings"][0] == "made by hand");
  CHECK(device_state["warnings"][1].get<std::string>().find("max_entries of at least 4") != std::string::npos);
  CHECK(device_state["settings"] == json{{{"name", "roundup"}, {"value", "\"quoted\""}}});
}

TEST_CASE("stats_json is valid for a file name that is not UTF-8") {
  const Recording snapshot;
  const json device_state = json::parse(stats_json("bad\xFFname", test::end_of(snapshot)));
  CHECK(device_state["file"] == "bad\xEF\xBF\xBDname");
  CHECK(device_state["devices"].empty());
}

TEST_CASE("tree_json") {
  const Recording snapshot = example();
  TreeOptions options;
  options.levels = {Level::device, Level::pool, Level::stream, Level::segment, Level::state};
  const MemoryState accounts = test::end_of(snapshot);
  const FrameTree tree = build_frame_tree(accounts, options);
  const json parsed = json::parse(tree_json("mem.pickle", snapshot.frames, tree, accounts.devices));

  SUBCASE("names its source and its total") {
    CHECK(parsed["file"] == "mem.pickle");
    CHECK(parsed["tool"]["name"] == "memviz");
    CHECK(parsed["root_bytes"] == 4096);
    CHECK(parsed["nodes"].size() == tree.nodes.size());
  }
  SUBCASE("names the moment of each device") {
    const json expected{{"device", 0}, {"at", {{"kind", "end"}, {"event", 2}, {"time_us", nullptr}}}};
    CHECK(parsed["devices"] == json::array({expected}));
  }
  SUBCASE("puts parents before children, whose totals add up") {
    std::vector<std::uint64_t> sums;
    for (const json& node : parsed["nodes"]) {
      CHECK(node["id"] == sums.size());
      sums.push_back(node["self_bytes"]);
      if (!node.contains("parent")) continue;
      REQUIRE(node["parent"] < node["id"]);
      sums[node["parent"].get<std::size_t>()] += node["total_bytes"].get<std::uint64_t>();
    }
    for (const json& node : parsed["nodes"])
      CHECK(node["total_bytes"] == sums[node["id"].get<std::size_t>()]);
  }
  SUBCASE("gives a frame's parts and an address that no double could hold") {
    const json& frame = node_of_kind(parsed, "frame");
    CHECK(frame["name"] == "step");
    CHECK(frame["file"] == "/app/train.py");
    CHECK(frame["line"] == 12);
    CHECK(node_of_kind(parsed, "segment")["address"] == "18446744073709547520");
    CHECK(node_of_kind(parsed, "stream")["stream"] == "-1");
    CHECK(node_of_kind(parsed, "device")["device"] == 0);
    CHECK(node_of_kind(parsed, "pool")["pool"] == json{0, 0});
    CHECK(!node_of_kind(parsed, "root").contains("parent"));
  }
}

TEST_CASE("segment_lists writes two lists that Python can read") {
  Comparison comparison;
  CHECK(segment_lists(comparison) == "only_before = []\nonly_after = []\n");
  comparison.only_before = {{10, 512, {0}, 0}, {18446744073709547520U, 512, {0}, 0}};
  comparison.only_after = {{7, 512, {0}, 0}};
  CHECK(segment_lists(comparison) == "only_before = [10, 18446744073709547520]\nonly_after = [7]\n");
  SUBCASE("of more than three addresses the first three, unless all are wanted") {
    comparison.only_after = {{7, 512, {0}, 0}, {8, 512, {0}, 0}, {9, 512, {0}, 0}, {11, 512, {0}, 0}};
    CHECK(segment_lists(comparison) ==
          "only_before = [10, 18446744073709547520]\n"
          "only_after = [7, 8, 9, ...]  # 4 segments in all: with --addresses, or in --json FILE\n");
    CHECK(segment_lists(comparison, true) == "only_before = [10, 18446744073709547520]\nonly_after = [7, 8, 9, 11]\n");
  }
  SUBCASE("and says which addresses are in both") {
    comparison.only_after = {{10, 1024, {0}, 0}};
    CHECK(segment_lists(comparison)
              .ends_with("only_after = [10]\n# 1 address is in both lists: its segment has another size.\n"));
  }
}

TEST_CASE("a state is refused whose blocks repeat more text than any real file has") {
  const auto source_of = [](std::uint64_t blocks) {
    SmallSnapshot builder;
    builder.segment(1 << 20, blocks * 512);
    for (std::uint64_t address = 1 << 20; address < (1 << 20) + blocks * 512; address += 512) {
      builder.active(512, 512).event(Action::alloc, address, 512);
      for (std::size_t i = 0; i < BlockBirth::kMostAnnotations; ++i)
        builder.annotate(address, std::string(4000, static_cast<char>('a' + i)));
    }
    const Recording recording = builder.take();
    const MemoryState state = test::with_births(test::end_of(recording));
    return state_json_source({"mem.pickle", state, std::nullopt});
  };
  constexpr std::uint64_t kMostBlocks = (std::uint64_t{64} << 20U) / (4000 * BlockBirth::kMostAnnotations);
  CHECK_NOTHROW(static_cast<void>(source_of(kMostBlocks)));
  CHECK_THROWS_WITH_AS(static_cast<void>(source_of(kMostBlocks + 1)),
                       doctest::Contains("of text, which no real snapshot of this size has"), Error);
}

} // namespace memviz
