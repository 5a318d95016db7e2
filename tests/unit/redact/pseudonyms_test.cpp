#include "base/sha256.hpp"
#include "memviz/label.hpp"
#include "redact/code_names.hpp"
#include "redact/leak_search.hpp"
#include "redact/paths.hpp"
#include "redact/pseudonym.hpp"
#include "support/secret_program.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string hex(std::string_view text) {
  return fmt::format("{:02x}", fmt::join(sha256(text), ""));
}

std::string hidden_cpp(std::string_view name) {
  LeakSearch search;
  return hidden_cpp_name(name, {Pseudonyms(""), search});
}

std::string hidden_file(std::string_view filename) {
  LeakSearch search;
  return hidden_path(filename, {Pseudonyms(""), search});
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
  const auto hidden = [&](std::string_view text) { return starred(without_paths(text, {Pseudonyms(""), search})); };
  CHECK(hidden("File \"/home/alice/x.py\", line 3") == "File \"path_*/file_*.py\", line 3");
  CHECK(hidden("f(lambda at C:\\acme\\k.cu:12)") == "f(lambda at path_*/dir_*/dir_*/file_*.cu:12)");
  CHECK(hidden("in train.py:3") == "in file_*.py:3");
  CHECK(hidden("a/b and 1/2/3, operator/=") == "a/b and 1/2/3, operator/=");
  CHECK(hidden("~/acme/run") == "path_*/dir_*/dir_*/file_*");
  for (const std::string_view raw :
       {R"(C:\Users\Alice Smith\acme\secret.yaml)", R"(\\acmesrv\share\alice)", "/home/alice/My Project/acme/run.yaml",
        "/data/a, b/acme run", "acme_project/configs/secret.yaml", "acme/secret.yaml", "../acme/secret",
        "/home/alice/v1.0 final/x.py", "(/home/alice/x (1)/acme) "}) {
    CAPTURE(raw);
    CAPTURE(hidden(raw));
    check_none(hidden(raw), std::vector<std::string_view>{"acme", "alice", "Alice", "Smith", "Project", "secret", "run",
                                                          "final", "a, b"});
  }
  CHECK(hidden("in /home/alice/x.py, line 3: grew") == "in path_*/file_*.py, line 3: grew");
  CHECK(hidden("forward/backward, N/A, / and /x") == "forward/backward, N/A, / and /x");
}

TEST_CASE("the ends of paths have the same pseudonyms in every checkout") {
  const auto ends = [](std::string_view filename) {
    const std::string hidden = hidden_file(filename);
    return hidden.substr(hidden.find('/') + 1);
  };
  CHECK(starred(hidden_file("/home/alice/code/acme/net/train.py")) == "path_*/dir_*/dir_*/dir_*/file_*.py");
  CHECK(ends("/home/alice/code/acme/net/train.py") == ends("/srv/bob/code/acme/net/train.py"));
  CHECK(hidden_file("/home/alice/code/acme/net/train.py") != hidden_file("/srv/bob/code/acme/net/train.py"));
  CHECK(ends("/home/alice/acme/train.py") == ends("C:\\Users\\bob\\acme\\train.py"));
  CHECK(starred(hidden_file("/home/alice/train.py")) == "path_*/file_*.py");
  CHECK(starred(hidden_file("/root/train.py")) == "path_*/file_*.py");
  CHECK(starred(hidden_file("train.py")) == "file_*.py");
}
