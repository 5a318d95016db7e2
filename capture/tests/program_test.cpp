#include "program/options.hpp"
#include "recorded_file.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

using memviz::capture::TemporaryFolder;
using namespace memviz::capture::program;

namespace {

struct Outcome {
  int exit_code = -1;
  std::string output; ///< stdout and stderr
};

Outcome run_program(const std::string& arguments) {
  const std::string command = std::string("'" MEMVIZ_CAPTURE_PROGRAM "' ") + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Outcome outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// An empty folder for one test.
/// A snapshot is a pickle of protocol 2 or above: PROTO first, STOP last.
bool looks_like_a_pickle(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.size() > 100 && bytes.front() == '\x80' && bytes.back() == '.';
}

} // namespace

TEST_CASE("parse_options") {
  std::int64_t count = 1;
  std::string choice = "mlp";
  std::string file;
  const std::vector<Option> options = {count_option("--batch", count, 100, "sequences"),
                                       choice_option("--layer", choice, {"mlp", "block"}, "layer"),
                                       text_option("-o", "FILE", file, "snapshot")};
  const auto parse = [&](std::vector<std::string_view> words) { return parse_options(words, options); };

  SUBCASE("reads both spellings, the last one wins") {
    CHECK(parse({"--batch", "3", "--layer=block", "-o", "x.pickle", "--batch=7"}));
    CHECK(count == 7);
    CHECK(choice == "block");
    CHECK(file == "x.pickle");
  }
  SUBCASE("--help anywhere") {
    CHECK_FALSE(parse({"--batch", "3", "--help"}));
  }
  SUBCASE("names what is wrong") {
    CHECK_THROWS_WITH_AS(parse({"--bacth", "3"}), "unknown option '--bacth'; did you mean '--batch'?", UsageError);
    CHECK_THROWS_WITH_AS(parse({"--batch"}), "--batch: a value is missing", UsageError);
    CHECK_THROWS_WITH_AS(parse({"--batch", "0"}), "--batch: expected a whole number from 1 to 100, found '0'",
                         UsageError);
    CHECK_THROWS_AS(parse({"--batch", "101"}), UsageError);
    CHECK_THROWS_AS(parse({"--batch", "3x"}), UsageError);
    CHECK_THROWS_AS(parse({"--batch", "99999999999999999999"}), UsageError);
    CHECK_THROWS_WITH_AS(parse({"--layer", "blok"}), doctest::Contains("did you mean 'block'?"), UsageError);
    CHECK_THROWS_WITH_AS(parse({"extra"}), "unexpected argument 'extra'", UsageError);
    CHECK_THROWS_AS(parse({"-o", ""}), UsageError);
  }
  SUBCASE("the help has every option") {
    const std::string help = help_of(options);
    CHECK(help == "  --batch N     sequences\n  --layer NAME  layer\n  -o FILE       snapshot\n");
  }
}

TEST_CASE("memviz-capture tells what it can do") {
  const Outcome help = run_program("--help");
  CHECK(help.exit_code == 0);
  CHECK(contains(help.output, "activations"));
  CHECK(contains(help.output, "train"));
  for (const std::string command : {"activations", "train"}) {
    const Outcome command_help = run_program(command + " --help");
    CHECK(command_help.exit_code == 0);
    CHECK(contains(command_help.output, "--d-model N"));
  }
}

TEST_CASE("memviz-capture refuses with exit code 2") {
  const auto refuses = [](const std::string& arguments, std::string_view message) {
    CAPTURE(arguments);
    const Outcome outcome = run_program(arguments);
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.output, message));
  };
  refuses("", "a command is missing");
  refuses("trian", "did you mean 'train'?");
  refuses("activations --sec 8", "did you mean '--seq'?");
  refuses("activations --act relo", "--act: unknown activation 'relo'; did you mean 'relu'?");
  refuses("activations --layer block --d-model 10 --heads 3", "3 does not divide the d-model of 10");
  refuses("activations --dropout 1.5", "--dropout: expected a number from 0 to below 1");
  refuses("activations --batch 1048576 --seq 1048576 --d-model 1048576", "is above");
  refuses("train", "-o FILE is missing");
}

TEST_CASE("memviz-capture fails with exit code 1") {
  const TemporaryFolder folder;
  const Outcome outcome = run_program("train -o " + folder.file("missing/run.pickle"));
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.output, "its folder does not exist"));
  CHECK(folder.is_empty());
  if (access("/dev/full", W_OK) == 0) {
    const std::string small = "activations --batch 1 --seq 4 --d-model 4 ";
    CHECK(run_program(small + "> /dev/full").exit_code == 1);
  }
}

TEST_CASE("memviz-capture activations prints what was saved beside the formula") {
  const TemporaryFolder folder;
  const std::string file = folder.file("activations.pickle");
  const Outcome outcome = run_program(
      "activations --act relu,gelu,leaky_relu,inplace --batch 2 --seq 64 --d-model 32 --dtype bfloat16 -o " + file);
  CAPTURE(outcome.output);
  CHECK(outcome.exit_code == 0);
  // saved bytes, formula, difference, allocated, ratio to GELU
  CHECK(contains(outcome.output,
                 "\nrelu                           40960           40960           0           40960      0.5556\n"));
  CHECK(contains(outcome.output,
                 "\ngelu                           73728           73728           0           73728      1.0000\n"));
  CHECK(contains(outcome.output,
                 "\nleaky_relu in place            40960           40960           0           40960      0.5556\n"));
  CHECK(looks_like_a_pickle(file));
}

TEST_CASE("memviz-capture train writes what its memory is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("kinds.json");
  const auto kinds_after = [&](const std::string& part) {
    const Outcome outcome = run_program("train --layers 1 --d-model 16 --heads 2 --seq 8 --steps 2 --until " + part +
                                        " -o " + folder.file("train.pickle") + " --kinds " + file);
    CAPTURE(outcome.output);
    REQUIRE(outcome.exit_code == 0);
    std::ifstream written(file);
    return std::string{std::istreambuf_iterator<char>(written), {}};
  };
  const std::string weight = std::to_string(4 * 16 * 16 * 4); // of an MLP's first layer
  const std::string forward = kinds_after("forward");
  CHECK(contains(forward, "[\"parameter\", " + weight + "]"));
  CHECK(contains(forward, "[\"activation\", "));
  CHECK_FALSE(contains(forward, "[\"gradient\", "));
  const std::string optimizer = kinds_after("optimizer");
  CHECK(contains(optimizer, "[\"gradient\", " + weight + "]"));
  CHECK(contains(optimizer, "[\"optimizer_state\", " + weight + "]"));
  CHECK_FALSE(contains(optimizer, "[\"activation\", "));
  CHECK_FALSE(contains(kinds_after("step"), "[\"gradient\", "));
}

TEST_CASE("memviz-capture train records and its loss falls") {
  const TemporaryFolder folder;
  const std::string file = folder.file("train.pickle");
  const Outcome outcome =
      run_program("train --layers 1 --d-model 16 --heads 2 --seq 8 --batch 2 --steps 3 --vocab 16 -o " + file);
  CAPTURE(outcome.output);
  REQUIRE(outcome.exit_code == 0);
  const auto loss = [&](const std::string& step) {
    const std::size_t place = outcome.output.find("step " + step + ": loss ");
    REQUIRE(place != std::string::npos);
    return std::stod(outcome.output.substr(place + 13));
  };
  CHECK(loss("3") < loss("1"));
  CHECK(looks_like_a_pickle(file));
}
