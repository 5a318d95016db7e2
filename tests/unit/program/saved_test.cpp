#include "memviz/flops.hpp"
#include "memviz/flops_report.hpp"
#include "story/flops_words.hpp"

#include "support/contains.hpp"
#include "support/exported_program.hpp"
#include "support/zip_builder.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

ModelFlops counted(const ExportedProgram& program) {
  return count_flops(flat_program(program.json()));
}

/// The result h of 2 x 10 by 10 x 20, so that it needs a gradient: 80 bytes are kept of its input.
ExportedProgram behind_a_product() {
  ExportedProgram program;
  program.tensor("x", size(2) + "," + size(10)).tensor("w", size(10) + "," + size(20));
  program.tensor("h", size(2) + "," + size(20)).tensor("y", size(2) + "," + size(20));
  program.node("torch.ops.aten.mm.default", product_inputs("x", "w"), output("h"));
  return program.parameter("w", "weight");
}

constexpr std::uint64_t kInput = 2 * 10 * 4;
constexpr std::uint64_t kHidden = 2 * 20 * 4;

std::uint64_t kept_by(const std::string& target, const std::string& inputs, ExportedProgram program) {
  program.node(target, inputs, output("y"));
  return counted(program).saved_bytes.value.value_or(0) - kInput;
}

} // namespace

TEST_CASE("a dropout that drops nothing keeps nothing and is a view") {
  const std::string input = tensor_argument("input", "h");
  const auto kept = [&](double p) {
    ExportedProgram program = behind_a_product();
    const std::string probability = p < 0 ? "" : "," + real_argument("p", p);
    program.node("torch.ops.aten.dropout.default", input + probability, output("y"));
    program.tensor("z", size(2) + "," + size(20));
    program.node("torch.ops.aten.sin.default", tensor_argument("self", "y"), output("z"));
    program.node("torch.ops.aten.cos.default", tensor_argument("self", "h"), output("z"));
    return counted(program).saved_bytes.value.value_or(0) - kInput;
  };
  CHECK(kept(0) == kHidden);                // y is h
  CHECK(kept(0.5) == 2 * kHidden + 2 * 20); // and a mask
  CHECK(kept(1) == 2 * kHidden + 4);        // and a zero
  CHECK(kept(-1) == kept(0.5));             // without a probability the usual one
}

TEST_CASE("powers keep what their gradients take") {
  const std::string self = tensor_argument("self", "h");
  CHECK(kept_by("torch.ops.aten.pow.Tensor_Scalar", self, behind_a_product()) == kHidden);
  ExportedProgram two = behind_a_product();
  two.tensor("e", size(2) + "," + size(20));
  CHECK(kept_by("torch.ops.aten.pow.Tensor_Tensor", self + "," + tensor_argument("exponent", "e"), two) == 2 * kHidden);
  two.node("torch.ops.aten.abs.default", self, output("e"));
  CHECK(kept_by("torch.ops.aten.pow.Tensor_Tensor", self + "," + tensor_argument("exponent", "e"), two) == 3 * kHidden);
  CHECK(kept_by("torch.ops.aten.pow.Scalar", tensor_argument("exponent", "h"), behind_a_product()) == 2 * kHidden);
}

TEST_CASE("gather keeps what it gathers from, and where") {
  ExportedProgram program = behind_a_product();
  program.tensor("i", size(5));
  const std::string inputs = tensor_argument("self", "h") + "," + tensor_argument("index", "i");
  CHECK(kept_by("torch.ops.aten.gather.default", inputs, program) == kHidden + 5 * 4);
}

TEST_CASE("cross entropy keeps logarithms, and with classes their numbers and a sum of weights") {
  const auto kept = [](bool has_classes, double smoothing) {
    ExportedProgram program = behind_a_product();
    if (has_classes)
      program.numbers("t", size(2));
    else
      program.tensor("t", size(2) + "," + size(20));
    return kept_by("torch.ops.aten.cross_entropy_loss.default",
                   tensor_argument("self", "h") + "," + tensor_argument("target", "t") + "," +
                       real_argument("label_smoothing", smoothing),
                   program);
  };
  CHECK(kept(false, 0) == 2 * kHidden); // and the target
  CHECK(kept(true, 0) == kHidden + 2 * 8 + 4);
  CHECK(kept(true, 0.1) == kHidden + 2 * 8 + 4 + 2 + 8); // and which are ignored, and how many are not
}

TEST_CASE("cells of recurrent networks count, and keep what their fused kernels keep") {
  ExportedProgram program;
  program.tensor("x", size(3) + "," + size(5)).tensor("h", size(3) + "," + size(4));
  program.tensor("c", size(3) + "," + size(4)).tensor("h2", size(3) + "," + size(4));
  program.tensor("c2", size(3) + "," + size(4));
  const auto weights = [&](long long gates) {
    program.tensor("w", size(gates * 4) + "," + size(5)).tensor("u", size(gates * 4) + "," + size(4));
    return tensor_argument("w_ih", "w") + "," + tensor_argument("w_hh", "u");
  };
  program.parameter("w", "w").parameter("u", "u");
  constexpr std::uint64_t kState = 3 * 4 * 4;
  constexpr std::uint64_t kStep = 3 * 5 * 4;
  const std::string input = tensor_argument("input", "x") + ",";
  SUBCASE("lstm_cell") {
    const std::string inputs = input + tensors_argument("hx", {"h", "c"}) + "," + weights(4);
    program.node("torch.ops.aten.lstm_cell.default", inputs, output("h2") + "," + output("c2"));
    const ModelFlops model = counted(program);
    CHECK(model.flops.value == 2 * 3 * 16 * (5 + 4));
    CHECK(model.saved_bytes.value == kStep + 3 * kState + 12 * kState);
    CHECK(flops_notes(model).size() == 1); // that its kernel is taken for the fused one
  }
  SUBCASE("gru_cell") {
    program.node("torch.ops.aten.gru_cell.default", input + tensor_argument("hx", "h") + "," + weights(3),
                 output("h2"));
    const ModelFlops model = counted(program);
    CHECK(model.flops.value == 2 * 3 * 12 * (5 + 4));
    CHECK(model.saved_bytes.value == kStep + kState + 11 * kState);
    CHECK(flops_notes(model).size() == 1); // that its kernel is taken for the fused one
  }
  SUBCASE("rnn_tanh_cell") {
    program.node("torch.ops.aten.rnn_tanh_cell.default", input + tensor_argument("hx", "h") + "," + weights(1),
                 output("h2"));
    const ModelFlops model = counted(program);
    CHECK(model.flops.value == 2 * 3 * 4 * (5 + 4));
    CHECK(model.saved_bytes.value == kStep + 2 * kState);
    CHECK(flops_notes(model).empty());
  }
}

TEST_CASE("a chain of matrices counts in the cheapest order") {
  ExportedProgram program;
  program.tensor("a", size(4) + "," + size(5)).tensor("b", size(5) + "," + size(6));
  program.tensor("c", size(6) + "," + size(4)).tensor("v", size(4)).tensor("y", size(4));
  program.node("torch.ops.aten.linalg_multi_dot.default", tensors_argument("tensors", {"a", "b", "c"}), output("y"));
  CHECK(counted(program).flops.value == 2 * (5 * 6 * 4 + 4 * 5 * 4));
  program.node("torch.ops.aten.chain_matmul.default", tensors_argument("matrices", {"a", "b", "c", "v"}), output("y"));
  CHECK(counted(program).flops.value == 400 + 2 * (6 * 4 + 5 * 6 + 4 * 5));
  program.tensor("s", size("s0", 3) + "," + size(5));
  program.node("torch.ops.aten.linalg_multi_dot.default", tensors_argument("tensors", {"s", "b", "c"}), output("y"));
  CHECK(counted(program).flops.formula == "108*s0 + 548"); // from the left
}

TEST_CASE("nothing counted is no count where an operator multiplies") {
  ExportedProgram program;
  program.tensor("x", size(2)).tensor("y", size(2));
  program.node("torch.ops.aten.relu.default", tensor_argument("self", "x"), output("y"));
  CHECK(flops_headline(counted(program)) == "0 FLOP for a forward pass");
  program.node("torch.ops.aten.cdist.default", tensor_argument("x1", "y"), output("y"));
  const std::string headline = "no count of a forward pass: aten.cdist multiplies matrices, but is not counted";
  CHECK(flops_headline(counted(program)) == headline);
  CHECK(flops_text("m.pt2", counted(program), 0).starts_with("m.pt2: " + headline));
}

TEST_CASE("a product of matrices in batches keeps a copy of what does not lie as one batch") {
  const std::string sizes = size(2) + "," + size(3) + "," + size(4) + "," + size(5);
  const std::string by_token = size(60) + "," + size(5) + "," + size(15) + "," + size(1);
  const std::string by_head = size(60) + "," + size(20) + "," + size(5) + "," + size(1);
  const auto kept = [&](const std::string& strides) {
    ExportedProgram program;
    program.tensor("x", sizes, strides).tensor("w", size(2) + "," + size(3) + "," + size(5) + "," + size(4));
    program.tensor("y", size(2) + "," + size(3) + "," + size(4) + "," + size(4)).parameter("w", "w");
    for (int i = 0; i < 2; ++i)
      program.node("torch.ops.aten.matmul.default", tensor_argument("self", "x") + "," + tensor_argument("other", "w"),
                   output("y"));
    return counted(program).saved_bytes.value;
  };
  CHECK(kept(by_head) == 2 * 3 * 4 * 5 * 4);
  CHECK(kept(by_token) == 2 * 2 * 3 * 4 * 5 * 4);
}

TEST_CASE("what is kept within autocast is said to be without its casts") {
  const ExportedProgram inner = behind_a_product();
  ExportedProgram program;
  program.tensor("x", size(2));
  program.node("torch.ops.higher_order.wrap_with_autocast", graph_argument(inner.graph()), "");
  const ModelFlops model = counted(program);
  const std::vector<std::string> notes = flops_notes(model);
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes.front(), "higher_order.wrap_with_autocast (its contents count as if nothing were cast)"));
}
