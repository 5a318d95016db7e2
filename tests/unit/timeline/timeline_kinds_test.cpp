#include "memviz/kinds.hpp"
#include "memviz/session.hpp"
#include "memviz/timeline_svg.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"
#include "support/timeline_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace memviz {

using namespace test;

namespace {

/// Allocations of two streams that come and go, some of them older than the recording.
Recording two_streams(std::uint32_t seed) {
  std::mt19937 random(seed);
  SmallSnapshot snapshot;
  snapshot.segment(0x100000, 1 << 20).active(512, 300).active(1024, 900).inactive((1 << 20) - 1536);
  snapshot.segment(0x300000, 1 << 20, 7).active(512, 200).inactive((1 << 20) - 512);
  std::map<std::uint64_t, std::uint64_t> live;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const std::uint64_t address = (random() % 2 == 0 ? 0x100000 : 0x300000) + 512 * (10 + random() % 1000);
    if (random() % 20 == 0) {
      snapshot.event(Action::free_completed, 0x900000 + 512 * i, 64 + random() % 64); // of before the recording
    } else if (const auto found = live.find(address); found != live.end()) {
      snapshot.event(Action::free_completed, address, found->second);
      live.erase(found);
    } else {
      live[address] = 1 + random() % 512;
      snapshot.event(Action::alloc, address, live[address]);
    }
  }
  return snapshot.take();
}

/// Any kind will do: this test is not about finding kinds.
void give_kinds(DeviceRecord& record, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto kinds_for = [&](const std::vector<Life>& lives) {
    std::vector<KindOf> kinds;
    for (std::size_t i = 0; i < lives.size(); ++i)
      kinds.push_back({static_cast<MemoryKind>(random() % kMemoryKinds), KindEvidence::frames});
    return kinds;
  };
  record.kinds = LifeKinds{.lives = kinds_for(record.lives),
                           .freed_baseline = kinds_for(record.freed_baseline),
                           .kept_baseline = kinds_for(record.kept_baseline)};
}

using KindBytes = std::array<std::uint64_t, kMemoryKinds>;

KindBytes alive_at(const DeviceRecord& record, std::uint32_t state) {
  KindBytes bytes{};
  const auto add = [&](const std::vector<Life>& lives, const std::vector<KindOf>& kinds) {
    REQUIRE(lives.size() == kinds.size());
    for (std::size_t i = 0; i < lives.size(); ++i)
      if (lives[i].lives_in(state)) bytes.at(static_cast<std::size_t>(kinds[i].kind)) += lives[i].size_bytes;
  };
  add(record.lives, record.kinds->lives);
  add(record.freed_baseline, record.kinds->freed_baseline);
  add(record.kept_baseline, record.kinds->kept_baseline);
  return bytes;
}

KindBytes drawn_at(const BandChart& chart, const std::vector<Strip>& strips, std::size_t slice) {
  KindBytes bytes{};
  for (const Strip& strip : strips)
    bytes.at(static_cast<std::size_t>(std::get<MemoryKind>(strip.key))) += strip.bytes.at(slice);
  for (const Band& band : chart.bands)
    if (band.first <= slice && slice < band.last)
      bytes.at(static_cast<std::size_t>(band.kind.kind)) += band.life.size_bytes;
  return bytes;
}

/// The timeline of a snapshot of testdata, as the command opens it.
std::string drawn(const std::string& name, TimelineSvgOptions options) {
  Opened opened = open((testdata() / name).string(), {.kinds = true, .timeline = true});
  std::vector<TimelineDevice> devices;
  for (DeviceRecord& record : opened.timeline) {
    const Window window = whole(record);
    devices.push_back({std::move(record), window});
  }
  std::string svg = timeline_svg({.file = name, .state = opened.state, .devices = devices}, options);
  check_svg(svg);
  return svg;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("layers of kinds are those of torch.profiler, from what stays to what is unknown, each once") {
  for (std::size_t i = 0; i < kMemoryKinds; ++i)
    CHECK(kKindLayers.at(kind_layer(static_cast<MemoryKind>(i))) == static_cast<MemoryKind>(i));
  CHECK(kind_layer(MemoryKind::parameter) == 0);
  CHECK(kind_layer(MemoryKind::unknown) == kMemoryKinds - 1);
}

TEST_CASE("by kind, strips and bands of each kind are what lives of it, at every slice") {
  const Recording recording = two_streams(5);
  const MemoryState state = end_of(recording);
  const LifeLines lines(state);
  DeviceRecord record = record_timeline(recording).front();
  give_kinds(record, 6);
  const std::vector<std::int64_t> live = replayed_live(recording, record.device);
  for (const std::size_t bands : {std::size_t{0}, std::size_t{30}, std::size_t{100'000}}) {
    for (const std::size_t slices : {std::size_t{40}, std::size_t{100'000}}) {
      const BandChart chart =
          chart_bands(record, whole(record), {.most_bands = bands, .most_slices = slices, .by_kind = true});
      REQUIRE(chart.is_by_kind);
      check_conserves_bytes(chart, live);
      const std::vector<Strip> strips = chart_strips(lines, record, chart, TimelineKind::allocations, 3);
      check_strips_add_up(strips, chart);
      std::size_t wrong = 0;
      for (std::size_t slice = 0; slice < chart.slices.size(); ++slice)
        if (drawn_at(chart, strips, slice) != alive_at(record, chart.slices[slice].state)) ++wrong;
      CHECK(wrong == 0);
      CHECK(strips.size() <= 2 * kMemoryKinds);
      CHECK(std::ranges::is_sorted(
          chart.bands, {}, [](const Band& band) { return std::pair(kind_layer(band.kind.kind), band.life.begin); }));
    }
  }
}

TEST_CASE("by kind, a band has a strip that takes it where fewer bands are drawn") {
  const Recording recording = two_streams(8);
  const MemoryState state = end_of(recording);
  DeviceRecord record = record_timeline(recording).front();
  give_kinds(record, 9);
  const BandChart chart = chart_bands(record, whole(record), {.most_bands = 100'000, .by_kind = true});
  const std::vector<Strip> strips = chart_strips(LifeLines(state), record, chart, TimelineKind::allocations, 3);
  for (const Band& band : chart.bands)
    CHECK(std::ranges::any_of(
        strips, [&](const Strip& strip) { return !strip.is_baseline && strip.key == NodeKey(band.kind.kind); }));
  CHECK(strips.back().key == NodeKey(MemoryKind::unknown));
}

TEST_CASE("without kinds, or of segments, no chart is by kind") {
  const Recording recording = two_streams(1);
  DeviceRecord record = record_timeline(recording).front();
  CHECK_FALSE(chart_bands(record, whole(record), {.by_kind = true}).is_by_kind);
  give_kinds(record, 2);
  CHECK_FALSE(chart_bands(record, whole(record), {.kind = TimelineKind::segments, .by_kind = true}).is_by_kind);
  CHECK_FALSE(chart_bands(record, whole(record), {}).is_by_kind);
}

TEST_CASE("streams and pools keep the kinds of what lived in them") {
  const Recording recording = two_streams(3);
  DeviceRecord record = record_timeline(recording).front();
  give_kinds(record, 4);
  for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
    const std::vector<DeviceRecord> split = split_by_home(recording.end, record, most);
    CHECK(split.size() <= most);
    for (const std::uint32_t state : {0U, 700U, 1499U}) {
      KindBytes sum{};
      for (const DeviceRecord& part : split) {
        CHECK(std::ranges::is_sorted(part.lives, {}, &Life::begin));
        const KindBytes bytes = alive_at(part, state);
        std::ranges::transform(sum, bytes, sum.begin(), std::plus());
      }
      CHECK(sum == alive_at(record, state));
    }
  }
}

TEST_CASE("the holders of the peak are named with the kinds of what each line held") {
  const Opened opened = open((testdata() / "training_step.pickle").string(), {.kinds = true, .timeline = true});
  const DeviceRecord& record = opened.timeline.front();
  const BandChart chart = chart_bands(record, whole(record), {});
  const LifeLines lines(opened.state);
  std::uint64_t bytes = 0;
  for (const UserLine& holder :
       holders_at(opened.state.frames(), lines, record, TimelineKind::allocations, chart.slices[chart.peak].state)) {
    CHECK(shared_bytes(holder.kinds) == holder.amount.bytes);
    bytes += holder.amount.bytes;
  }
  CHECK(bytes == chart.slices[chart.peak].live_bytes);
}

TEST_CASE("a timeline by kind has a layer and a colour for each kind, and figures at the peak") {
  const std::string svg = drawn("training_step.pickle", {.color = ColorBy::kind});
  const pugi::xml_document document = parse_svg(svg);
  CHECK(document.select_node("//g[@class='chart kinds']"));
  CHECK(document.select_node("//g[@class='bands']/path[starts-with(@class,'kind-activation')]"));
  CHECK_FALSE(document.select_node("//g[@class='bands']/path[starts-with(@class,'hue')]"));
  CHECK(document.select_nodes("//g[@class='layer-grounds']/path").size() ==
        document.select_nodes("//g[@class='layer-lines']/path").size());
  const std::string text = visible_text(document);
  CHECK(has(text, "At the peak: 55.7 % activations, 15.5 % optimizer state"));
  CHECK(has(text,
            "parameter 511 MiB, 7.7 %\noptimizer state 1,023 MiB, 15.5 %\ngradient 0 B\nactivation 3.59 GiB, 55.7 %"));
  CHECK(has(text, "colour = kind of memory"));
  CHECK(has(svg, "kind: activation, by behaviour"));
}

TEST_CASE("a timeline by line shows the kind in tooltips and in the list of the peak") {
  const std::string svg = drawn("training_step.pickle", {});
  CHECK(has(svg, "\nkind: activation, by behaviour"));
  CHECK_FALSE(has(svg, "class=\"chart kinds\""));
  CHECK(has(visible_text(parse_svg(svg)), "\noptimizer state\n"));
}

TEST_CASE("each chart of streams and pools is layers of kinds") {
  const std::string svg = drawn("training_step.pickle", {.view = TimelineView::pools, .color = ColorBy::kind});
  const pugi::xml_document document = parse_svg(svg);
  CHECK(document.select_nodes("//g[@class='chart kinds']").size() ==
        document.select_nodes("//g[@class='lowest-line' or starts-with(@class,'chart')]").size());
}

TEST_CASE("where no kind is known a timeline by kind says so") {
  CHECK(has(visible_text(parse_svg(drawn("devices_streams.pickle", {.color = ColorBy::kind}))),
            "The kind of all this memory is unknown"));
}

} // namespace memviz
