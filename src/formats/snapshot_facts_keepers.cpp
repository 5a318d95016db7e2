#include "formats/snapshot_facts.hpp"
#include "memviz/keepers.hpp"
#include "recording/keys.hpp"

#include <cstdint>
#include <vector>

namespace memviz {
namespace {

class KeepersWriter {
public:
  KeepersWriter(const FactsOutput& output, const Recording& recording)
      : pickle_(output.pickle), frames_(output.frames), graph_(recording.keepers),
        numbers_(recording.frames.string_count()) {
    number_of(kEmptyString);
    for (const KeeperObject& one : graph_.objects) {
      number_of(one.name);
      number_of(one.file);
    }
    for (const KeeperReference& one : graph_.references)
      number_of(one.label);
    for (const CodePlace& one : graph_.places) {
      number_of(one.variable);
      number_of(one.function);
      number_of(one.file);
    }
  }

  void write(const SnapshotPart& part) {
    pickle_.word(kRootKeys.name("memviz_keepers"));
    pickle_.begin_dict();
    facts();
    pickle_.word("texts");
    pickle_.list(texts_.size(), [&](std::size_t i) { frames_.text(texts_[i]); });
    words("kinds", KeeperKind::object);
    words("hows", ReferenceKind::refers);
    words("root_kinds", KeeperRoot::temporary);
    words("place_hows", CodeRelation::would_set);
    objects();
    references();
    column("root_kind", graph_.roots, [](const RootObject& one) { return static_cast<std::uint64_t>(one.kind); });
    column("root_node", graph_.roots, [](const RootObject& one) { return one.object.value; });
    storages(part);
    places();
    pickle_.end_dict();
  }

private:
  void facts() {
    number("format", 1);
    number("objects", graph_.walked_objects);
    number("unreadable", graph_.unreadable_objects);
    pickle_.word("seconds");
    pickle_.real(static_cast<double>(graph_.walk_ms) / 1000);
    pickle_.word("cut");
    pickle_.word(keeper_word(graph_.limit));
  }
  void number(std::string_view key, std::uint64_t value) {
    pickle_.word(key);
    pickle_.unsigned_integer(value);
  }
  /// Writes the words of a kind in their order here, so that a column has their numbers.
  template <class Word> void words(std::string_view key, Word last) {
    pickle_.word(key);
    pickle_.list(static_cast<std::size_t>(last) + 1,
                 [&](std::size_t i) { pickle_.word(keeper_word(static_cast<Word>(i))); });
  }
  template <class Items, class Of> void column(std::string_view key, const Items& items, const Of& number_in) {
    pickle_.word(key);
    pickle_.list(items.size(), [&](std::size_t i) { pickle_.unsigned_integer(number_in(items[i])); });
  }

  std::uint32_t number_of(StringId text) {
    std::uint32_t& number = numbers_[text.value];
    if (number == 0) {
      texts_.push_back(text);
      number = static_cast<std::uint32_t>(texts_.size());
    }
    return number - 1;
  }

  void objects() {
    column("node_kind", graph_.objects, [](const KeeperObject& one) { return static_cast<std::uint64_t>(one.kind); });
    column("node_name", graph_.objects, [&](const KeeperObject& one) { return number_of(one.name); });
    column("node_file", graph_.objects, [&](const KeeperObject& one) { return number_of(one.file); });
    column("node_line", graph_.objects, [](const KeeperObject& one) { return one.line; });
    pickle_.word("node_items");
    pickle_.list(graph_.objects.size(), [&](std::size_t i) {
      const auto items = graph_.objects[i].items;
      pickle_.integer(items ? std::int64_t{*items} : -1);
    });
    column("node_hidden", graph_.objects, [](const KeeperObject& one) { return one.hidden_tensors; });
  }

  void references() {
    const auto& all = graph_.references;
    column("edge_from", all, [](const KeeperReference& one) { return one.from.value; });
    column("edge_to", all, [](const KeeperReference& one) { return one.to.value; });
    column("edge_how", all, [](const KeeperReference& one) { return static_cast<std::uint64_t>(one.how); });
    column("edge_label", all, [&](const KeeperReference& one) {
      return one.how == ReferenceKind::index ? one.index : number_of(one.label);
    });
  }

  void storages(const SnapshotPart& part) {
    std::vector<KeptStorage> written;
    for (const KeptStorage& one : graph_.storages)
      if (!part.device || one.device == *part.device) written.push_back(one);
    column("storage_node", written, [](const KeptStorage& one) { return one.object.value; });
    column("storage_device", written, [](const KeptStorage& one) { return one.device.value; });
    column("storage_address", written, [](const KeptStorage& one) { return one.address; });
    column("storage_bytes", written, [](const KeptStorage& one) { return one.size_bytes; });
  }

  void places() {
    const auto& all = graph_.places;
    column("place_node", all, [](const CodePlace& one) { return one.root.value; });
    column("place_variable", all, [&](const CodePlace& one) { return number_of(one.variable); });
    column("place_how", all, [](const CodePlace& one) { return static_cast<std::uint64_t>(one.how); });
    column("place_name", all, [&](const CodePlace& one) { return number_of(one.function); });
    column("place_file", all, [&](const CodePlace& one) { return number_of(one.file); });
    column("place_line", all, [](const CodePlace& one) { return one.line; });
  }

  PickleWriter& pickle_;
  FrameWriter& frames_;
  const KeeperGraph& graph_;
  std::vector<std::uint32_t> numbers_; ///< by StringId: its place in texts_ + 1, 0 if it is not there
  std::vector<StringId> texts_;
};

} // namespace

void write_keepers(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part) {
  if (!state.recording->keepers.is_recorded || !are_at_end(state.devices)) return;
  KeepersWriter(output, *state.recording).write(part);
}

} // namespace memviz
