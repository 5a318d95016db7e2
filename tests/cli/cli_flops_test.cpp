#include "support/contains.hpp"
#include "support/exported_program.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/svg_check.hpp"
#include "support/zip_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace memviz::test;

namespace {

std::string program(std::string_view name) {
  return testdata_file("flops/" + std::string(name) + ".pt2");
}

} // namespace

TEST_CASE("flops writes JSON with its schema, and a picture beside the text") {
  const TemporaryFolder folder;
  const std::string svg = folder / "flops.svg";
  const std::string answers = folder / "flops.json";
  const Outcome outcome = run({"flops", program("2.15/dynamic_gpt"), "--set", "s52=6", "--json", answers, "-o", svg});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  const auto answer = nlohmann::json::parse(read_bytes(answers));
  CHECK(answer["schema"] == "memviz.flops/1.0");
  CHECK(answer["flops"] == 2 * 20485632);
  check_svg(read_bytes(svg));

  const Outcome plain = run({"flops", program("2.15/nanogpt"), "-o", svg});
  CHECK(plain.exit_code == 0);
  CHECK(contains(plain.out, "213 GFLOP"));
  check_svg(read_bytes(svg));
}

TEST_CASE("flops --redact says what a program costs without what its author calls things") {
  const TemporaryFolder folder;
  const std::string file = folder / "acme_model.pt2";
  ExportedProgram acme;
  acme.tensor("acme_x", size("acme_batch", 4) + "," + size(10))
      .tensor("acme_w", size(10) + "," + size(20))
      .tensor("acme_y", size("floor(acme_batch/2)", 4) + "," + size(20));
  const std::string attention = "a,,acme_code.AcmeNet;b,acme_h.0,acme_code.AcmeBlock;c,acme_h.0.acme_fc,"
                                "torch.nn.modules.linear.Linear";
  acme.node("torch.ops.aten.mm.default", product_inputs("acme_x", "acme_w"), output("acme_y"), attention);
  acme.node("torch.ops.acme_ops.acme_attention.default", tensor_argument("self", "acme_y"), output("acme_y"),
            attention);
  acme.parameter("acme_w", "acme_h.0.acme_fc.acme_weight");
  write_bytes(file, flat_program(acme.json()));
  const std::string svg = folder / "x.svg";
  const auto count_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"flops", file, "--set", "acme_batch=6", "--json", "-", "-o", svg});
    const Outcome outcome = run(words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome.out;
  };
  const auto plain = nlohmann::json::parse(count_of({}));
  for (const char* const what : {"names", "all"}) {
    CAPTURE(what);
    const std::string text = count_of({"--redact", what});
    CHECK_FALSE(contains(read_bytes(svg), "acme_h"));
    CHECK_FALSE(contains(read_bytes(svg), "Acme"));
    if (what != std::string("names")) CHECK_FALSE(contains(text, "acme_model"));
    for (const char* const secret : {"acme_code", "Acme", "acme_h", "acme_fc", "acme_ops", "acme_att", "acme_batch"})
      CHECK_FALSE(contains(text, secret));
    const auto hidden = nlohmann::json::parse(text);
    CHECK(hidden["flops"] == plain["flops"]);
    CHECK(hidden["parameters"] == plain["parameters"]);
    CHECK(hidden["modules"].size() == plain["modules"].size());
    CHECK(hidden["operators"] == nlohmann::json::parse(count_of({"--redact", what}))["operators"]);
    CHECK(contains(text, "torch.nn.modules.linear.Linear"));
    CHECK(contains(text, "aten.mm"));
  }
  CHECK(contains(count_of({"--redact", "paths"}), "acme_h.0"));
}

TEST_CASE("flops --redact does not quote a program that it cannot count") {
  const TemporaryFolder folder;
  ExportedProgram acme;
  acme.tensor("acme_x", size(-1));
  write_bytes(folder / "acme_model.pt2", flat_program(acme.json()));
  CHECK(contains(run({"flops", folder / "acme_model.pt2"}).err, "acme_x"));
  const Outcome outcome = run({"flops", folder / "acme_model.pt2", "--redact", "all"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "cannot be counted; without --redact the message says why"));
  CHECK_FALSE(contains(outcome.err, "acme"));
}

TEST_CASE("flops reads standard input, and says what a file is that it cannot read") {
  const std::string bytes = read_bytes(program("2.6/linear_800"));
  CHECK(contains(run({"flops", "-"}, bytes).out, "800 FLOP for a forward pass"));

  const Outcome snapshot = run({"flops", testdata_file("before")});
  CHECK(snapshot.exit_code == 1);
  CHECK(contains(snapshot.err, "before.pickle: expected a zip archive, as torch.export.save writes it"));
  const TemporaryFolder folder;
  write_bytes(folder / "saved.pt", zip_archive({{"saved/data.pkl", ""}}));
  CHECK(contains(run({"flops", folder / "saved.pt"}).err, "found tensors that torch.save wrote"));
}
