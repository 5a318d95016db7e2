#include "model/program_reader.hpp"

#include "base/hash_map.hpp"
#include "model/module_stack.hpp"
#include "model/size_expression.hpp"
#include "value/document.hpp"
#include "value/field.hpp"
#include "json/json_reader.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memviz::model {
namespace {

constexpr std::size_t kMostNestedGraphs = 32;
/// More than any operator of PyTorch takes; a tensor that many nodes take is looked at once for each.
constexpr std::size_t kMostDimensions = 64;
constexpr std::int64_t kOldestSchema = 4; // PyTorch 2.3, the first whose archives have tensor_values as read here
constexpr std::int64_t kNewestSchema = 8;

struct ElementType {
  std::uint8_t bytes = 0;
  bool is_floating = false;
};

/// By the numbers of ScalarType in schema.py, which are its own.
ElementType element_type(std::int64_t number) {
  switch (number) {
  case 1:  // byte
  case 2:  // char
  case 12: // bool
    return {1, false};
  case 3:  // short
  case 28: // uint16
    return {2, false};
  case 4:  // int
  case 34: // uint32
    return {4, false};
  case 5:  // long
  case 35: // uint64
    return {8, false};
  case 6:  // half
  case 13: // bfloat16
    return {2, true};
  case 7: // float
  case 9: // complex half
    return {4, true};
  case 8:  // double
  case 10: // complex float
    return {8, true};
  case 11: // complex double
    return {16, true};
  case 29: // the types of 8 bits
  case 30:
  case 31:
  case 32:
  case 33: return {1, true};
  default: return {};
  }
}

/// "aten.mm.default" of "torch.ops.aten.mm.default", and of what PyTorch up to 2.4 has for symbolic sizes.
std::string plain_target(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  return std::string(target.starts_with(kOps) ? target.substr(kOps.size()) : target);
}

/// The names of one graph.
struct Scope {
  HashMap<std::uint64_t, TensorId> tensors; ///< by the bits of its name, which is interned
  HashMap<std::uint64_t, Polynomial> numbers;
};

class Reader {
public:
  Reader(const Document& document, Program& program)
      : document_(document), program_(program), modules_(program.modules) {}

  void read() {
    const Field whole{document_.root, nullptr, "the program"};
    whole.require(Kind::dict);
    read_versions(whole);
    read_ranges(whole);
    const Field module = need(whole, "graph_module", Kind::dict);
    program_.graphs.emplace_back();
    read_graph(need(module, "graph", Kind::dict), 0, kWholeModel, 1);
    read_weights(need(module, "signature", Kind::dict));
  }

private:
  [[nodiscard]] Field need(const Field& dict, std::string_view key, Kind kind) const {
    const Field found = dict.member(key, document_.get(dict.value, key));
    found.require(kind);
    return found;
  }
  /// Calls visit(Field) for each element.
  template <class Visit> void each(const Field& list, const Visit& visit) const {
    list.require(Kind::list);
    std::size_t index = 0;
    document_.for_each(list.value, [&](Value value) {
      visit(list.item(index++, value));
      return true;
    });
  }
  [[nodiscard]] std::optional<std::int64_t> number_at(const Field& dict, std::string_view key) const {
    return document_.as_signed(document_.get(dict.value, key));
  }

  void read_versions(const Field& whole) {
    const Field version = need(whole, "schema_version", Kind::dict);
    const std::int64_t major = number_at(version, "major").value_or(-1);
    const std::int64_t minor = number_at(version, "minor").value_or(0);
    if (major < kOldestSchema || major > kNewestSchema)
      throw Error(fmt::format("expected a program of schema version {} to {} (PyTorch 2.3 to 2.15), found {}.{}",
                              kOldestSchema, kNewestSchema, major, minor));
    program_.schema_version = fmt::format("{}.{}", major, minor);
    const Value torch_version = document_.get(whole.value, "torch_version");
    if (torch_version.kind() == Kind::text) program_.torch_version = document_.text(torch_version);
  }

  void read_ranges(const Field& whole) {
    const Field ranges = whole.member("range_constraints", document_.get(whole.value, "range_constraints"));
    if (ranges.value.kind() != Kind::dict) return;
    document_.for_each_item(ranges.value, [&](Value name, Value range) {
      const Field limits = ranges.item(0, range);
      if (name.kind() != Kind::text || range.kind() != Kind::dict) return;
      SizeRange values;
      values.least = number_at(limits, "min_val").value_or(values.least);
      values.most = number_at(limits, "max_val").value_or(values.most);
      program_.ranges.emplace(document_.text(name), values);
    });
  }

  /// A size: {"as_int": 20} or {"as_expr": {"expr_str": "s0", "hint": {"as_int": 4}}}.
  Polynomial read_size(const Field& size) {
    size.require(Kind::dict);
    if (const auto number = number_at(size, "as_int")) return *number;
    if (is_present(document_.get(size.value, "as_int"))) size.fail("a size of less than 2^63", "more");
    const Field expression = need(size, "as_expr", Kind::dict);
    Polynomial parsed = parse_size(need(expression, "expr_str", Kind::text).text(document_), program_.symbols);
    const Value hint = document_.get(expression.value, "hint");
    if (hint.kind() == Kind::dict) {
      if (const auto value = document_.as_signed(document_.get(hint, "as_int"))) learn(parsed, *value);
    }
    return parsed;
  }

  /// The hint of a size that is one symbol is the symbol's value.
  void learn(const Polynomial& size, std::int64_t value) {
    if (size.terms().size() != 1) return;
    const Term& term = size.terms().front();
    if (term.factor != 1 || term.symbols.size() != 1) return;
    const Meaning meaning = program_.symbols.meaning(term.symbols.front());
    if (meaning == Meaning::name || meaning == Meaning::opaque) program_.symbols.set_value(term.symbols.front(), value);
  }

  void read_tensors(const Field& graph, Graph& into, Scope& scope) {
    const Field tensors = need(graph, "tensor_values", Kind::dict);
    document_.for_each_item(tensors.value, [&](Value name, Value meta) {
      if (name.kind() != Kind::text) tensors.fail("names of tensors", kind_name(name.kind()));
      const std::string_view text = document_.text(name);
      const auto [id, is_new] = scope.tensors.add(name.bits());
      if (is_new) {
        id = static_cast<TensorId>(into.tensors.size());
        into.tensors.emplace_back();
      }
      into.tensors[id] = read_tensor(tensors.member(text, meta), text);
    });
  }

  Tensor read_tensor(const Field& meta, std::string_view name) {
    meta.require(Kind::dict);
    Tensor tensor;
    tensor.name = name;
    const ElementType type = element_type(number_at(meta, "dtype").value_or(0));
    tensor.element_bytes = type.bytes;
    tensor.is_floating = type.is_floating;
    const Field sizes = need(meta, "sizes", Kind::list);
    if (document_.list_size(sizes.value) > kMostDimensions) sizes.fail("at most 64 dimensions", "more");
    each(sizes, [&](const Field& size) {
      Polynomial read = read_size(size);
      if (read.is_number() && read.number() < 0) size.fail("a size of 0 or more", std::to_string(read.number()));
      tensor.sizes.push_back(std::move(read));
    });
    tensor.is_contiguous = is_contiguous(meta, tensor.sizes);
    const Value device = document_.get(meta.value, "device");
    const Value where = device.kind() == Kind::dict ? document_.get(device, "type") : Value();
    tensor.is_cuda = where.kind() == Kind::text && document_.text(where) == "cuda";
    return tensor;
  }

  /// By the strides; what has none is taken to be as it is when it is new.
  bool is_contiguous(const Field& meta, const std::vector<Polynomial>& sizes) {
    const Field given = meta.member("strides", document_.get(meta.value, "strides"));
    if (given.value.kind() != Kind::list || document_.list_size(given.value) != sizes.size()) return true;
    std::vector<Polynomial> strides;
    each(given, [&](const Field& stride) { strides.push_back(read_size(stride)); });
    Polynomial expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      if (sizes[i] == Polynomial(1)) continue; // the stride of a single element means nothing
      if (strides[i] != expected) return false;
      expected *= sizes[i];
    }
    return true;
  }

  void read_numbers(const Field& graph, Scope& scope) {
    const Field numbers = graph.member("sym_int_values", document_.get(graph.value, "sym_int_values"));
    if (numbers.value.kind() != Kind::dict) return;
    document_.for_each_item(numbers.value, [&](Value name, Value size) {
      if (name.kind() == Kind::text) scope.numbers[name.bits()] = read_size(numbers.member(document_.text(name), size));
    });
  }

  [[nodiscard]] static TensorId tensor_named(const Scope& scope, const Field& name) {
    const TensorId* const known = scope.tensors.find(name.value.bits());
    if (known == nullptr) name.fail("the name of a tensor in tensor_values", "another");
    return *known;
  }

  /// {"as_tensor": {"name": "x"}} and its like: the key that says what it is, and what stands there.
  [[nodiscard]] std::pair<std::string_view, Field> chosen(const Field& argument) const {
    argument.require(Kind::dict);
    std::pair<std::string_view, Field> found{"", argument};
    document_.for_each_item(argument.value, [&](Value key, Value value) {
      if (!found.first.empty() || key.kind() != Kind::text || !is_present(value)) return;
      const std::string_view name = document_.text(key);
      found = {name, argument.member(name, value)};
    });
    return found;
  }

  /// Of {"name": "x"}.
  [[nodiscard]] TensorId read_tensor_name(const Field& tensor, const Scope& scope) const {
    tensor.require(Kind::dict);
    return tensor_named(scope, need(tensor, "name", Kind::text));
  }

  [[nodiscard]] std::vector<TensorId> read_tensor_names(std::string_view what, const Field& value,
                                                        const Scope& scope) const {
    std::vector<TensorId> tensors;
    const auto add_optional = [&](const Field& one) {
      one.require(Kind::dict);
      const Field tensor = one.member("as_tensor", document_.get(one.value, "as_tensor"));
      if (tensor.is_present()) tensors.push_back(read_tensor_name(tensor, scope));
    };
    if (what == "as_tensor") tensors.push_back(read_tensor_name(value, scope));
    if (what == "as_tensors") each(value, [&](const Field& one) { tensors.push_back(read_tensor_name(one, scope)); });
    if (what == "as_optional_tensor") add_optional(value);
    if (what == "as_optional_tensors") each(value, add_optional);
    if (what == "as_nested_tensors")
      each(value, [&](const Field& list) {
        each(list, [&](const Field& one) { tensors.push_back(read_tensor_name(one, scope)); });
      });
    return tensors;
  }

  /// Of an int, {"as_int": 3} or {"as_name": "sym_size"}; nothing where it is none that is known.
  [[nodiscard]] std::optional<Polynomial> read_number(const Field& number, const Scope& scope) const {
    if (const auto plain = document_.as_signed(number.value)) return Polynomial(*plain);
    if (number.value.kind() != Kind::dict) return std::nullopt;
    if (const auto plain = number_at(number, "as_int")) return Polynomial(*plain);
    const Value name = document_.get(number.value, "as_name");
    const Polynomial* const known = name.kind() == Kind::text ? scope.numbers.find(name.bits()) : nullptr;
    return known == nullptr ? std::nullopt : std::optional(*known);
  }

  [[nodiscard]] static bool is_true(const Field& value) {
    return value.value.kind() == Kind::boolean && value.value.payload() != 0;
  }

  Argument read_argument(const Field& given, const Scope& scope, ModuleId module, std::size_t level) {
    given.require(Kind::dict);
    Argument argument;
    const Value name = document_.get(given.value, "name");
    if (name.kind() == Kind::text) argument.name = document_.text(name);
    const Field held = need(given, "arg", Kind::dict);
    const auto [what, value] = chosen(held);
    argument.is_list = what.ends_with('s');
    if (what.find("tensor") != std::string_view::npos && what != "as_string_to_argument") {
      argument.kind = Argument::Kind::tensors;
      argument.tensors = read_tensor_names(what, value, scope);
      if (argument.tensors.empty() && !argument.is_list) argument.kind = Argument::Kind::none;
    } else if (what == "as_int" || what == "as_sym_int") {
      read_numbers_of(argument, {read_number(value, scope)});
    } else if (what == "as_ints" || what == "as_sym_ints") {
      std::vector<std::optional<Polynomial>> numbers;
      each(value, [&](const Field& one) { numbers.push_back(read_number(one, scope)); });
      read_numbers_of(argument, numbers);
    } else if (what == "as_bools") {
      argument.kind = Argument::Kind::numbers;
      each(value, [&](const Field& one) { argument.numbers.emplace_back(is_true(one) ? 1 : 0); });
    } else if (what == "as_bool") {
      argument.kind = Argument::Kind::boolean;
      argument.boolean = is_true(value);
    } else if (what == "as_string" || what == "as_operator") {
      argument.kind = Argument::Kind::text;
      argument.text = value.text(document_);
    } else if (what == "as_graph") {
      argument.kind = Argument::Kind::graph;
      argument.graph = add_graph(need(value, "graph", Kind::dict), module, level);
    } else if (what.empty() || what == "as_none") {
      argument.kind = Argument::Kind::none;
    }
    return argument;
  }

  /// Where one of them is not known, the argument is of no use.
  static void read_numbers_of(Argument& argument, const std::vector<std::optional<Polynomial>>& numbers) {
    for (const std::optional<Polynomial>& number : numbers) {
      if (!number) return;
      argument.numbers.push_back(*number);
    }
    argument.kind = Argument::Kind::numbers;
  }

  GraphId add_graph(const Field& graph, ModuleId module, std::size_t level) {
    if (level >= kMostNestedGraphs) graph.fail("at most 32 graphs one in another", "more");
    const auto id = static_cast<GraphId>(program_.graphs.size());
    program_.graphs.emplace_back();
    read_graph(graph, id, module, level + 1);
    return id;
  }

  void read_node(const Field& given, Graph& graph, const Scope& scope, ModuleId outer, std::size_t level) {
    given.require(Kind::dict);
    Node node;
    node.target = plain_target(need(given, "target", Kind::text).text(document_));
    node.module = outer;
    const Value metadata = document_.get(given.value, "metadata");
    const Value stack = metadata.kind() == Kind::dict ? document_.get(metadata, "nn_module_stack") : Value();
    if (stack.kind() == Kind::text && !document_.text(stack).empty())
      node.module = modules_.innermost(document_.text(stack));
    each(need(given, "inputs", Kind::list),
         [&](const Field& argument) { node.arguments.push_back(read_argument(argument, scope, node.module, level)); });
    each(need(given, "outputs", Kind::list), [&](const Field& output) {
      const auto [what, value] = chosen(output);
      const std::vector<TensorId> tensors = read_tensor_names(what, value, scope);
      node.outputs.insert(node.outputs.end(), tensors.begin(), tensors.end());
    });
    graph.nodes.push_back(std::move(node));
  }

  void read_ends(const Field& graph, std::string_view key, const Scope& scope, std::vector<TensorId>& into) const {
    const Field ends = need(graph, key, Kind::list);
    each(ends, [&](const Field& end) {
      const auto [what, value] = chosen(end);
      const std::vector<TensorId> tensors = read_tensor_names(what, value, scope);
      into.insert(into.end(), tensors.begin(), tensors.end());
    });
  }

  /// Built beside and moved in, because sub-graphs make the vector of graphs grow.
  void read_graph(const Field& given, GraphId id, ModuleId module, std::size_t level) {
    Graph graph;
    Scope scope;
    read_tensors(given, graph, scope);
    read_numbers(given, scope);
    read_ends(given, "inputs", scope, graph.inputs);
    each(need(given, "nodes", Kind::list), [&](const Field& node) { read_node(node, graph, scope, module, level); });
    read_ends(given, "outputs", scope, graph.outputs);
    if (id == 0) whole_ = std::move(scope);
    program_.graphs[id] = std::move(graph);
  }

  void read_weights(const Field& signature) {
    each(need(signature, "input_specs", Kind::list), [&](const Field& given) {
      const auto [what, value] = chosen(given);
      if (what != "parameter" && what != "buffer") return;
      const bool is_parameter = what == "parameter";
      Weight weight;
      weight.name = need(value, is_parameter ? "parameter_name" : "buffer_name", Kind::text).text(document_);
      weight.tensor = read_tensor_name(need(value, "arg", Kind::dict), whole_);
      weight.is_parameter = is_parameter;
      program_.weights.push_back(std::move(weight));
    });
  }

  const Document& document_;
  Program& program_;
  ModuleTree modules_;
  Scope whole_; ///< of the main graph
};

/// A program that was exported without real tensors names one file for all of them: weights of different sizes with one
/// name do not share a storage.
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

Program read_program(std::string_view json) {
  const Document document = json::read(json);
  Program program;
  try {
    Reader(document, program).read();
  } catch (const SchemaError& error) {
    throw Error(error.what());
  }
  return program;
}

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

} // namespace memviz::model
