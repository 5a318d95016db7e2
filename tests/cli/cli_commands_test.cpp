#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <string>

namespace memviz {

using nlohmann::json;
using test::contains;
using test::run;
using test::TemporaryFolder;
using test::testdata_file;

namespace {

bool is_svg(const std::string& text) {
  pugi::xml_document document;
  return document.load_string(text.c_str()) && std::string_view(document.document_element().name()) == "svg";
}

} // namespace

TEST_CASE("flame writes the same SVG to a file and to standard output, on every run") {
  const TemporaryFolder folder;
  const auto to_file = run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.svg"});
  CHECK(to_file.exit_code == 0);
  CHECK(to_file.out.empty());
  CHECK(to_file.err.empty());
  const std::string svg = test::read_bytes(folder / "mem.svg");
  CHECK(is_svg(svg));
  CHECK(run({"flame", testdata_file("training_step"), "-q", "-o", "-"}).out == svg);
}

TEST_CASE("a flame graph names what its stacks are filtered by, and how much matches") {
  const std::string file = testdata_file("training_step");
  const auto found = run({"flame", file, "--focus", "no_such_line", "--hide", "torch", "-o", "-"});
  CHECK(contains(found.out, "focus no_such_line: 0 B of "));
  CHECK(contains(found.out, "frames hidden torch"));
  CHECK(contains(found.err, "--focus matches no stack of what is in use"));
  const auto hidden = run({"flame", file, "--focus", "no_such_line", "--redact", "names", "-o", "-"});
  CHECK(contains(hidden.out, "focus: 0 B of "));
  CHECK_FALSE(contains(hidden.out, "no_such_line"));
  CHECK_FALSE(contains(run({"flame", file, "--focus", ".", "-o", "-"}).err, "--focus matches"));
}

TEST_CASE("stats says once that a snapshot is a list of segments") {
  const auto second_line = [](const std::string& text) {
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(second_line(run({"stats", testdata_file("bare_list_new_blocks")}).out) ==
        "a list of segments, as torch.cuda.memory_snapshot() returns, pickle protocol 4");
  CHECK(second_line(run({"stats", testdata_file("gen_1.13_list")}).out) ==
        "PyTorch 1.13 or 2.0, pickle protocol 3, a bare list of segments");
}

TEST_CASE("flame takes every tree and picture option") {
  const std::vector<std::vector<std::string>> choices{
      {"--view", "memory"},   {"--view", "segments"}, {"--group", "pool,stream,state"},
      {"--frames", "user"},   {"--frames", "python"}, {"--frames", "all"},
      {"--focus", "train"},   {"--hide", "train"},    {"--device", "0"},
      {"--max-size", "300K"}, {"--at", "end"},        {"--at", "auto"},
      {"--upward"},           {"--no-fold"}};
  for (auto words : choices) {
    CAPTURE(words.front());
    words.insert(words.begin(), {"flame", testdata_file("training_step"), "-q", "-o", "-"});
    const auto outcome = run(words);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK(is_svg(outcome.out));
  }
}

TEST_CASE("flame says when the end of the recording is not the story") {
  const std::string file = testdata_file("oom_expandable");
  const auto outcome = run({"flame", file, "--at", "end", "-o", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.starts_with("memviz: " + file + ": GPU 0 ran out of memory at event "));
  CHECK(contains(outcome.err, "this is the end of the recording"));
  CHECK(run({"flame", file, "--at", "end", "-o", "-", "--quiet"}).err.empty());
}

TEST_CASE("warnings about the data go to standard error, unless quiet, and the result stays whole") {
  for (const char* name : {"unbalanced", "uncovered"}) {
    const std::string file = testdata_file(name);
    const auto loud = run({"export", file, "--format", "folded"});
    const auto quiet = run({"export", file, "--format", "folded", "-q"});
    CHECK(loud.err.starts_with("memviz: " + file + ": warning: "));
    CHECK(quiet.err.empty());
    CHECK(loud.out == quiet.out);
    const json stats = json::parse(run({"stats", file, "-q", "--json", "-"}).out);
    CHECK(stats["warnings"].size() == 1);
  }
  CHECK(run({"stats", testdata_file("training_step")}).err.empty());
}

TEST_CASE("stats prints text, or JSON where that is asked for, or both") {
  const TemporaryFolder folder;
  const auto text = run({"stats", testdata_file("oom")});
  CHECK(text.exit_code == 0);
  CHECK(text.out.starts_with(testdata_file("oom") + "\n"));
  CHECK(contains(text.out, "out of memory: 1"));

  const auto both = run({"stats", testdata_file("oom"), "--json", folder / "stats.json", "-o", folder / "stats.txt"});
  CHECK(both.out.empty());
  CHECK(test::read_bytes(folder / "stats.txt") == text.out);
  const json stats = json::parse(test::read_bytes(folder / "stats.json"));
  CHECK(stats["file"] == testdata_file("oom"));
  CHECK(json::parse(run({"stats", testdata_file("oom"), "--json", "-"}).out) == stats);
}

TEST_CASE("stats of one device has that device only") {
  const json stats = json::parse(run({"stats", testdata_file("devices_streams"), "--device", "2", "--json", "-"}).out);
  REQUIRE(stats["devices"].size() == 1);
  CHECK(stats["devices"][0]["device"] == 2);
}

TEST_CASE("export writes the tree as JSON under the levels asked for") {
  const auto kinds = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"export", testdata_file("training_step"), "--format", "json", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const json tree = json::parse(run(words).out);
    std::vector<std::string> path;
    for (std::size_t id = 0; id < tree["nodes"].size() && tree["nodes"][id]["kind"] != "frame"; ++id)
      if (path.empty() || tree["nodes"][id]["kind"] != path.back()) path.push_back(tree["nodes"][id]["kind"]);
    path.resize(std::min<std::size_t>(path.size(), 3));
    return path;
  };
  CHECK(kinds({}) == std::vector<std::string>{"root", "stream", "state"});
  CHECK(kinds({"--view", "segments"}) == std::vector<std::string>{"root", "stream", "segment"});
  CHECK(kinds({"--group", "pool,device"}) == std::vector<std::string>{"root", "pool", "device"});
}

TEST_CASE("memory is grouped by what events say, in every command that has a tree") {
  const std::string file = testdata_file("gen_2.15_annotate");
  const json tree =
      json::parse(run({"export", file, "--format", "json", "--group", "compile,annotation,metadata", "-q"}).out);
  std::set<std::string> texts;
  for (const json& node : tree["nodes"])
    if (node.contains("text")) texts.insert(node["kind"].get<std::string>() + ": " + node["text"].get<std::string>());
  CHECK(texts == std::set<std::string>{"annotation: attention", "annotation: request",
                                       "compile: Torch-Compiled Region: 0/0", "metadata: phase two",
                                       R"(metadata: {"phase": "prefill", "request": {"id": 7, "user": "visitor"}})"});
  CHECK(run({"compare", file, file, "--group", "annotation,state", "-q"}).exit_code == 0);
  for (const char* command : {"flame", "state", "timeline"})
    CHECK(run({command, file, "-o", "-", "--color", "origin"}).exit_code == 0);
}

TEST_CASE("kinds of memory colour pictures where a picture has them") {
  const std::string file = testdata_file("training_step");
  for (const char* command : {"flame", "state", "timeline"}) {
    const auto drawn = run({command, file, "-o", "-", "--color", "kind"});
    CHECK(drawn.exit_code == 0);
    CHECK(drawn.out.find("kind-activation") != std::string::npos);
  }
  const auto segments = run({"timeline", file, "-o", "-", "--color", "kind", "--view", "segments"});
  CHECK(segments.exit_code == 2);
  CHECK(segments.err.find("a segment holds those of several kinds") != std::string::npos);
  CHECK(run({"timeline", file, "-o", "-", "--color", "kind", "--view", "pools"}).exit_code == 0);
}

TEST_CASE("rules of the user's own decide kinds in pictures") {
  const std::string file = testdata_file("training_step");
  const TemporaryFolder folder;
  const std::string rules = folder / "rules";
  test::write_bytes(rules, "communication  model\\.py\n");
  for (const char* command : {"flame", "state", "timeline"}) {
    const auto drawn = run({command, file, "-o", "-", "--color", "kind", "--kinds", rules});
    CHECK(drawn.exit_code == 0);
    CHECK(drawn.out.find("communication, by your rules") != std::string::npos);
  }
  CHECK(run({"state", file, "-o", "-", "--kinds", rules}).exit_code == 2);
}

TEST_CASE("export of one device") {
  const json all = json::parse(run({"export", testdata_file("devices_streams"), "--format", "json"}).out);
  const json one =
      json::parse(run({"export", testdata_file("devices_streams"), "--format", "json", "--device", "2"}).out);
  CHECK(all["nodes"][1]["kind"] == "device");
  CHECK(one["nodes"][1]["kind"] == "stream");
  CHECK(one["root_bytes"] == 69206016);
}

TEST_CASE("sizes have units of 1000 and of 1024") {
  const auto exit_code = [](const std::string& limit) {
    return run({"compare", testdata_file("before"), testdata_file("after"), "-q", "--max-size", limit}).exit_code;
  };
  for (const char* size : {"500000", "500K", "500k", "500KB", "0.5M", "2MB", "1MiB", "1.5Mi", "900000B"}) {
    CAPTURE(size);
    CHECK(exit_code(size) == 0);
  }
  for (const char* size : {"", "K", "1.5.5M", "1e3", "5X", "5Kib", "99999999T"}) {
    CAPTURE(size);
    CHECK(exit_code(size) == 2);
  }
}

} // namespace memviz
