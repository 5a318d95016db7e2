#pragma once

// Values of a document that is made of a file of another kind: dicts and lists, as a snapshot has them; and the first
// value of a list of such a file.

#include "memviz/events.hpp"
#include "memviz/memory_map.hpp"
#include "value/document.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// Makes a dict. Keys are literals: the document refers to them.
inline Value made_dict(Document& document, std::initializer_list<std::pair<std::string_view, Value>> items) {
  std::vector<Value> values;
  for (const auto& [name, value] : items) {
    values.push_back(document.add_text(name));
    values.push_back(value);
  }
  const Value made = document.add_dict();
  document.set_items(made, values);
  return made;
}

inline Value made_list(Document& document, std::span<const Value> values) {
  const Value made = document.add_list();
  document.append(made, values);
  return made;
}

/// The values to make a block of, alone in its segment, on the first device.
struct MadeBlock {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  Value frames;
};

/// Makes the segment of a block that is allocated.
inline Value made_segment(Document& document, const MadeBlock& block) {
  const Value size = document.add_unsigned(block.size_bytes);
  const Value state = document.add_text(state_name(BlockState::active_allocated));
  const Value only =
      made_dict(document, {{"size", size}, {"requested_size", size}, {"state", state}, {"frames", block.frames}});
  const Value blocks = made_list(document, std::span(&only, 1));
  return made_dict(document, {{"device", Value::integer(0)},
                              {"address", document.add_unsigned(block.address)},
                              {"total_size", size},
                              {"stream", Value::integer(0)},
                              {"blocks", blocks}});
}

/// Makes an event of a block; `kind` is its metadata, a literal.
inline Value made_event(Document& document, Action action, std::int64_t time_us, const MadeBlock& block,
                        std::string_view kind) {
  return made_dict(document, {{"action", document.add_text(action_name(action))},
                              {"addr", document.add_unsigned(block.address)},
                              {"size", document.add_unsigned(block.size_bytes)},
                              {"stream", Value::integer(0)},
                              {"time_us", document.add_integer(time_us)},
                              {"user_metadata", document.add_text(kind)},
                              {"frames", block.frames}});
}

/// Returns the first item of a list; Kind::unset if it is empty.
inline Value first_item(const Document& document, Value list) {
  Value first;
  document.for_each(list, [&](Value item) {
    first = item;
    return false;
  });
  return first;
}

} // namespace memviz
