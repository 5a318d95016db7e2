#include "hostile_shapes.hpp"

#include "../support/exported_program.hpp"
#include "../support/zip_builder.hpp"

#include <fmt/format.h>

namespace memviz::fuzz {
namespace {

using namespace memviz::test;

constexpr std::size_t kStackLevels = 256; ///< of modules, the maximum depth that is read

/// Uncompressed, so that the file is as large as its contents.
std::string archive_of(const ExportedProgram& program) {
  return zip_archive({{"version", "8.2"}, {"serialized_exported_program.json", program.json()}});
}

/// Calls add(program, number) until there are `bytes`; returns how often.
template <class Add> std::string filled(std::size_t bytes, ExportedProgram program, const Add& add) {
  std::size_t size = 0;
  for (std::size_t number = 0; size < bytes; ++number)
    size += add(program, number);
  return archive_of(program);
}

/// Returns a program with the matrices for a product of "a" and "a" to "a".
ExportedProgram squares(const std::string& side) {
  ExportedProgram program;
  program.tensor("a", side + "," + side);
  return program;
}

/// Adds such a product, in modules.
std::size_t multiply(ExportedProgram& program, const std::string& stack) {
  constexpr std::size_t kBytes = 200;
  program.node("aten.mm.default", product_inputs("a", "a"), output("a"), stack);
  return kBytes + stack.size();
}

/// A size without a value.
std::string unknown_size(const std::string& expression) {
  return fmt::format(R"({{"as_expr": {{"expr_str": "{}", "hint": null}}}})", expression);
}

/// "s0 + s1 + ..."
std::string sum_of_symbols(std::size_t count) {
  std::string sum = "s0";
  for (std::size_t i = 1; i < count; ++i)
    sum += fmt::format("+s{}", i);
  return sum;
}

/// "x,l.0,T;x,l.0.0,T;..."
std::string stack_of(std::size_t levels) {
  std::string stack;
  std::string path = "l";
  for (std::size_t i = 0; i < levels; ++i)
    stack += fmt::format("x,{},T;", path += ".0");
  return stack;
}

std::string operators_without_anything(std::size_t bytes) {
  return filled(bytes, {}, [](ExportedProgram& program, std::size_t number) {
    program.node(fmt::format("o.{}", number), "", "");
    return std::size_t{70};
  });
}

std::string tensors_of_a_program(std::size_t bytes) {
  return filled(bytes, {}, [](ExportedProgram& program, std::size_t number) {
    program.tensor(fmt::format("{}", number), "");
    return std::size_t{60};
  });
}

std::string modules_beside_each_other(std::size_t bytes) {
  return filled(bytes, squares(size(2)), [](ExportedProgram& program, std::size_t number) {
    return multiply(program, fmt::format("x,m{},T", number));
  });
}

/// Each node names the module of the previous one as the parent of its own.
std::string modules_in_modules(std::size_t bytes) {
  return filled(bytes, squares(size(2)), [](ExportedProgram& program, std::size_t number) {
    return multiply(program, fmt::format("x,m{},T;x,m{},T", number, number + 1));
  });
}

std::string modules_below_deep_ones(std::size_t bytes) {
  const std::string deepest = stack_of(kStackLevels - 1);
  ExportedProgram program = squares(size(2));
  multiply(program, deepest);
  const std::string path = deepest.substr(deepest.rfind(",l") + 1, deepest.rfind(",T") - deepest.rfind(",l") - 1);
  return filled(bytes, std::move(program), [&](ExportedProgram& into, std::size_t number) {
    return multiply(into, fmt::format("x,{},T;x,m{},T", path, number));
  });
}

std::string numbered_modules_in_blocks(std::size_t bytes) {
  return filled(bytes, squares(size(2)), [](ExportedProgram& program, std::size_t number) {
    return multiply(program, fmt::format("x,h.{},T;x,h.{}.0,T;x,h.{}.0.1,T", number, number, number));
  });
}

/// A name of a weight and a path of a module, both long and with a dot in every second place.
std::string a_weight_with_a_long_name(std::size_t bytes) {
  std::string path = "a";
  while (path.size() < bytes / 2)
    path += ".a";
  ExportedProgram program = squares(size(2));
  multiply(program, fmt::format("x,{},T", path.substr(0, path.size() / 2)));
  program.parameter("a", path + ".b");
  return archive_of(program);
}

std::string weights_of_deep_modules(std::size_t bytes) {
  ExportedProgram program = squares(size(2));
  const std::string stack = stack_of(kStackLevels - 1);
  multiply(program, stack);
  const std::string path = stack.substr(stack.rfind(",l") + 1, stack.rfind(",T") - stack.rfind(",l") - 1);
  return filled(bytes, std::move(program), [&](ExportedProgram& into, std::size_t number) {
    into.parameter("a", fmt::format("{}.{}", path, number));
    return path.size() + 60;
  });
}

std::string sizes_that_are_powers_of_sums(std::size_t bytes) {
  std::string text = "(1+s0+s1)**10*(1+s0+s1)**10";
  while (text.size() < 4000)
    text += "+(1+s0+s1)**10*(1+s0+s1)**10";
  return filled(bytes, {}, [&](ExportedProgram& program, std::size_t number) {
    program.tensor(fmt::format("{}", number), unknown_size(text));
    return text.size() + 60;
  });
}

std::string sizes_that_are_functions_of_functions(std::size_t bytes) {
  return filled(bytes, {}, [&](ExportedProgram& program, std::size_t number) {
    std::string text = fmt::format("n{}{}", number, std::string(3000, 'n'));
    for (int level = 0; level < 45; ++level)
      text = "floor((" + text + ")/2)";
    program.tensor(fmt::format("{}", number), unknown_size(text));
    return text.size() + 60;
  });
}

std::string products_of_long_sums(std::size_t bytes) {
  return filled(bytes, squares(unknown_size(sum_of_symbols(8))),
                [](ExportedProgram& program, std::size_t /*number*/) { return multiply(program, ""); });
}

std::string modules_with_long_formulas(std::size_t bytes) {
  return filled(bytes, squares(unknown_size(sum_of_symbols(9))), [](ExportedProgram& program, std::size_t number) {
    return multiply(program, fmt::format("x,m{},T", number));
  });
}

/// The text of a symbol may be as long as a size.
std::string modules_with_formulas_of_long_names(std::size_t bytes) {
  const std::string name(4000, 'n');
  return filled(bytes, squares(unknown_size(name)), [](ExportedProgram& program, std::size_t number) {
    return multiply(program, fmt::format("x,m{},T", number));
  });
}

std::string many_dimensions(std::size_t bytes) {
  constexpr std::size_t kDimensions = 62;
  std::string sizes = unknown_size(sum_of_symbols(200)) + "," + size(1);
  for (std::size_t i = 0; i < kDimensions; ++i)
    sizes += "," + size(1);
  ExportedProgram program;
  program.tensor("a", sizes);
  return filled(bytes, std::move(program),
                [](ExportedProgram& into, std::size_t /*number*/) { return multiply(into, ""); });
}

std::string equations_of_many_operands(std::size_t bytes) {
  return filled(bytes, squares(size(1)), [](ExportedProgram& program, std::size_t /*number*/) {
    constexpr std::size_t kOperands = 250;
    std::string equation;
    std::string tensors;
    for (std::size_t i = 0; i < kOperands; ++i) {
      const char letter = static_cast<char>('A' + i % 58);
      equation +=
          fmt::format("{}{}{}", i == 0 ? "" : ",", letter == '\\' ? 'a' : letter, static_cast<char>('a' + i % 26));
      tensors += fmt::format(R"({}{{"name": "a"}})", i == 0 ? "" : ",");
    }
    const std::string inputs = fmt::format(R"({{"name": "equation", "arg": {{"as_string": "{}"}}}},)", equation) +
                               fmt::format(R"({{"name": "tensors", "arg": {{"as_tensors": [{}]}}}})", tensors);
    program.node("aten.einsum.default", inputs, output("a"));
    return inputs.size() + 100;
  });
}

std::string an_equation_of_many_operands(std::size_t bytes) {
  std::string equation = "ab";
  std::string tensors = R"({"name": "a"})";
  while (equation.size() + tensors.size() < bytes) {
    equation += ",ab";
    tensors += R"(,{"name": "a"})";
  }
  ExportedProgram program = squares(size(2));
  program.node("aten.einsum.default",
               fmt::format(R"({{"name": "equation", "arg": {{"as_string": "{}"}}}},)", equation) +
                   fmt::format(R"({{"name": "tensors", "arg": {{"as_tensors": [{}]}}}})", tensors),
               output("a"));
  return archive_of(program);
}

/// A size with a name that has many terms, taken again and again.
std::string references_to_a_long_size(std::size_t bytes) {
  std::string json = R"({"graph_module": {"graph": {"inputs": [], "outputs": [], "tensor_values": {}, )"
                     R"("sym_int_values": {"x": )" +
                     unknown_size(sum_of_symbols(250)) +
                     R"(}, "nodes": [{"target": "o", "outputs": [], "inputs": [{"name": "", "arg": {"as_sym_ints": [)"
                     R"({"as_name": "x"})";
  while (json.size() < bytes)
    json += R"(,{"as_name": "x"})";
  json += R"(]}}]}]}, "signature": {"input_specs": [], "output_specs": []}}, "range_constraints": {}, )"
          R"("schema_version": {"major": 8, "minor": 2}, "torch_version": "2.13.0"})";
  return zip_archive({{"version", "8.2"}, {"serialized_exported_program.json", json}});
}

std::string graphs_in_graphs(std::size_t bytes) {
  constexpr int kLevels = 30;
  ExportedProgram innermost = squares(size(2));
  for (std::size_t size = 0; size < bytes;)
    size += multiply(innermost, "");
  std::string graph = innermost.graph();
  for (int level = 0; level < kLevels; ++level) {
    ExportedProgram outer;
    outer.node("higher_order.cond", graph_argument(graph), "");
    graph = outer.graph();
  }
  ExportedProgram whole;
  whole.node("higher_order.cond", graph_argument(graph), "");
  return archive_of(whole);
}

/// One operand of a node, with many arguments next to it.
std::string arguments_of_a_node(std::size_t bytes) {
  std::string inputs = tensor_argument("self", "a");
  while (inputs.size() < bytes)
    inputs += R"(,{"name": "x", "arg": {"as_int": 1}})";
  ExportedProgram program = squares(size(2));
  program.node("aten.mm.default", inputs, output("a"));
  return archive_of(program);
}

} // namespace

std::vector<HostileShape> archive_shapes() {
  std::vector<HostileShape> shapes{
      {"operators without anything", operators_without_anything},
      {"tensors of a program", tensors_of_a_program},
      {"modules beside each other", modules_beside_each_other},
      {"modules in modules", modules_in_modules},
      {"modules below deep ones", modules_below_deep_ones},
      {"numbered modules in blocks", numbered_modules_in_blocks},
      {"a weight with a long name", a_weight_with_a_long_name},
      {"weights of deep modules", weights_of_deep_modules},
      {"sizes that are powers of sums", sizes_that_are_powers_of_sums},
      {"sizes of functions in functions", sizes_that_are_functions_of_functions},
      {"products of long sums", products_of_long_sums},
      {"modules with long formulas", modules_with_long_formulas},
      {"formulas of long names", modules_with_formulas_of_long_names},
      {"many dimensions", many_dimensions},
      {"equations of many operands", equations_of_many_operands},
      {"an equation of many operands", an_equation_of_many_operands},
      {"references to a long size", references_to_a_long_size},
      {"graphs in graphs", graphs_in_graphs},
      {"arguments of a node", arguments_of_a_node},
  };
  for (HostileShape& shape : shapes)
    shape.kind = FileKind::archive;
  return shapes;
}

} // namespace memviz::fuzz
