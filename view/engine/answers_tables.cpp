#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace memviz::view {

namespace {

constexpr std::size_t kMostRows = 2000;

/// A row of a table: live memory, by line, kind or function.
struct Row {
  std::string name;
  std::string place;
  std::uint32_t frame = 0; ///< a FrameId of it, to query callers and callees
  std::uint64_t bytes = 0;
  std::uint64_t self_bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t lifetimes = 0; ///< sum, in events
};

void write_rows(JsonWriter& json, std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& left, const Row& right) { return left.bytes > right.bytes; });
  json.begin_array();
  for (std::size_t i = 0; i < rows.size() && i < kMostRows; ++i) {
    const Row& row = rows[i];
    json.begin_object().member("name", row.name).member("place", row.place).member("frame", row.frame);
    json.member("bytes", row.bytes).member("self", row.self_bytes).member("count", row.count);
    json.member("lifetime", row.count == 0 ? 0 : row.lifetimes / row.count).end_object();
  }
  json.end_array();
}

std::uint64_t lifetime(const DeviceRecord& record, const Life& life) {
  return (life.end == kForever ? record.events + 1 : life.end) - life.begin;
}

/// Functions are the same by name and file, whatever the line.
using Function = std::pair<std::uint32_t, std::uint32_t>;
Function function_of(const FrameTable& frames, FrameId frame) {
  return {frames.frame(frame).name.value, frames.frame(frame).filename.value};
}

/// Omits frames that PyTorch's tools omit; innermost first.
std::vector<FrameId> shown_frames(const FrameTable& frames, StackId stack) {
  std::vector<FrameId> shown;
  for (const FrameId frame : frames.stack(stack))
    if (!is_omitted(frames.name(frame), frames.filename(frame))) shown.push_back(frame);
  return shown;
}

struct StackBytes {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t lifetimes = 0;
};

/// The allocations of a table, by index in Scrub.
std::vector<std::uint32_t> chosen_lives(Walk& walk, const PageRequest& request) {
  Scrub& scrub = walk.scrub();
  const std::uint32_t events = walk.record().events;
  scrub.go(static_cast<std::uint32_t>(request.number("state", events, events)));
  const std::string of = request.text("of", "live");
  const Window window = request.window(events);
  std::vector<std::uint32_t> chosen;
  if (of == "live") {
    scrub.for_each_live([&](std::uint32_t index) { chosen.push_back(index); });
    return chosen;
  }
  for (std::uint32_t index = 0; index < scrub.size(); ++index) {
    const Life& life = scrub.life(index);
    const bool is_born = life.begin > window.first && life.begin <= window.last;
    const bool is_freed = life.end > window.first && life.end <= window.last;
    if (of == "freed" ? is_freed : is_born && life.lives_in(window.last)) chosen.push_back(index);
  }
  return chosen;
}

std::map<StackId, StackBytes> bytes_by_stack(const Walk& walk, const std::vector<std::uint32_t>& lives) {
  std::map<StackId, StackBytes> stacks;
  for (const std::uint32_t index : lives) {
    const Life& life = walk.scrub().life(index);
    StackBytes& sums = stacks[life.stack];
    sums.bytes += life.size_bytes;
    ++sums.count;
    sums.lifetimes += lifetime(walk.record(), life);
  }
  return stacks;
}

/// Rows by function, with the function of a frame as their key.
class FunctionRows {
public:
  explicit FunctionRows(const FrameTable& frames) : frames_(frames) {}

  void add(FrameId frame, const StackBytes& stack, bool is_self) {
    auto [entry, is_new] = rows_.try_emplace(function_of(frames_, frame));
    Row& row = entry->second;
    if (is_new) {
      const Label label = frame_label(frames_, frame);
      row.name = label.name;
      row.place = std::string(known_basename(frames_.filename(frame)));
      row.frame = frame.value;
    }
    row.bytes += stack.bytes;
    row.count += stack.count;
    row.lifetimes += stack.lifetimes;
    if (is_self) row.self_bytes += stack.bytes;
  }

  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> rows;
    for (const auto& [function, row] : rows_)
      rows.push_back(row);
    return rows;
  }

private:
  const FrameTable& frames_;
  std::map<Function, Row> rows_;
};

std::vector<Row> function_rows(const FrameTable& frames, const std::map<StackId, StackBytes>& stacks) {
  FunctionRows rows(frames);
  for (const auto& [stack, sums] : stacks) {
    std::set<Function> seen;
    bool is_innermost = true;
    for (const FrameId frame : shown_frames(frames, stack)) {
      if (seen.insert(function_of(frames, frame)).second) rows.add(frame, sums, is_innermost);
      is_innermost = false;
    }
  }
  return rows.rows();
}

/// Writes the callers and callees of a function: its neighbours in each stack that contains it, at its outermost place
/// for callers and its innermost for callees.
void write_sandwich(JsonWriter& json, const FrameTable& frames, const std::map<StackId, StackBytes>& stacks,
                    FrameId of) {
  const Function wanted = function_of(frames, of);
  FunctionRows callers(frames);
  FunctionRows callees(frames);
  for (const auto& [stack, sums] : stacks) {
    const std::vector<FrameId> shown = shown_frames(frames, stack);
    const auto is_it = [&](FrameId frame) { return function_of(frames, frame) == wanted; };
    const auto inner = std::find_if(shown.begin(), shown.end(), is_it);
    if (inner == shown.end()) continue;
    if (inner != shown.begin()) callees.add(*(inner - 1), sums, false);
    const auto outer = std::find_if(shown.rbegin(), shown.rend(), is_it).base();
    if (outer != shown.end()) callers.add(*outer, sums, false);
  }
  write_rows(json.key("callers"), callers.rows());
  write_rows(json.key("callees"), callees.rows());
}

std::vector<Row> rows_by(const PageFile& file, const Walk& walk, const std::vector<std::uint32_t>& lives,
                         bool by_kind) {
  const FrameTable& frames = file.recording().frames;
  std::map<NodeKey, Row> rows;
  for (const std::uint32_t index : lives) {
    const Life& life = walk.scrub().life(index);
    const NodeKey key =
        by_kind ? NodeKey(walk.scrub().kind(index).kind) : file.lines().line_of(walk.record().device, life);
    Row& row = rows[key];
    row.bytes += life.size_bytes;
    row.self_bytes += life.size_bytes;
    ++row.count;
    row.lifetimes += lifetime(walk.record(), life);
  }
  std::vector<Row> all;
  for (auto& [key, row] : rows) {
    const Label label = line_label(frames, key);
    row.name = by_kind ? std::string(kind_label(std::get<MemoryKind>(key))) : label.name;
    row.place = by_kind ? "" : label.place;
    if (const FrameId* const frame = std::get_if<FrameId>(&key)) row.frame = frame->value;
    all.push_back(std::move(row));
  }
  return all;
}

} // namespace

std::string lines_at(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  Walk& walk = file.walk(request.device());
  const std::vector<std::uint32_t> lives = chosen_lives(walk, request);
  std::uint64_t bytes = 0;
  for (const std::uint32_t index : lives)
    bytes += walk.scrub().life(index).size_bytes;
  const FrameTable& frames = file.recording().frames;
  const std::string by = request.text("by", "line");
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_object().member("bytes", bytes);
  if (by == "sandwich") {
    if (frames.frame_count() > 0)
      write_sandwich(json, frames, bytes_by_stack(walk, lives),
                     FrameId{static_cast<std::uint32_t>(request.number("frame", 0, frames.frame_count() - 1))});
  } else {
    write_rows(json.key("rows"), by == "function" ? function_rows(frames, bytes_by_stack(walk, lives))
                                                  : rows_by(file, walk, lives, by == "kind"));
  }
  json.end_object();
  return out;
}

} // namespace memviz::view
