#include "support/contains.hpp"
#include "support/exported_program.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/svg_check.hpp"
#include "support/zip_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace memviz::test;

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
