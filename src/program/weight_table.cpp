#include "program/weight_table.hpp"

#include "value/document.hpp"
#include "json/json_reader.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace memviz::program {
namespace {

/// A program exported without real tensors names one file for all of them: weights of different sizes do not share a
/// storage although they share the name.
void forget_shared_names(Program& program) {
  const auto sizes_of = [&](const Weight& weight) -> const std::vector<Polynomial>& {
    return program.graphs.front().tensors[weight.tensor].sizes;
  };
  std::map<std::string, const Weight*> first;
  std::set<std::string> unclear;
  for (const Weight& weight : program.weights) {
    if (!weight.storage) continue;
    const Weight& known = *first.try_emplace(*weight.storage, &weight).first->second;
    if (product_of(sizes_of(known)) != product_of(sizes_of(weight))) unclear.insert(*weight.storage);
  }
  for (Weight& weight : program.weights) {
    if (weight.storage && unclear.contains(*weight.storage)) weight.storage.reset();
  }
}

} // namespace

void read_weight_table(std::string_view json, Program& program) {
  const Document document = json::read(json);
  if (document.root.kind() != Kind::dict) return;
  const Value config = document.get(document.root, "config");
  if (config.kind() != Kind::dict) return;
  for (Weight& weight : program.weights) {
    const Value entry = document.get(config, document.find_text(weight.name));
    if (entry.kind() != Kind::dict) continue;
    const Value path = document.get(entry, "path_name");
    if (path.kind() == Kind::text) weight.storage = std::string(document.text(path));
  }
  forget_shared_names(program);
}

} // namespace memviz::program
