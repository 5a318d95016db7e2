#include "support/contains.hpp"
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

TEST_CASE("flops prints the table, the transformer's lines and the modules") {
  const Outcome outcome = run({"flops", program("2.15/nanogpt_table")});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(contains(outcome.out, "292 GFLOP (291,648,307,200) for a forward pass"));
  CHECK(contains(outcome.out, "block              17716740096     6.0747"));
  CHECK(contains(outcome.out, "dense              79047426048    27.1037"));
  CHECK(contains(outcome.out, "transformer.h.*.attn SelfAttention x 12"));
  CHECK_FALSE(contains(run({"flops", program("2.15/nanogpt_table"), "--depth", "1"}).out, "attn SelfAttention"));
}

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

TEST_CASE("flops refuses sizes that the program does not have, with exit code 2") {
  const Outcome outcome = run({"flops", program("2.15/linear_800"), "--set", "s0=4"});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err, "all sizes of the program are numbers"));
  CHECK(run({"flops", program("2.15/linear_800"), "--set", "s0"}).exit_code == 2);
  CHECK(run({"flops", program("2.15/linear_800"), "--set", "s0=-1"}).exit_code == 2);
  CHECK(run({"flops", program("2.15/linear_800"), "--model", "other"}).exit_code == 1);
}
