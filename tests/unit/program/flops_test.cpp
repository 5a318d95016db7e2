#include "memviz/flops.hpp"

#include "memviz/error.hpp"
#include "memviz/flops_modules.hpp"
#include "memviz/flops_report.hpp"
#include "memviz/flops_tree.hpp"
#include "memviz/svg.hpp"
#include "story/flops_words.hpp"
#include "support/contains.hpp"
#include "support/exported_program.hpp"
#include "support/zip_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>

using namespace memviz;
using namespace memviz::test;

namespace {

ModelFlops counted(const std::string& json, const FlopOptions& options = {}) {
  return count_flops(flat_program(json), options);
}

std::string refusal_of(const std::string& json, const FlopOptions& options = {}) {
  try {
    (void)counted(json, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// A product of rows x 10 and 10 x 20.
ExportedProgram product(const std::string& rows) {
  ExportedProgram program;
  program.tensor("x", rows + "," + size(10)).tensor("w", size(10) + "," + size(20)).tensor("y", rows + "," + size(20));
  program.node("torch.ops.aten.mm.default", product_inputs("x", "w"), output("y"),
               "L__self__,,main.Net;L__self___layers_0,layers.0,torch.nn.modules.linear.Linear");
  return program.parameter("w", "layers.0.weight");
}

} // namespace

TEST_CASE("a product of matrices costs twice what it multiplies") {
  const ModelFlops model = counted(product(size(2)).json());
  CHECK(model.flops.value == 800);
  CHECK(model.flops.formula.empty());
  REQUIRE(model.operators.size() == 1);
  CHECK(model.operators.front().name == "aten.mm");
  CHECK(model.operators.front().calls == 1);
  CHECK(model.parameters == 200);
  CHECK(model.parameter_bytes == 800);
  REQUIRE(model.modules.size() == 2);
  CHECK(model.modules[0].type == "main.Net");
  CHECK(model.modules[1].path == "layers.0");
  CHECK(model.modules[1].own_flops.value == 800);
  CHECK(model.modules[1].parameter_bytes == 800);
  CHECK(model.saved_bytes.value == 80); // the input, because the weight needs a gradient
}

TEST_CASE("a table of weights that has another form is not used") {
  for (const char* const table : {"[]", "{}", R"({"config": []})", R"({"config": {"w": 1}})"}) {
    CAPTURE(table);
    const ModelFlops model = count_flops(zip_archive(
        {{"a/models/model.json", product(size(2)).json()}, {"a/data/weights/model_weights_config.json", table}}));
    CHECK(model.parameters == 200);
  }
}

TEST_CASE("a product over named dimensions multiplies those, and without names none") {
  const auto flops = [](const std::string& dimensions) {
    ExportedProgram program;
    program.tensor("x", size(4) + "," + size(5)).tensor("y", size(4) + "," + size(4));
    program.node("aten.tensordot.default",
                 tensor_argument("self", "x") + "," + tensor_argument("other", "x") + dimensions, output("y"));
    return counted(program.json()).flops.value;
  };
  CHECK(flops(R"(,{"name": "dims_self", "arg": {"as_ints": [1]}})") == 2 * 4 * 4 * 5);
  CHECK(flops("") == 2 * 4 * 4);
}

TEST_CASE("grouped products share the rows, the columns or the inner size, or are a batch") {
  const auto flops = [](const std::string& left, const std::string& right) {
    ExportedProgram program;
    program.tensor("l", left).tensor("r", right).tensor("y", size(1));
    program.node("aten._grouped_mm.default", tensor_argument("self", "l") + "," + tensor_argument("mat2", "r"),
                 output("y"));
    return counted(program.json()).flops.value;
  };
  const std::string matrix = size(6) + "," + size(5);
  const std::string groups = size(3) + ",";
  CHECK(flops(matrix, size(5) + "," + size(7)) == 2 * 6 * 5 * 7);
  CHECK(flops(matrix, groups + size(5) + "," + size(7)) == 2 * 6 * 5 * 7);
  CHECK(flops(groups + matrix, size(5) + "," + size(7)) == 2 * 6 * 5 * 7);
  CHECK(flops(groups + matrix, groups + size(5) + "," + size(7)) == 2 * 3 * 6 * 5 * 7);
}

TEST_CASE("a symbolic size counts with its hint, with what it is set to, and by its formula") {
  const std::string json = product(size("s0", 4)).json();
  const ModelFlops usual = counted(json);
  CHECK(usual.flops.value == 1600);
  CHECK(usual.flops.formula == "400*s0");
  REQUIRE(usual.symbols.size() == 1);
  CHECK(usual.symbols.front().value == 4);
  CHECK(usual.symbols.front().most == 64);
  const ModelFlops set = counted(json, {.sizes = {{"s0", 8}}});
  CHECK(set.flops.value == 3200);
  CHECK(set.symbols.front().is_given);

  CHECK(contains(refusal_of(json, {.sizes = {{"s1", 8}}}), "the program has no size 's1'; it has s0"));
  CHECK(contains(refusal_of(json, {.sizes = {{"s0", 65}}}), "is valid for s0 from 2 to 64"));
  CHECK(contains(refusal_of(product(size(2)).json(), {.sizes = {{"s0", 8}}}), "all sizes of the program are numbers"));
}

TEST_CASE("without a hint the count is a formula, and a picture says what it needs") {
  const ModelFlops model = counted(product(R"({"as_expr": {"expr_str": "u0", "hint": null}})").json());
  CHECK_FALSE(model.flops.value);
  CHECK(model.flops.formula == "400*u0");
  CHECK(contains(flops_text("m.pt2", model), "m.pt2: 400*u0 FLOP for a forward pass"));
  CHECK_THROWS_WITH_AS(static_cast<void>(flops_svg("m.pt2", model, {})),
                       "a picture needs a size for every symbol: 400*u0 has no value, give one with --set", Error);
}

TEST_CASE("a weight of unknown size is not among the parameters") {
  ExportedProgram program = product(size(2));
  program.tensor("v", R"({"as_expr": {"expr_str": "u0", "hint": null}})").parameter("v", "layers.0.bias");
  const ModelFlops model = counted(program.json());
  CHECK(model.parameters == 200);
  CHECK(model.parameter_bytes == 800);
}

TEST_CASE("of two branches the more expensive one counts, a map for every row, a loop once") {
  ExportedProgram cheap = product(size(2));
  ExportedProgram dear = product(size(3));
  ExportedProgram program;
  program.tensor("p", "").tensor("rows", size(5) + "," + size(3));
  const std::string operands = R"({"name": "", "arg": {"as_tensors": [{"name": "rows"}]}})";
  program.node("torch.ops.higher_order.cond",
               tensor_argument("", "p") + "," + graph_argument(cheap.graph()) + "," + graph_argument(dear.graph()) +
                   "," + operands,
               "");
  const ModelFlops branches = counted(program.json());
  CHECK(branches.flops.value == 1200);
  CHECK(one_contains(flops_notes(branches), "only the more expensive branch of a cond counts"));

  ExportedProgram mapped;
  mapped.tensor("rows", size(5) + "," + size(3));
  mapped.node("torch.ops.higher_order.map_impl", graph_argument(cheap.graph()) + "," + operands, "");
  CHECK(counted(mapped.json()).flops.value == 5 * 800);

  ExportedProgram loop;
  loop.tensor("rows", size(5) + "," + size(3));
  loop.node("torch.ops.higher_order.while_loop",
            graph_argument(ExportedProgram().graph()) + "," + graph_argument(cheap.graph()) + "," + operands, "");
  const ModelFlops once = counted(loop.json());
  CHECK(once.flops.value == 800);
  CHECK(one_contains(flops_notes(once), "a while_loop counts once"));
}

TEST_CASE("what is not counted is listed, and what may be work says so") {
  ExportedProgram program = product(size(2));
  program.node("torch.ops.aten.relu.default", tensor_argument("self", "y"), output("y"));
  program.node("torch.ops.aten.cdist.default", tensor_argument("x1", "y"), output("y"));
  program.node("torch.ops.mylib.fused.default", tensor_argument("x", "y"), output("y"));
  program.node("_operator.mul", "", "");
  const ModelFlops model = counted(program.json());
  REQUIRE(model.uncounted.size() == 4);
  CHECK(model.uncounted[0].name == "aten.cdist");
  CHECK(model.uncounted[0].reason == UncountedReason::unknown_product);
  CHECK(model.uncounted[1].name == "mylib.fused");
  CHECK(model.uncounted[1].reason == UncountedReason::not_pytorch);
  CHECK(model.uncounted[2].reason == UncountedReason::no_product);
  const std::string svg = flops_svg("m.pt2", model, {});
  CHECK(contains(svg, "Not counted: aten.cdist"));
}

TEST_CASE("numbered modules of one class are one row, and sums hold at every row") {
  ExportedProgram program;
  program.tensor("x", size(2) + "," + size(10))
      .tensor("w", size(10) + "," + size(20))
      .tensor("y", size(2) + "," + size(20));
  for (const char* const layer : {"0", "1", "2"}) {
    const std::string stack =
        std::string("a,,main.Net;b,h.") + layer + ",main.Block;c,h." + layer + ".fc,torch.nn.Linear";
    program.node("torch.ops.aten.mm.default", product_inputs("x", "w"), output("y"), stack);
  }
  const std::vector<ModuleRow> rows = module_rows(counted(program.json()));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].flops == 2400);
  CHECK(rows[1].path == "h.*");
  CHECK(rows[1].count == 3);
  CHECK(rows[1].flops == 2400);
  CHECK(rows[2].path == "h.*.fc");
  CHECK(rows[2].own_flops == 2400);
  const FlopsTree tree = flops_tree(counted(program.json()));
  CHECK(tree.tree.root().total == Amount{2400, 3});
}

TEST_CASE("a module whose path is not its parent's and more is called by all of it") {
  ExportedProgram program;
  program.tensor("x", size(2) + "," + size(10)).tensor("w", size(10) + "," + size(20)).tensor("y", size(2));
  program.node("torch.ops.aten.mm.default", product_inputs("x", "w"), output("y"),
               "a,,main.Net;b,h,main.Block;c,h1,main.Twin;d,h1.fc,torch.nn.Linear");
  const std::vector<ModuleRow> rows = module_rows(counted(program.json()));
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].name == "h");
  CHECK(rows[2].name == "h1");
  CHECK(rows[2].path == "h1");
  CHECK(rows[3].name == "fc");
  CHECK(rows[3].path == "h1.fc");
}

TEST_CASE("modules one in another end somewhere, and what is deeper counts for the last") {
  ExportedProgram program;
  program.tensor("a", size(2) + "," + size(2));
  for (int i = 0; i < 1000; ++i)
    program.node("aten.mm.default", product_inputs("a", "a"), output("a"), fmt::format("x,m{},T;x,m{},T", i, i + 1));
  const ModelFlops model = counted(program.json());
  CHECK(model.flops.value == 1000 * 16);
  std::vector<std::size_t> levels(model.modules.size(), 0);
  std::uint64_t own_flops = 0;
  for (std::size_t i = 0; i < model.modules.size(); ++i) {
    if (i > 0) levels[i] = levels[model.modules[i].parent] + 1;
    own_flops += model.modules[i].own_flops.value.value_or(0);
  }
  CHECK(*std::max_element(levels.begin(), levels.end()) == 256);
  CHECK(own_flops == model.flops.value);
}

TEST_CASE("a path that is longer than any is cut, and its weights count for what is around it") {
  std::string path = "a";
  while (path.size() < 100'000)
    path += ".a";
  ExportedProgram program = product(size(2));
  program.node("aten.mm.default", product_inputs("x", "w"), output("y"), "k," + path + ",T");
  program.parameter("x", path + ".b");
  const ModelFlops model = counted(program.json());
  CHECK(model.modules.back().path.size() < 5000);
  CHECK(model.modules.front().parameters == 220);
}

TEST_CASE("scores and sums of fused attention are all it costs, whatever the layout of its operands") {
  const auto attention = [](std::string_view target, const std::string& sizes, const std::string& before) {
    ExportedProgram program;
    program.tensor("q", sizes).tensor("m", size(4) + "," + size(4));
    std::string inputs = before;
    for (const char* const name : {"query", "key", "value"})
      inputs += (inputs.empty() ? "" : ",") + tensor_argument(before.empty() ? name : "", "q");
    for (const char* const block : {"0", "1"})
      program.node(target, inputs, output("q"), std::string("k,h.") + block + ",main.Block");
    return counted(program.json());
  };
  const auto line = [](const ModelFlops& model, std::string_view name) {
    for (const RoleFlops& role : model.transformer.lines) {
      if (role.name == name) return role.flops.value.value_or(0);
    }
    return std::uint64_t{0};
  };
  const std::string by_head = size(2) + "," + size(3) + "," + size(5) + "," + size(7);
  const std::string by_token = size(2) + "," + size(5) + "," + size(3) + "," + size(7);
  const ModelFlops plain = attention("aten._scaled_dot_product_flash_attention.default", by_head, "");
  CHECK(line(plain, "attention/scores") == 2 * 2 * 3 * 5 * 5 * 7);
  CHECK(line(plain, "transformer") == plain.flops.value);
  const ModelFlops packed = attention("aten._flash_attention_forward.default", by_token, "");
  CHECK(packed.flops == plain.flops);
  CHECK(line(packed, "attention/scores") == line(plain, "attention/scores"));
  CHECK(line(packed, "attention/reduce") == line(plain, "attention/reduce"));
  // The operator of the backward pass has arguments without names, and a first one that is not a tensor.
  const ModelFlops backward = attention("aten._scaled_dot_product_flash_attention_backward.default", by_head,
                                        R"({"name": "", "arg": {"as_int": 1}})");
  CHECK(line(backward, "transformer") == backward.flops.value);
}

TEST_CASE("where a block has no module for its attention, the first product after the scores projects") {
  ExportedProgram program;
  program.tensor("q", size(2) + "," + size(3) + "," + size(5) + "," + size(7));
  program.tensor("x", size(2) + "," + size(10)).tensor("y", size(2) + "," + size(20));
  program.tensor("w", size(10) + "," + size(20)).parameter("w", "w");
  const std::string operands =
      tensor_argument("query", "q") + "," + tensor_argument("key", "q") + "," + tensor_argument("value", "q");
  for (const std::string block : {"k,h.0,main.Block", "k,h.1,main.Block"}) {
    program.node("aten.mm.default", product_inputs("x", "w"), output("y"), block);
    program.node("aten._scaled_dot_product_flash_attention.default", operands, output("q"), block);
    for (int product = 0; product < 3; ++product)
      program.node("aten.mm.default", product_inputs("x", "w"), output("y"), block);
  }
  std::map<std::string, std::uint64_t> found;
  for (const RoleFlops& role : counted(program.json()).transformer.lines)
    found[role.name] = role.flops.value.value_or(0);
  constexpr std::uint64_t kProduct = 2 * 2 * 10 * 20;
  CHECK(found["attention/kqv"] == kProduct);
  CHECK(found["attention/proj"] == kProduct);
  CHECK(found["mlp/ffw1"] == kProduct);
  CHECK(found["mlp/ffw2"] == kProduct);
}

TEST_CASE("packed sequences count as if each were the longest") {
  // Two sequences of at most 5 and 4 steps, 3 heads, widths of 7; the file has 9 steps in all.
  const auto number = [](std::string_view name, int value) {
    return R"({"name": ")" + std::string(name) + R"(", "arg": {"as_int": )" + std::to_string(value) + "}}";
  };
  ExportedProgram program;
  program.tensor("q", size(9) + "," + size(3) + "," + size(7)).tensor("starts", size(3));
  const std::string operands = tensor_argument("query", "q") + "," + tensor_argument("key", "q") + "," +
                               tensor_argument("value", "q") + "," + tensor_argument("cum_seq_q", "starts") + "," +
                               tensor_argument("cum_seq_k", "starts");
  program.node("aten._flash_attention_forward.default", operands + "," + number("max_q", 5) + "," + number("max_k", 4),
               output("q"));
  CHECK(counted(program.json()).flops.value == 2 * 2 * 3 * 5 * 4 * (7 + 7));
  program.node("aten._flash_attention_forward.default", operands, output("q"));
  CHECK_THROWS_WITH_AS(static_cast<void>(counted(program.json())), doctest::Contains("no longest sequence"), Error);
}

TEST_CASE("sizes that are long for the length of their program are refused") {
  std::string power = "(1+s0+s1)**10*(1+s0+s1)**10";
  while (power.size() < 4000)
    power += "+(1+s0+s1)**10*(1+s0+s1)**10";
  ExportedProgram program;
  for (int i = 0; i < 10; ++i)
    program.tensor(std::to_string(i), size(power, 1));
  CHECK(contains(refusal_of(program.json()), "take more work than its length can be meant for"));
}

TEST_CASE("a program that is damaged or hostile is an error that says where") {
  CHECK(contains(refusal_of("{"), "expected JSON"));
  CHECK(contains(refusal_of("[]"), "expected a dict for the program, found a list"));
  CHECK(contains(refusal_of("{}"), "schema_version"));
  CHECK(contains(refusal_of(product(size(2)).json(R"({"major": 99, "minor": 0})")), "found 99.0"));
  CHECK(contains(refusal_of(product(size(-2)).json()), "a size of 0 or more for"));
  CHECK(contains(refusal_of(product(R"({"as_int": 9223372036854775808})").json()), "a size of less than 2^63"));
  CHECK(contains(refusal_of(product(size(std::numeric_limits<long long>::max())).json()), "more than 2^63"));
  CHECK(contains(refusal_of(product(R"({"as_int": "2"})").json()), "graph_module.graph.tensor_values.x.sizes[0]"));
  ExportedProgram unknown = product(size(2));
  unknown.node("torch.ops.aten.mm.default", product_inputs("x", "nobody"), output("y"));
  CHECK(contains(refusal_of(unknown.json()), "nodes[1].inputs[1].arg.as_tensor.name"));
  ExportedProgram flat;
  flat.tensor("x", "").tensor("y", "");
  flat.node("torch.ops.aten.mm.default", product_inputs("x", "x"), output("y"));
  CHECK(contains(refusal_of(flat.json()), "the program calls aten.mm.default with too few dimensions"));
}

TEST_CASE("graphs within graphs end somewhere") {
  std::string graph = product(size(2)).graph();
  for (int i = 0; i < 40; ++i) {
    ExportedProgram outer;
    outer.node("torch.ops.higher_order.wrap", graph_argument(graph), "");
    graph = outer.graph();
  }
  ExportedProgram program;
  program.node("torch.ops.higher_order.wrap", graph_argument(graph), "");
  CHECK(contains(refusal_of(program.json()), "at most 32 graphs one in another"));
  CHECK(contains(refusal_of(std::string(200000, '[')), "expected JSON"));
}
