#include "memviz/redact.hpp"

#include "memviz/flame.hpp"
#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "redact/code_names.hpp"
#include "redact/leak_search.hpp"
#include "redact/paths.hpp"
#include "redact/sha256.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string hex(std::string_view text) {
  return fmt::format("{:02x}", fmt::join(sha256(text), ""));
}

std::string hidden_cpp(std::string_view name) {
  LeakSearch search;
  return hidden_cpp_name(name, Pseudonyms(""), search);
}

std::string hidden_file(std::string_view filename) {
  LeakSearch search;
  return hidden_path(filename, Pseudonyms(""), search);
}

/// "func_k3x9q2ma" -> "func_*"
std::string starred(std::string text) {
  for (const std::string_view prefix : {"func_", "file_", "dir_", "path_", "mark_", "text_", "snapshot_"}) {
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1))
      text.replace(at + prefix.size(), 8, "*");
  }
  return text;
}

/// A program with something to hide in every place where a file has text.
SnapshotBuilder secret_program() {
  SnapshotBuilder builder;
  const Stack stack{"/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:114:forward",
                    "/home/alice/acme_project/hidden_model.py:12:train_acme_step",
                    "/home/alice/acme_project/run.py:3:<module>"};
  builder.segment(0x7f0000000000, 2 * MiB).active(MiB, MiB, stack).inactive(MiB);
  builder.event(dict({{"action", "alloc"},
                      {"addr", 0x7f0000000000},
                      {"size", 1048576},
                      {"stream", 0},
                      {"time_us", 5},
                      {"compile_context", "AcmeRegion_7"},
                      {"user_metadata", "acme_customer_42"},
                      {"frames", frames_of(stack)}}));
  builder.event(dict({{"action", "acme_Action"}, {"addr", 1}, {"size", 2}, {"stream", 0}, {"frames", list()}}));
  builder.set("external_annotations", list({dict({{"name", "acme_phase#3"},
                                                  {"stage", "AcmeStage"},
                                                  {"device", 0},
                                                  {"time_us", 4},
                                                  {"acme_key", "acme_value"}})}));
  builder.set("allocator_settings", dict({{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"},
                                          {"acme_setting", "/home/alice/acme_project/conf.yaml/x"}}));
  return builder;
}

constexpr std::array<std::string_view, 5> kSecretPaths{"alice", "acme_project", "hidden_model.py", "run.py", "/home"};
constexpr std::array<std::string_view, 8> kSecretNames{"train_acme_step", "acme_customer_42", "AcmeRegion_7",
                                                       "acme_phase",      "AcmeStage",        "acme_key",
                                                       "acme_value",      "acme_Action"};

void check_none(std::string_view output, std::span<const std::string_view> secrets) {
  for (const std::string_view secret : secrets) {
    CAPTURE(secret);
    CHECK(output.find(secret) == std::string_view::npos);
  }
}

} // namespace

TEST_CASE("SHA-256 gives the digests of FIPS 180-4") {
  CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a pseudonym depends on the text and the key alone") {
  const Pseudonyms plain("");
  CHECK(plain.of("func_", "train") == Pseudonyms("").of("func_", "train"));
  CHECK(plain.of("func_", "train") != plain.of("func_", "train2"));
  CHECK(plain.of("func_", "train") != Pseudonyms("key").of("func_", "train"));
  CHECK(Pseudonyms("a").of("", "bc") != Pseudonyms("ab").of("", "c"));
  CHECK(plain.of("func_", "train").size() == 13);
}

TEST_CASE("C++ names keep the namespaces that are public, and nothing of the others") {
  CHECK(hidden_cpp("at::native::empty_cuda(c10::ArrayRef<long>, bool)") ==
        "at::native::empty_cuda(c10::ArrayRef<long>, bool)");
  CHECK(starred(hidden_cpp("void secret::kernel<at::Tensor, secret::Config>(int, float*)")) ==
        "void func_*::func_*<at::Tensor, func_*::func_*>(int, float*)");
  CHECK(starred(hidden_cpp("std::vector<acme::Model, std::allocator<acme::Model> >::push_back(acme::Model const&)")) ==
        "std::vector<func_*::func_*, std::allocator<func_*::func_*> >::push_back(func_*::func_* const&)");
  CHECK(starred(hidden_cpp("torch::autograd::CppNode<acme::Loss>::apply(std::vector<at::Tensor>&&)")) ==
        "torch::autograd::CppNode<func_*::func_*>::apply(std::vector<at::Tensor>&&)");
  CHECK(hidden_cpp("at::(anonymous namespace)::run") == "at::(anonymous namespace)::run");
  CHECK(starred(hidden_cpp("(anonymous namespace)::run")) == "(anonymous namespace)::func_*");
  CHECK(hidden_cpp("torch::autograd::Node::operator()(std::vector<at::Tensor>&&)") ==
        "torch::autograd::Node::operator()(std::vector<at::Tensor>&&)");
  CHECK(starred(hidden_cpp("std::operator<< <acme>(int)")) == "std::operator<< <func_*>(int)");
  CHECK(starred(hidden_cpp("acme::operator->()")) == "func_*::operator->()");
  CHECK(starred(hidden_cpp("f<128ul, 3>")) == "func_*<128ul, 3>");
  CHECK(starred(hidden_cpp("run::at::secret")) == "func_*::func_*::func_*");
  CHECK(starred(hidden_cpp("at::f(int).secret")) == "at::f(int).func_*");
  CHECK(starred(hidden_cpp("}}>>at::f>::secret")) == "}}>>at::f>::func_*");
  CHECK(starred(hidden_cpp("_ZN6secret5modelEv")) == "func_*");
  CHECK(hidden_cpp("_PyEval_EvalFrameDefault") == "_PyEval_EvalFrameDefault");
  CHECK(starred(hidden_cpp("PySecretThing")) == "__func_*");
}

TEST_CASE("file names keep what is public") {
  CHECK(hidden_file("/home/alice/env/lib/python3.10/site-packages/torch/nn/modules/linear.py") ==
        "/site-packages/torch/nn/modules/linear.py");
  CHECK(hidden_file("C:\\Users\\alice\\env\\Lib\\site-packages\\torch\\nn\\functional.py") ==
        "/site-packages/torch/nn/functional.py");
  CHECK(hidden_file("/home/alice/miniconda3/lib/python3.10/asyncio/events.py") == "/lib/python3.10/asyncio/events.py");
  CHECK(hidden_file("/usr/local/src/conda/python-3.10.16/Objects/call.c") == "/python-3.10.16/Objects/call.c");
  CHECK(hidden_file("/build/acme/pytorch/aten/src/ATen/native/Blas.cpp") == "/aten/src/ATen/native/Blas.cpp");
  CHECK(hidden_file("<frozen importlib._bootstrap>") == "<frozen importlib._bootstrap>");
  CHECK(hidden_file("<eval_with_key>.12") == "<eval_with_key>.12");
  CHECK(hidden_file("") == "");
  CHECK(hidden_file("??") == "??");
}

TEST_CASE("file names of others become pseudonyms of the same kind of code") {
  for (const std::string_view raw : {"/home/alice/acme/train.py",
                                     "train.py",
                                     "C:\\acme\\train.py",
                                     "/home/alice/acme/kernel.cu",
                                     "kernel.cpp",
                                     "/x/site-packages/acme/secret.py",
                                     "/x/site-packages/torch/../acme.py",
                                     "/x/torch/lib/python3.10/os.py",
                                     "/tmp/torchinductor_alice/ab/cab.py",
                                     "<frozen acme>",
                                     "<eval_with_key>acme",
                                     "<ipython-input-3-acme>",
                                     "/home/alice/RegisterAcme.py",
                                     "/acme/core/boxing/x.cpp",
                                     "/acme/ceval.c",
                                     "acme",
                                     "/x/Lib/acme.py",
                                     "/acme/lib64/python3.9/os.py",
                                     "/opt/acme/lib/python3.10/a/b/c/d/e.py",
                                     "acme.so"}) {
    CAPTURE(raw);
    const std::string hidden = hidden_file(raw);
    CAPTURE(hidden);
    CHECK(hidden.find("acme") == std::string::npos);
    CHECK(hidden.find("alice") == std::string::npos);
    CHECK(hidden.find("train") == std::string::npos);
    CHECK(hidden.find("kernel") == std::string::npos);
    CHECK(origin_of(hidden) == origin_of(raw));
    CHECK(is_omitted("", hidden) == is_omitted("", raw));
  }
  CHECK(hidden_file("/a/train.py") != hidden_file("/b/train.py"));
}

TEST_CASE("paths inside of texts are hidden") {
  LeakSearch search;
  const auto hidden = [&](std::string_view text) { return starred(without_paths(text, Pseudonyms(""), search)); };
  CHECK(hidden("File \"/home/alice/x.py\", line 3") == "File \"path_*/file_*.py\", line 3");
  CHECK(hidden("f(lambda at C:\\acme\\k.cu:12)") == "f(lambda at path_*/dir_*/dir_*/file_*.cu:12)");
  CHECK(hidden("in train.py:3") == "in file_*.py:3");
  CHECK(hidden("a/b and 1/2/3, operator/=") == "a/b and 1/2/3, operator/=");
  CHECK(hidden("~/acme/run") == "path_*/dir_*/dir_*/file_*");
}

TEST_CASE("what was hidden is found again, unless it is public") {
  LeakSearch search;
  search.hide("train_acme_step");
  search.hide("/home/alice/model.py");
  search.hide("SecretModel");
  search.hide("Secret");
  search.hide("grad_fn");
  search.hide("grad_fn_hook_x");
  CHECK(search.count("a train_acme_step b") == 1);
  CHECK(search.count("xtrain_acme_step2/home/alice/model.pyc") == 2);
  CHECK(search.count("train_acme_ste Secretly memory") == 0);
  CHECK(search.count("grad_fn grad_fn_hook_x") == 2);
  search.keep("the grad_fn of torch");
  CHECK(search.count("grad_fn") == 0);
  CHECK(search.count("grad_fn_hook_x") == 1);
  CHECK(search.count("") == 0);
  CHECK(search.count("Secre") == 0);
}

TEST_CASE("plain words that were hidden are found as whole words") {
  LeakSearch search;
  search.hide("train");
  search.hide("Trainer of Alice");
  search.hide("layers");
  search.hide("run");
  CHECK(search.count("train, retrain and trains: train.py") == 2);
  CHECK(search.count("alice") == 0);
  CHECK(search.count("<Alice>Trainer</Alice>") == 3);
  CHECK(search.count("run") == 0);
  CHECK(search.count("layers") == 1);
  search.keep("Layer");
  CHECK(search.count("layers") == 0);
  search.keep("all trains are Trainer's");
  CHECK(search.count("train Trainer trains") == 1);
}

TEST_CASE("the ends of paths have the same pseudonyms in every checkout") {
  const auto ends = [](std::string_view filename) {
    const std::string hidden = hidden_file(filename);
    return hidden.substr(hidden.find('/') + 1);
  };
  CHECK(starred(hidden_file("/home/alice/work/acme/net/train.py")) == "path_*/dir_*/dir_*/dir_*/file_*.py");
  CHECK(ends("/home/alice/work/acme/net/train.py") == ends("/srv/bob/work/acme/net/train.py"));
  CHECK(hidden_file("/home/alice/work/acme/net/train.py") != hidden_file("/srv/bob/work/acme/net/train.py"));
  CHECK(ends("/home/alice/acme/train.py") == ends("C:\\Users\\bob\\acme\\train.py"));
  CHECK(starred(hidden_file("/home/alice/train.py")) == "path_*/file_*.py");
  CHECK(starred(hidden_file("/root/train.py")) == "path_*/file_*.py");
  CHECK(starred(hidden_file("train.py")) == "file_*.py");
}

TEST_CASE("two redacted checkouts of a project compare as they do in clear") {
  TemporaryFolder folder;
  const auto snapshot_of = [](const std::string& checkout) {
    SnapshotBuilder builder;
    builder.segment(0x7f0000000000, 2 * MiB)
        .active(MiB, MiB, {checkout + "/net/model.py:12:layer", checkout + "/train.py:3:main"})
        .inactive(MiB);
    return builder.pickle();
  };
  write_bytes(folder / "before.pickle", snapshot_of("/home/alice/acme"));
  write_bytes(folder / "after.pickle", snapshot_of("/build/1234/acme"));
  for (const std::string what : {"", "paths", "names", "all"}) {
    CAPTURE(what);
    std::vector<std::string> words{"compare", folder / "before.pickle", folder / "after.pickle"};
    if (!what.empty()) words.insert(words.end(), {"--redact", what});
    const Outcome outcome = run(words);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.find("largest changes") == std::string::npos);
  }
}

TEST_CASE("a redactor finds what it hid, but not what every output says") {
  Redactor redactor({Redact::all, ""});
  static_cast<void>(redactor.frame("train_acme_step", "/home/alice/model.py"));
  static_cast<void>(redactor.frame("total_bytes", "/home/alice/model.py"));
  static_cast<void>(redactor.frame("acme::fast_kernel", ""));
  static_cast<void>(redactor.frame("at::native::slow_kernel<slow_kernel>", ""));
  CHECK(redactor.leaks("train_acme_step at model.py:12") == 2);
  CHECK(redactor.leaks("fast_kernel") == 1);
  CHECK(redactor.leaks("slow_kernel") == 0);
  CHECK(redactor.leaks("\"total_bytes\": 12") == 0);
}

TEST_CASE("nothing that was hidden enters the snapshot") {
  const std::string bytes = secret_program().pickle();
  for (const bool stream : {true, false}) {
    Redactor redactor({Redact::all, ""});
    ReadOptions options;
    options.rewriter = &redactor;
    options.stream = stream;
    const Snapshot snapshot = read_snapshot(bytes, options);
    std::string all;
    for (std::uint32_t i = 0; i < snapshot.frames.string_count(); ++i)
      all += std::string(snapshot.frames.text({i})) + "\n";
    CAPTURE(all);
    check_none(all, kSecretPaths);
    check_none(all, kSecretNames);
    CHECK(redactor.leaks(all) == 0);
    CHECK(all.find("expandable_segments:True") != std::string::npos);
    CHECK(all.find("/dist-packages/torch/nn/modules/linear.py\n") != std::string::npos);
    CHECK(starred(all).find("mark_*#3\n") != std::string::npos);
  }
}

TEST_CASE("redaction changes no figure of real snapshots, and no ranking") {
  const auto folder = shared_folder();
  if (!folder) {
    MESSAGE("skipped: no ../shared");
    return;
  }
  for (const auto& path : files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    const Input input = read_input(path.string());
    Redactor redactor({Redact::all, "a key"});
    ReadOptions options;
    options.rewriter = &redactor;
    const Snapshot raw = read_snapshot(input.bytes());
    const Snapshot hidden = read_snapshot(input.bytes(), options);
    const Replay accounts = replay(raw);
    const auto users = rank_user_lines(raw, accounts, std::nullopt);
    const auto hidden_users = rank_user_lines(hidden, accounts, std::nullopt);
    const TreeOptions tree;
    const auto nodes = [&](const Snapshot& snapshot) {
      return build_frame_tree(snapshot, accounts, tree).nodes.size();
    };
    CHECK(nodes(raw) == nodes(hidden));
    REQUIRE(users.size() == hidden_users.size());
    for (std::size_t i = 0; i < users.size(); ++i)
      CHECK(users[i].amount == hidden_users[i].amount);
  }
}

TEST_CASE("redacted runs over real snapshots find no leak") {
  const auto folder = shared_folder();
  if (!folder) {
    MESSAGE("skipped: no ../shared");
    return;
  }
  for (const auto& path : files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    for (const std::string what : {"paths", "names", "all"}) {
      CAPTURE(what);
      std::vector<std::vector<std::string>> commands{{"flame", path.string(), "-o", "-"},
                                                     {"export", path.string(), "--format", "json", "--frames", "all"}};
      if (what == "all") {
        commands.push_back({"explain", path.string()});
        commands.push_back({"trace", path.string(), "--stacks"});
      }
      for (std::vector<std::string> words : commands) {
        words.insert(words.end(), {"--redact", what, "-q"});
        const Outcome outcome = run(words);
        CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
        if (what == "names") continue;
        check_none(outcome.out, std::vector<std::string_view>{"/home/", "C:\\", "/root/", "/mnt/", "/workspace/"});
      }
    }
  }
}

TEST_CASE("every output of a redacted run is free of what was hidden") {
  TemporaryFolder folder;
  const std::string file = folder / "alice_acme.pickle";
  write_bytes(file, secret_program().pickle());
  const std::vector<std::vector<std::string>> commands{
      {"flame", file, "-o", "-", "--frames", "all"},
      {"compare", file, file, "-o", "-"},
      {"stats", file},
      {"stats", file, "--json", "-"},
      {"export", file, "--format", "folded"},
      {"export", file, "--format", "json"},
  };
  for (std::vector<std::string> words : commands) {
    CAPTURE(words.front());
    SUBCASE("all") {
      words.insert(words.end(), {"--redact", "all"});
      const Outcome outcome = run(words);
      CHECK(outcome.exit_code == 0);
      check_none(outcome.out + outcome.err, kSecretPaths);
      check_none(outcome.out + outcome.err, kSecretNames);
    }
    SUBCASE("paths") {
      words.insert(words.end(), {"--redact", "paths"});
      const Outcome outcome = run(words);
      CHECK(outcome.exit_code == 0);
      const std::string_view secrets[] = {"alice/", "acme_project", "hidden_model.py", "run.py", "/home"};
      check_none(outcome.out + outcome.err, secrets);
    }
    SUBCASE("names") {
      words.insert(words.end(), {"--redact", "names"});
      const Outcome outcome = run(words);
      CHECK(outcome.exit_code == 0);
      check_none(outcome.out + outcome.err, kSecretNames);
    }
  }
}

TEST_CASE("two redacted files still compare, and a key changes every pseudonym") {
  TemporaryFolder folder;
  const std::string file = folder / "one.pickle";
  write_bytes(file, secret_program().pickle());
  const auto folded = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"export", file, "--format", "folded", "--redact", "all"};
    words.insert(words.end(), options.begin(), options.end());
    return run(words).out;
  };
  CHECK(folded({}) == folded({}));
  CHECK(folded({}) != folded({"--redact-key", "one"}));
  CHECK(folded({"--redact-key", "one"}) == folded({"--redact-key", "one"}));
  CHECK(starred(folded({})) == starred(folded({"--redact-key", "one"})));
}

TEST_CASE("a redacted run finds the annotation that the command line names") {
  TemporaryFolder folder;
  const std::string file = folder / "steps.pickle";
  SnapshotBuilder builder;
  PythonItems marks;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t time_us = 100 * (step + 1);
    for (const char* name : {"acme_step", "acme_turn"})
      marks.push_back(
          dict({{"name", name}, {"stage", "START"}, {"device", 0}, {"time_us", time_us + (name[5] == 't' ? 50 : 0)}}));
    marks.push_back(
        dict({{"name", fmt::format("acme_round{}", step)}, {"stage", "START"}, {"device", 0}, {"time_us", time_us}}));
    builder.event(dict({{"action", "alloc"},
                        {"addr", 0x1000 * (step + 1)},
                        {"size", 512},
                        {"stream", 0},
                        {"time_us", time_us + 10},
                        {"frames", list()}}));
  }
  builder.set("external_annotations", list(marks));
  write_bytes(file, builder.pickle());
  const auto check = [&](std::vector<std::string> words, std::string_view expected) {
    words.insert(words.end(), {"--redact", "names"});
    const Outcome outcome = run(words);
    CAPTURE(outcome.out);
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
    CHECK(starred(outcome.out).find(expected) != std::string::npos);
    check_none(outcome.out, std::vector<std::string_view>{"acme"});
  };
  check({"stats", file, "--at", "annotation:acme_step"}, "at the start of 'mark_*', before the first event");
  check({"stats", file, "--at", "annotation:acme_step#3"}, "at the start of 'mark_*#3', event 1 of 4");
  check({"stats", file, "--at", "annotation:acme_round2"}, "at the start of 'mark_*#2', event 1 of 4");
  check({"flame", file, "-o", "-", "--at", "annotation:acme_turn#2"}, "event 1 of 4");
  check({"explain", file, "--at", "annotation:acme_step#3"}, "event 1 of 4");
  check({"trace", file, "--from", "annotation:acme_turn#2", "--action", "alloc"}, "2 of 4 events");
  check({"leaks", file, "--steps", "annotation:acme_step"}, "4 steps, one at each annotation 'mark_*'");
  check({"leaks", file, "--steps", "annotation:acme_round*"}, "4 steps, one at each annotation 'mark_**'");
  const Outcome unknown = run({"stats", file, "--at", "annotation:other", "--redact", "names"});
  CHECK(unknown.exit_code == 2);
  check_none(unknown.err, std::vector<std::string_view>{"acme"});
}

TEST_CASE("messages about a redacted file do not quote it") {
  TemporaryFolder folder;
  const std::string file = folder / "alice_acme.pickle";
  write_bytes(file, pickled(dict({{"acme_key", 1}})));
  const Outcome outcome = run({"stats", file, "--redact", "all"});
  CHECK(outcome.exit_code == 1);
  check_none(outcome.err, kSecretNames);
  check_none(outcome.err, kSecretPaths);
  SnapshotBuilder odd;
  odd.segment(0x1000, 512).block(dict({{"size", 512}, {"state", "acme_key STATE"}}));
  write_bytes(file, odd.pickle());
  check_none(run({"stats", file, "--redact", "all"}).err, kSecretNames);
  CHECK(run({"stats", file, "--redact-key", "x"}).exit_code == 2);
  CHECK(run({"stats", file, "--redact", "some"}).exit_code == 2);
}
