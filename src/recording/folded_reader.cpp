#include "recording/folded_reader.hpp"

#include "base/hash_map.hpp"
#include "base/saturating.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/memory_map.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz {
namespace {

struct FoldedLine {
  std::string_view stack;
  std::uint64_t bytes = 0;
};

std::optional<FoldedLine> folded_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  const auto bytes = whole_number<std::uint64_t>(line.substr(space + 1));
  if (!bytes) return std::nullopt;
  return FoldedLine{line.substr(0, space), *bytes};
}

/// Takes the part before the next semicolon off `rest`.
std::string_view take_part(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(';'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::optional<BlockState> state_of(std::string_view part) {
  for (const BlockState state : {BlockState::active_allocated, BlockState::active_pending_free, BlockState::inactive})
    if (state_name(state) == part) return state;
  return std::nullopt;
}

class FoldedDocument {
public:
  void add(const FoldedLine& line) {
    std::string_view rest = line.stack;
    std::int64_t stream = 0;
    BlockState state = BlockState::active_allocated;
    if (const auto number = stream_of(rest)) {
      stream = *number;
      take_part(rest);
    }
    if (const auto given = state_of(rest.substr(0, rest.find(';')))) {
      state = *given;
      take_part(rest);
    }
    Stream& held = streams_[stream];
    if (!held.has_blocks) held = {document_.add_list(), 0, true};
    const Value block = dict({{"size", document_.add_unsigned(line.bytes)},
                              {"requested_size", document_.add_unsigned(line.bytes)},
                              {"state", document_.add_owned_text(std::string(state_name(state)))},
                              {"frames", frames_of(rest)}});
    document_.append(held.blocks, std::span(&block, 1));
    held.bytes = saturating_sum(held.bytes, line.bytes);
  }

  [[nodiscard]] Document take() {
    const Value segments = document_.add_list();
    std::uint64_t address = kFirstAddress;
    for (const auto& [stream, held] : streams_) {
      const Value segment = dict({{"device", Value::integer(0)},
                                  {"address", document_.add_unsigned(address)},
                                  {"total_size", document_.add_unsigned(held.bytes)},
                                  {"stream", document_.add_integer(stream)},
                                  {"blocks", held.blocks}});
      document_.append(segments, std::span(&segment, 1));
      address = saturating_sum(address, held.bytes);
    }
    document_.root = dict({{"segments", segments}});
    return std::move(document_);
  }

private:
  static constexpr std::uint64_t kFirstAddress = 4096;

  struct Stream {
    Value blocks;
    std::uint64_t bytes = 0;
    bool has_blocks = false;
  };
  using Item = std::pair<std::string_view, Value>;

  static std::optional<std::int64_t> stream_of(std::string_view stack) {
    constexpr std::string_view kStream = "stream_";
    if (!stack.starts_with(kStream)) return std::nullopt;
    return whole_number<std::int64_t>(stack.substr(0, stack.find(';')).substr(kStream.size()));
  }

  Value dict(std::initializer_list<Item> items) {
    std::vector<Value> values;
    for (const auto& [key, value] : items) {
      values.push_back(document_.add_owned_text(std::string(key)));
      values.push_back(value);
    }
    const Value made = document_.add_dict();
    document_.set_items(made, values);
    return made;
  }

  /// Innermost first, as in snapshots.
  Value frames_of(std::string_view rest) {
    std::vector<Value> frames;
    while (!rest.empty()) {
      const std::string_view part = take_part(rest);
      if (part != "<non-python>" && part != "<no-context>") frames.push_back(frame_of(part));
    }
    std::ranges::reverse(frames);
    const Value list = document_.add_list();
    document_.append(list, frames);
    return list;
  }

  Value frame_of(std::string_view part) {
    const auto known = frames_.add(std::string(part));
    if (known.is_new) known.value = new_frame(part);
    return known.value;
  }

  /// Parses `file:line:function`, if there is a number between two colons; otherwise the whole is a name.
  Value new_frame(std::string_view part) {
    for (std::size_t colon = part.find(':'); colon != std::string_view::npos; colon = part.find(':', colon + 1)) {
      const std::size_t end = part.find(':', colon + 1);
      if (end == std::string_view::npos) break;
      const auto line = whole_number<std::uint64_t>(part.substr(colon + 1, end - colon - 1));
      if (line) return frame(part.substr(end + 1), part.substr(0, colon), *line);
    }
    return frame(part, "", 0);
  }

  Value frame(std::string_view name, std::string_view file, std::uint64_t line) {
    return dict({{"name", document_.add_owned_text(std::string(name))},
                 {"filename", document_.add_owned_text(std::string(file))},
                 {"line", document_.add_unsigned(line)}});
  }

  Document document_;
  std::map<std::int64_t, Stream> streams_;
  HashMap<std::string, Value> frames_;
};

/// Takes the first line off `rest`.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

} // namespace

bool looks_like_folded(std::string_view bytes) {
  constexpr std::size_t kMostHead = std::size_t{1} << 16U;
  if (bytes.empty() || bytes.front() <= ' ' || bytes.front() > '~') return false;
  std::string_view rest = bytes.substr(0, kMostHead);
  const auto line = folded_line(take_line(rest));
  return line && line->stack.find(';') != std::string_view::npos;
}

Document folded_document(std::string_view bytes) {
  FoldedDocument document;
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto offset = bytes.size() - rest.size();
    const std::string_view line = take_line(rest);
    if (line.empty() || line == "\r") continue;
    const auto folded = folded_line(line);
    if (!folded) throw ParseError(offset, "expected a line of folded stacks, 'a;b;c BYTES'");
    document.add(*folded);
  }
  return document.take();
}

} // namespace memviz
