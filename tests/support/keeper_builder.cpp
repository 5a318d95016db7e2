#include "support/keeper_builder.hpp"

#include <algorithm>

namespace memviz::test {

int KeeperBuilder::number_of(const std::string& list, const std::string& word) {
  PythonItems& words = columns_[list];
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const PythonValue& one) { return std::get<std::string>(one.value) == word; });
  const auto place = found - words.begin();
  if (found == words.end()) words.emplace_back(word);
  return static_cast<int>(place);
}

int KeeperBuilder::object(const std::string& kind, const BuiltObject& facts) {
  const auto number = static_cast<int>(columns_["node_kind"].size());
  add("node_kind", number_of("kinds", kind));
  add("node_name", number_of("texts", facts.name));
  add("node_file", number_of("texts", facts.file));
  add("node_line", facts.line);
  add("node_items", facts.items);
  add("node_hidden", facts.hidden);
  return number;
}

int KeeperBuilder::tensor(std::uint64_t address, std::uint64_t bytes, const std::string& kind) {
  const int number = object(kind, {.name = "Tensor"});
  storage(number, address, bytes);
  return number;
}

KeeperBuilder& KeeperBuilder::refer(int from, const std::string& how, const std::string& label, int to) {
  return refer(from, how, number_of("texts", label), to);
}

KeeperBuilder& KeeperBuilder::refer(int from, const std::string& how, int index, int to) {
  add("edge_from", from);
  add("edge_to", to);
  add("edge_how", number_of("hows", how));
  add("edge_label", index);
  return *this;
}

KeeperBuilder& KeeperBuilder::root(const std::string& kind, int object) {
  add("root_kind", number_of("root_kinds", kind));
  add("root_node", object);
  return *this;
}

KeeperBuilder& KeeperBuilder::storage(int object, std::uint64_t address, std::uint64_t bytes) {
  add("storage_node", object);
  add("storage_device", 0);
  add("storage_address", address);
  add("storage_bytes", bytes);
  return *this;
}

KeeperBuilder& KeeperBuilder::place(int root, const std::string& variable, const std::string& how,
                                    const BuiltObject& code) {
  add("place_node", root);
  add("place_variable", number_of("texts", variable));
  add("place_how", number_of("place_hows", how));
  add("place_name", number_of("texts", code.name));
  add("place_file", number_of("texts", code.file));
  add("place_line", code.line);
  return *this;
}

PythonValue KeeperBuilder::python() const {
  PythonValue keepers = dict({{"format", 1}, {"objects", 174000}, {"seconds", 0.81}, {"cut", ""}, {"unreadable", 3}});
  for (const auto& [name, items] : columns_)
    keepers.set(name, list(items));
  return keepers;
}

} // namespace memviz::test
