#include "export/keepers_json.hpp"

#include "memviz/keeper_words.hpp"

namespace memviz {
namespace {

void write_account(JsonWriter& json, const KeeperAccount& account) {
  json.begin_object()
      .member("total_bytes", account.total_bytes())
      .member("kept_bytes", account.kept_bytes)
      .member("cycle_bytes", account.cycle_bytes)
      .member("temporary_bytes", account.temporary_bytes)
      .member("no_object_bytes", account.no_object_bytes)
      .member("unknown_bytes", account.unknown_bytes)
      .end_object();
}

/// Writes the root and the path of these steps, and whether it leads through autograd's graph.
void write_steps(JsonWriter& json, const FrameTable& frames, const std::vector<KeeperStep>& steps) {
  json.member("root", keeper_root_text(frames, steps.front())).member("path", keeper_path_text(frames, steps));
}

void write_places(JsonWriter& json, const FrameTable& frames, const std::vector<CodePlace>& places) {
  json.key("places").begin_array();
  for (const CodePlace& place : places)
    json.begin_object()
        .member("how", keeper_word(place.how))
        .member("function", frames.text(place.function))
        .member("file", frames.text(place.file))
        .member("line", place.line)
        .end_object();
  json.end_array();
}

} // namespace

void write_keepers(JsonWriter& json, const FrameTable& frames, const std::optional<DeviceKeepers>& keepers) {
  if (!keepers) {
    json.value(nullptr);
    return;
  }
  json.begin_object().key("account");
  write_account(json, keepers->account);
  json.key("variables").begin_array();
  for (const KeptVariable& variable : keepers->variables) {
    write_steps(json.begin_object(), frames, variable.steps);
    json.member("object", variable_object_text(frames, variable.object))
        .member("own_bytes", variable.own_bytes)
        .member("graph_bytes", variable.graph_bytes)
        .member("blocks", variable.blocks)
        .member("retained_bytes", variable.retained_bytes)
        .member("other_references", variable.other_references);
    write_places(json, frames, variable.places);
    json.member("text", variable_text(frames, variable)).end_object();
  }
  json.end_array().key("groups").begin_array();
  for (const KeeperGroup& group : keepers->groups) {
    write_steps(json.begin_object(), frames, group.steps);
    json.member("through_graph", group.is_in_graph)
        .member("bytes", group.bytes)
        .member("blocks", group.blocks)
        .end_object();
  }
  json.end_array()
      .member("limit", keeper_word(keepers->limit))
      .member("texts", keeper_sentences(frames, *keepers))
      .end_object();
}

} // namespace memviz
