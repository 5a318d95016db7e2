#include "support/page_questions.hpp"

#include "engine/engine.hpp"
#include "memviz/device_id.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace memviz::test {

std::vector<std::string> page_questions() {
  using nlohmann::json;
  constexpr std::size_t kCurveColumns = 50;
  const std::vector<json> members = {
      json::object(),
      {{"device", 0}},
      {{"device", kHostDevice.value}},
      {{"state", 18446744073709551615U}, {"cells", 100}, {"cell_bytes", 4096}},
      {{"first", 18446744073709551615U}, {"last", 18446744073709551615U}},
      {{"from", 18446744073709551615U}, {"count", 18446744073709551615U}},
      {{"life", 18446744073709551615U}, {"cell", 18446744073709551615U}},
      {{"name", "b1000_18446744073709551615"}},
      {{"by", "sandwich"}, {"frame", 18446744073709551615U}},
      {{"by", "function"}, {"of", "freed"}},
      {{"by", "kind"}, {"of", "folded"}},
      {{"of", "flame"}, {"at", "start"}},
      {{"of", "flame"}, {"at", "peak"}, {"device", 0}, {"lives", "born"}, {"last", 5}},
      {{"of", "state"}, {"at", "start"}},
      {{"of", "state"}, {"at", "peak"}, {"color", "kind"}},
      {{"of", "explain"}, {"at", "start"}},
      {{"of", "explain"}, {"at", "peak"}},
      {{"of", "explain_json"}, {"other", 1}, {"before", "start"}, {"after", "peak"}},
      {{"of", "compare"}, {"other", 1}},
      {{"of", "stats"}, {"at", "start"}},
      {{"of", "timeline"}, {"axis", "time"}},
      {{"of", "timeline"}, {"view", "segments"}, {"color", "kind"}},
      {{"of", "timeline"}, {"view", "pools"}},
      {{"filter", ">1KiB alloc stream:0 model"}, {"text", "/f.r|o/"}},
      {{"filter", ">nan"}},
      {{"of", "stack"}, {"frames", "\n\n"}, {"rows", 7}, {"bytes_per_row", 0}, {"by", "origin"}, {"stream", "0"}},
      {{"of", "flame"}, {"color", "line"}, {"hues", "line"}, {"headroom", 112}, {"base_bytes", 18446744073709551615U}},
      {{"of", "timeline"}, {"color", "origin"}, {"hues", "origin"}, {"headroom", 18446744073709551615U}, {"rows", 0}},
      {{"of", "class"}, {"class", 18446744073709551615U}, {"rows", 0}},
      {{"of", "function"}, {"frame", 18446744073709551615U}, {"rows", 18446744073709551615U}},
      {{"event", 18446744073709551615U}, {"text", "0xffffffffffffffff"}},
      {{"of_device", 18446744073709551615U}, {"text", "b_1"}},
      {{"columns", 0}}};
  std::vector<std::string> questions;
  for (const json& more : members) {
    for (const std::string_view ask : view::Engine::questions()) {
      if (ask == "close") continue; // no other question has an answer afterwards
      json question = more;
      question["ask"] = ask;
      if ((ask == "curve" || ask == "bands") && !more.contains("columns")) question["columns"] = kCurveColumns;
      questions.push_back(question.dump());
    }
  }
  return questions;
}

} // namespace memviz::test
