#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "engine/found.hpp"
#include "engine/lit.hpp"
#include "engine/numbers.hpp"
#include "engine/streams.hpp"
#include "memviz/label.hpp"
#include "story/keeper_words.hpp"
#include "story/short_label.hpp"

#include <fmt/format.h>

namespace memviz::view {

namespace {

constexpr std::size_t kMostCells = 1'000'000;

std::uint32_t state_of(const PageRequest& request, const Walk& walk) {
  return static_cast<std::uint32_t>(request.number("state", walk.record().events, walk.record().events));
}

std::vector<double> sums_at(PageFile& file, Walk& walk, const Classes& classes) {
  const DeviceRecord& record = walk.record();
  const std::uint32_t state = walk.scrub().state();
  std::vector<double> sums(6 + classes.names.size());
  sums[0] = static_cast<double>(walk.live_bytes(state));
  sums[1] = walk.scrub().live_count();
  sums[2] = static_cast<double>(walk.reserved_bytes(state));
  sums[5] = static_cast<double>(axis_position(record, TimelineAxis::time, state));
  const Found& found = found_in(file, walk);
  walk.scrub().for_each_live([&](std::uint32_t index) {
    const auto bytes = static_cast<double>(walk.scrub().life(index).size_bytes);
    sums[6 + classes.of_life[index]] += bytes;
    if (!found.has(index)) return;
    sums[3] += bytes;
    ++sums[4];
  });
  return sums;
}

void write_stack(JsonWriter& json, const FrameTable& frames, StackId stack) {
  json.begin_array();
  for (const FrameId frame : frames.stack(stack)) {
    if (is_omitted(frames.name(frame), frames.filename(frame))) continue;
    const Label label = frame_label(frames, frame);
    json.begin_object()
        .member("name", label.name)
        .member("place", label.place)
        .member("file", one_line(frames.filename(frame), 1000))
        .member("own", origin_of(frames.filename(frame)) == CodeOrigin::user)
        .member("is_in_graphs", is_in_graphs(frames, frame))
        .end_object();
  }
  json.end_array();
}

std::string life_name(const Scrub& scrub, std::uint32_t index) {
  return fmt::format("b{:x}_{}", scrub.life(index).address, scrub.earlier_uses(index));
}

void write_lifetime(JsonWriter& json, const DeviceRecord& record, const Life& life) {
  json.member("first", life.begin).member("last", life.end == kForever ? record.events + 1 : life.end);
  json.member("is_freed", life.end != kForever);
  if (record.times_us().empty()) return;
  if (life.begin > 0) json.member("first_us", axis_position(record, TimelineAxis::time, life.begin));
  if (life.end != kForever) json.member("last_us", axis_position(record, TimelineAxis::time, life.end));
}

std::string life_json(PageFile& file, Walk& walk, std::uint32_t index) {
  constexpr std::size_t kMostNeighbours = 20;
  const FrameTable& frames = file.recording().frames;
  const Scrub& scrub = walk.scrub();
  const Life& life = scrub.life(index);
  const KindOf kind = scrub.kind(index);
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_object().member("life", index).member("name", life_name(scrub, index)).member("bytes", life.size_bytes);
  json.member("line", node_label(frames, file.lines().line_of(walk.record().device, life)));
  json.member("kind", kind_label(kind.kind)).member("evidence", evidence_name(kind.evidence));
  write_lifetime(json, walk.record(), life);
  if (const EndKeepers* const keepers = file.keepers()) {
    const BlockPath path = life.end == kForever ? keepers->path_at(walk.record().device, life.address) : BlockPath{};
    json.member("keeper", block_keeper_text(frames, keepers->table(), path));
  }
  if (const std::string stream = Streams(file.end(), walk.record()).of(life); !stream.empty())
    json.member("stream", stream);
  if (life.home < walk.record().homes.size()) {
    const Home& home = walk.record().homes[life.home];
    if (home.pool && home.pool->is_private())
      json.member("pool", fmt::format("({},{})", home.pool->first, home.pool->second));
  }
  json.key("texts").begin_array();
  for (const StringId text : walk.record().annotations_of(life))
    json.value(one_line(frames.text(text), 1000));
  json.end_array();
  write_stack(json.key("stack"), frames, life.stack);
  json.key("others").begin_array();
  for (const std::uint32_t other : scrub.at_its_address(index, kMostNeighbours)) {
    json.begin_object().member("life", other).member("name", life_name(scrub, other));
    json.member("bytes", scrub.life(other).size_bytes);
    write_lifetime(json, walk.record(), scrub.life(other));
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

} // namespace

std::string curve_of(Engine& engine, const PageRequest& request) {
  Walk& walk = engine.file(request).walk(request.device());
  std::string out;
  append_bytes(out, curve(walk, request.text("by"), request.window(walk.record().events),
                          axis_of(request, walk.record()), columns_of(request)));
  return out;
}

std::string classes_of(Engine& engine, const PageRequest& request) {
  Walk& walk = engine.file(request).walk(request.device());
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_array();
  for (const Classes::Name& name : walk.classes(request.text("by")).names)
    json.begin_object()
        .member("label", name.label)
        .member("light", name.light)
        .member("dark", name.dark)
        .member("paint", name.paint)
        .end_object();
  json.end_array();
  return out;
}

std::string live_at(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  Walk& walk = file.walk(request.device());
  walk.scrub().go(state_of(request, walk));
  const std::string by = request.text("by");
  std::string out;
  append_bytes(out, sums_at(file, walk, walk.classes(by)));
  const std::size_t count = request.count("cells", 0, kMostCells);
  if (count == 0) return out;
  const Found& found = found_in(file, walk);
  const auto cell_bytes = static_cast<double>(request.number("cell_bytes", 1, kMaxTotalBytes));
  file.shown_cells =
      cells(walk, by, count, std::max(1.0, cell_bytes), [&](std::uint32_t index) { return found.has(index); });
  append_bytes(out, file.shown_cells.lives);
  append_bytes(out, file.shown_cells.bytes);
  return out;
}

std::string life_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  Walk& walk = file.walk(request.device());
  if (walk.scrub().size() == 0) return "null";
  return life_json(file, walk, static_cast<std::uint32_t>(request.number("life", 0, walk.scrub().size() - 1)));
}

std::string life_in_cell(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  Walk& walk = file.walk(request.device());
  const std::string name = request.text("name");
  std::uint32_t found = Cells::kNone;
  if (!name.empty()) {
    const Search wanted(name, file.recording());
    found = wanted.named(walk.scrub()).value_or(Cells::kNone);
  } else {
    const std::vector<std::uint32_t>& lives = file.shown_cells.lives;
    const std::size_t cell = request.count("cell", 0, kMostCells);
    if (cell < lives.size() && lives[cell] < walk.scrub().size()) found = lives[cell];
  }
  return found == Cells::kNone ? "null" : life_json(file, walk, found);
}

} // namespace memviz::view
