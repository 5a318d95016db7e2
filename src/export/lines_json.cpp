#include "export/lines_json.hpp"

#include "memviz/explain_words.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {

void write_within(JsonWriter& json, const FrameTable& frames, const std::vector<InnerLine>& within) {
  if (within.empty()) return;
  json.key("within").begin_array();
  for (const InnerLine& inner : within)
    json.begin_object()
        .member("line", node_label(frames, inner.frame))
        .member("bytes", inner.amount.bytes)
        .member("blocks", inner.amount.blocks)
        .end_object();
  json.end_array();
}

void write_callers(JsonWriter& json, std::span<const std::string> callers) {
  if (callers.empty()) return;
  json.key("callers").begin_array();
  for (const std::string& caller : callers)
    json.value(caller);
  json.end_array();
}

void write_lines(JsonWriter& json, const FrameTable& frames, const std::vector<UserLine>& lines,
                 const std::map<NodeKey, CalledLine>& callers) {
  constexpr std::size_t kMost = 100;
  json.begin_array();
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i) {
    json.begin_object()
        .member("line", node_label(frames, lines[i].key))
        .member("bytes", lines[i].amount.bytes)
        .member("blocks", lines[i].amount.blocks);
    if (const auto found = callers.find(lines[i].key); found != callers.end())
      write_callers(json, callers_text(frames, found->second));
    write_within(json, frames, lines[i].within);
    json.end_object();
  }
  json.end_array();
}

} // namespace memviz
