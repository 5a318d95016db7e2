#include "program/program_reader.hpp"

#include "base/hash_map.hpp"
#include "program/module_stack.hpp"
#include "program/program_fields.hpp"
#include "program/tensor_reader.hpp"
#include "program/work_budget.hpp"
#include "value/document.hpp"
#include "value/field.hpp"
#include "json/json_reader.hpp"

#include "memviz/error.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz::program {
namespace {

constexpr std::size_t kMostNestedGraphs = 32;
constexpr std::int64_t kOldestSchema = 4; // PyTorch 2.3, the first whose archives have tensor_values as read here
constexpr std::int64_t kNewestSchema = 8;

/// Returns "aten.mm.default" for "torch.ops.aten.mm.default", and for the form of PyTorch up to 2.4 for symbolic sizes.
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
      : document_(document), program_(program), tensors_(document, program.symbols), modules_(program.modules) {}

  void read() {
    const Field whole{document_.root, nullptr, "the program"};
    whole.require(Kind::dict);
    read_versions(whole);
    read_ranges(whole);
    const Field module = need(document_, whole, "graph_module", Kind::dict);
    program_.graphs.emplace_back();
    read_graph(need(document_, module, "graph", Kind::dict), 0, kWholeModel, 1);
    read_weights(need(document_, module, "signature", Kind::dict));
  }

private:
  void read_versions(const Field& whole) {
    const Field version = need(document_, whole, "schema_version", Kind::dict);
    const std::int64_t major = number_at(document_, version, "major").value_or(-1);
    const std::int64_t minor = number_at(document_, version, "minor").value_or(0);
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
      values.least = number_at(document_, limits, "min_val").value_or(values.least);
      values.most = number_at(document_, limits, "max_val").value_or(values.most);
      program_.ranges.emplace(document_.text(name), values);
    });
  }

  void read_tensors(const Field& graph, Graph& into, Scope& scope) {
    const Field tensors = need(document_, graph, "tensor_values", Kind::dict);
    document_.for_each_item(tensors.value, [&](Value name, Value meta) {
      if (name.kind() != Kind::text) tensors.fail("names of tensors", value_name(name.kind()));
      const std::string_view text = document_.text(name);
      const auto [id, is_new] = scope.tensors.add(name.bits());
      if (is_new) {
        id = static_cast<TensorId>(into.tensors.size());
        into.tensors.emplace_back();
      }
      into.tensors[id] = tensors_.read_tensor(tensors.member(text, meta), text);
    });
  }

  void read_numbers(const Field& graph, Scope& scope) {
    const Field numbers = graph.member("sym_int_values", document_.get(graph.value, "sym_int_values"));
    if (numbers.value.kind() != Kind::dict) return;
    document_.for_each_item(numbers.value, [&](Value name, Value size) {
      if (name.kind() == Kind::text)
        scope.numbers[name.bits()] = tensors_.read_size(numbers.member(document_.text(name), size));
    });
  }

  [[nodiscard]] static TensorId tensor_named(const Scope& scope, const Field& name) {
    const TensorId* const known = scope.tensors.find(name.value.bits());
    if (known == nullptr) name.fail("the name of a tensor in tensor_values", "another");
    return *known;
  }

  /// Reads the name of {"name": "x"}.
  [[nodiscard]] TensorId read_tensor_name(const Field& tensor, const Scope& scope) const {
    tensor.require(Kind::dict);
    return tensor_named(scope, need(document_, tensor, "name", Kind::text));
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
    if (what == "as_tensors")
      each(document_, value, [&](const Field& one) { tensors.push_back(read_tensor_name(one, scope)); });
    if (what == "as_optional_tensor") add_optional(value);
    if (what == "as_optional_tensors") each(document_, value, add_optional);
    if (what == "as_nested_tensors")
      each(document_, value, [&](const Field& list) {
        each(document_, list, [&](const Field& one) { tensors.push_back(read_tensor_name(one, scope)); });
      });
    return tensors;
  }

  /// Reads an int, {"as_int": 3} or {"as_name": "sym_size"}; nothing for an unknown form.
  [[nodiscard]] std::optional<Polynomial> read_number(const Field& number, const Scope& scope) const {
    if (const auto plain = document_.as_signed(number.value)) return Polynomial(*plain);
    if (number.value.kind() != Kind::dict) return std::nullopt;
    if (const auto plain = number_at(document_, number, "as_int")) return Polynomial(*plain);
    const Value name = document_.get(number.value, "as_name");
    const Polynomial* const known = name.kind() == Kind::text ? scope.numbers.find(name.bits()) : nullptr;
    if (known == nullptr) return std::nullopt;
    spend(known->terms().size()); // a copy
    return *known;
  }

  [[nodiscard]] static bool is_true(const Field& value) {
    return value.value.kind() == Kind::boolean && value.value.payload() != 0;
  }

  Argument read_argument(const Field& given, const Scope& scope, ModuleId module, std::size_t level) {
    given.require(Kind::dict);
    Argument argument;
    const Value name = document_.get(given.value, "name");
    if (name.kind() == Kind::text) argument.name = document_.text(name);
    const Field held = need(document_, given, "arg", Kind::dict);
    const auto [what, value] = choice_of(document_, held);
    argument.is_list = what.ends_with('s');
    if (what.find("tensor") != std::string_view::npos && what != "as_string_to_argument") {
      argument.kind = Argument::Kind::tensors;
      argument.tensors = read_tensor_names(what, value, scope);
      if (argument.tensors.empty() && !argument.is_list) argument.kind = Argument::Kind::none;
    } else if (what == "as_int" || what == "as_sym_int") {
      read_numbers_of(argument, {read_number(value, scope)});
    } else if (what == "as_ints" || what == "as_sym_ints") {
      std::vector<std::optional<Polynomial>> numbers;
      each(document_, value, [&](const Field& one) { numbers.push_back(read_number(one, scope)); });
      read_numbers_of(argument, numbers);
    } else if (what == "as_bools") {
      argument.kind = Argument::Kind::numbers;
      each(document_, value, [&](const Field& one) { argument.numbers.emplace_back(is_true(one) ? 1 : 0); });
    } else if (what == "as_bool") {
      argument.kind = Argument::Kind::boolean;
      argument.boolean = is_true(value);
    } else if (what == "as_float" && value.value.kind() == Kind::real) {
      argument.kind = Argument::Kind::real;
      argument.real = document_.real(value.value);
    } else if (what == "as_string" || what == "as_operator") {
      argument.kind = Argument::Kind::text;
      argument.text = value.text(document_);
    } else if (what == "as_graph") {
      argument.kind = Argument::Kind::graph;
      argument.graph = add_graph(need(document_, value, "graph", Kind::dict), module, level);
    } else if (what.empty() || what == "as_none") {
      argument.kind = Argument::Kind::none;
    }
    return argument;
  }

  /// Keeps the numbers of an argument, unless one of them is unknown.
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
    node.target = plain_target(need(document_, given, "target", Kind::text).text(document_));
    node.module = outer;
    const Value metadata = document_.get(given.value, "metadata");
    const Value stack = metadata.kind() == Kind::dict ? document_.get(metadata, "nn_module_stack") : Value();
    if (stack.kind() == Kind::text && !document_.text(stack).empty())
      node.module = modules_.innermost(document_.text(stack));
    each(document_, need(document_, given, "inputs", Kind::list),
         [&](const Field& argument) { node.arguments.push_back(read_argument(argument, scope, node.module, level)); });
    each(document_, need(document_, given, "outputs", Kind::list), [&](const Field& output) {
      const auto [what, value] = choice_of(document_, output);
      const std::vector<TensorId> tensors = read_tensor_names(what, value, scope);
      node.outputs.insert(node.outputs.end(), tensors.begin(), tensors.end());
    });
    graph.nodes.push_back(std::move(node));
  }

  void read_ends(const Field& graph, std::string_view key, const Scope& scope, std::vector<TensorId>& into) const {
    const Field ends = need(document_, graph, key, Kind::list);
    each(document_, ends, [&](const Field& end) {
      const auto [what, value] = choice_of(document_, end);
      const std::vector<TensorId> tensors = read_tensor_names(what, value, scope);
      into.insert(into.end(), tensors.begin(), tensors.end());
    });
  }

  /// Built separately and moved in, because sub-graphs make the vector of graphs grow.
  void read_graph(const Field& given, GraphId id, ModuleId module, std::size_t level) {
    Graph graph;
    Scope scope;
    read_tensors(given, graph, scope);
    read_numbers(given, scope);
    read_ends(given, "inputs", scope, graph.inputs);
    each(document_, need(document_, given, "nodes", Kind::list),
         [&](const Field& node) { read_node(node, graph, scope, module, level); });
    read_ends(given, "outputs", scope, graph.outputs);
    if (id == 0) whole_ = std::move(scope);
    program_.graphs[id] = std::move(graph);
  }

  void read_weights(const Field& signature) {
    each(document_, need(document_, signature, "input_specs", Kind::list), [&](const Field& given) {
      const auto [what, value] = choice_of(document_, given);
      if (what != "parameter" && what != "buffer") return;
      const bool is_parameter = what == "parameter";
      Weight weight;
      weight.name = need(document_, value, is_parameter ? "parameter_name" : "buffer_name", Kind::text).text(document_);
      weight.tensor = read_tensor_name(need(document_, value, "arg", Kind::dict), whole_);
      weight.is_parameter = is_parameter;
      program_.weights.push_back(std::move(weight));
    });
  }

  const Document& document_;
  Program& program_;
  TensorReader tensors_;
  ModuleTree modules_;
  Scope whole_; ///< of the main graph
};

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

} // namespace memviz::program
