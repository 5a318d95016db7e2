#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include "support/files.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

using namespace memviz;

TEST_CASE("a cut text keeps whole characters only") {
  const std::string text = "a\u00e9\u20ac\U0001F600";
  CHECK(whole_characters(text) == text);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string_view whole = whole_characters(std::string_view(text).substr(0, size));
    CHECK(is_valid_utf8(whole));
    CHECK(size - whole.size() < 4);
  }
}

TEST_CASE("of a name longer than 4 KiB the beginning is shown") {
  CHECK(short_function(std::string(100'000, 'x')).size() == 4096);
}

TEST_CASE("format_bytes keeps three digits and never shows 1024 of a unit") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1,023 B");
  CHECK(format_bytes(999 * 1024 + 511) == "999 KiB");
  CHECK(format_bytes(999 * 1024 + 512) == "1,000 KiB");
  CHECK(format_bytes(1023 * 1024 + 511) == "1,023 KiB");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(1536) == "1.50 KiB");
  CHECK(format_bytes(1023 * 1024 + 1000) == "1.00 MiB");
  CHECK(format_bytes(79'912'345) == "76.2 MiB");
  CHECK(format_bytes(24'410'849'280) == "22.7 GiB");
  CHECK(format_bytes(UINT64_MAX) == "16.0 EiB");
}

TEST_CASE("format_duration goes from microseconds to days and never shows 60 of a unit") {
  CHECK(format_duration(0) == "0 us");
  CHECK(format_duration(999) == "999 us");
  CHECK(format_duration(1000) == "1.00 ms");
  CHECK(format_duration(999'499) == "999 ms");
  CHECK(format_duration(999'500) == "1.00 s");
  CHECK(format_duration(4'560'000) == "4.56 s");
  CHECK(format_duration(59'499'999) == "59.5 s");
  CHECK(format_duration(59'500'000) == "1 min 0 s");
  CHECK(format_duration(723'999'999) == "12 min 3 s");
  CHECK(format_duration(12'300'000'000) == "3 h 25 min");
  CHECK(format_duration(UINT64_MAX) == "213,503,982 d 8 h");
}

TEST_CASE("format_delta writes the sign in words of one character") {
  CHECK(format_delta(0) == "0 B");
  CHECK(format_delta(2048) == "+2.00 KiB");
  CHECK(format_delta(-2048) == "-2.00 KiB");
  CHECK(format_delta(INT64_MIN) == "-8.00 EiB");
}

TEST_CASE("numbers are written as the scripts of pictures write them") {
  using Format = std::function<std::string(const nlohmann::json&)>;
  const std::map<std::string, Format> formats{
      {"bytes", [](const nlohmann::json& row) { return format_bytes(row[0].get<std::uint64_t>()); }},
      {"durations_us", [](const nlohmann::json& row) { return format_duration(row[0].get<std::uint64_t>()); }},
      {"counts", [](const nlohmann::json& row) { return format_count(row[0].get<std::uint64_t>()); }},
      {"percents",
       [](const nlohmann::json& row) {
         return format_percent(row[0].get<std::uint64_t>(), row[1].get<std::uint64_t>());
       }},
      {"changes",
       [](const nlohmann::json& row) {
         return format_change(row[0].get<std::uint64_t>(), row[1].get<std::uint64_t>(), "before");
       }},
  };
  const auto vectors = nlohmann::json::parse(test::read_bytes(test::testdata_file("number_vectors.json")));
  CHECK(vectors.size() == formats.size());
  for (const auto& [name, format] : formats)
    for (const auto& row : vectors.at(name))
      CHECK(format(row) == row.back().get<std::string>());
}

TEST_CASE("format_percent never rounds something to nothing or a part to the whole") {
  CHECK(format_percent(0, 10) == "0 %");
  CHECK(format_percent(10, 10) == "100 %");
  CHECK(format_percent(1, 8) == "12.5 %");
  CHECK(format_percent(1, 1'000'000) == "< 0.1 %");
  CHECK(format_percent(999'999, 1'000'000) == "> 99.9 %");
  CHECK(format_percent(1, 0) == "-");
}

TEST_CASE("format_count and format_address") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(24'410'849'280) == "24,410,849,280");
  CHECK(format_address(0x7f0000000000) == "0x7f0000000000");
}

TEST_CASE("code is sorted by where its file lies") {
  CHECK(origin_of("/home/ann/project/train.py") == CodeOrigin::user);
  CHECK(origin_of("/tmp/ipykernel_71/2091124272.py") == CodeOrigin::user);
  CHECK(origin_of("<ipython-input-3-abc>") == CodeOrigin::user);
  CHECK(origin_of("/opt/conda/lib/python3.10/site-packages/torch/nn/modules/linear.py") == CodeOrigin::torch);
  CHECK(origin_of("C:\\Python311\\Lib\\site-packages\\torch\\nn\\functional.py") == CodeOrigin::torch);
  CHECK(origin_of("/usr/lib/python3/dist-packages/torchvision/ops.py") == CodeOrigin::torch);
  CHECK(origin_of("/tmp/torchinductor_ann/ab/cabcd.py") == CodeOrigin::torch);
  CHECK(origin_of("<eval_with_key>.12") == CodeOrigin::torch);
  CHECK(origin_of("/opt/conda/lib/python3.10/runpy.py") == CodeOrigin::library);
  CHECK(origin_of("<frozen importlib._bootstrap>") == CodeOrigin::library);
  CHECK(origin_of("/usr/lib/python3/dist-packages/transformers/trainer.py") == CodeOrigin::library);
  CHECK(origin_of("CUDACachingAllocator.cpp") == CodeOrigin::cpp);
  SUBCASE("the standard library on Windows is in a folder that is only called lib") {
    for (const char* path :
         {R"(C:\Users\ann\AppData\Roaming\uv\python\cpython-3.12.4-windows-x86_64-none\lib\contextlib.py)",
          R"(C:\Users\ann\AppData\Local\Programs\Python\Python311\Lib\threading.py)", R"(D:\miniconda3\lib\runpy.py)",
          R"(d:\anaconda3\envs\gnn\lib\threading.py)"})
      CHECK_MESSAGE(origin_of(path) == CodeOrigin::library, path);
    CHECK(origin_of(R"(D:\work\project\lib\model.py)") == CodeOrigin::user);
    CHECK(origin_of("/mnt/select_n/lib/transformers/modeling_bert.py") == CodeOrigin::user);
  }
  SUBCASE("what was typed is the user's own, what was generated is nobody's") {
    CHECK(origin_of("<stdin>") == CodeOrigin::user);
    for (const char* path : {"<string>", "<attrs generated init m.C>", "<__array_function__ internals>"})
      CHECK_MESSAGE(origin_of(path) == CodeOrigin::library, path);
    CHECK(origin_of("<unknown>") == CodeOrigin::cpp);
  }
  SUBCASE("a debugger is a library") {
    CHECK(origin_of("/home/ann/.vscode-server/extensions/ms-python.debugpy-2025/bundled/libs/debugpy/__main__.py") ==
          CodeOrigin::library);
  }
  CHECK(origin_of("??") == CodeOrigin::cpp);
  CHECK(origin_of("") == CodeOrigin::cpp);
}

TEST_CASE("short_function drops what nobody reads") {
  CHECK(short_function("forward") == "forward");
  CHECK(short_function("<module>") == "<module>");
  CHECK(short_function("Model.<lambda>") == "Model.<lambda>");
  CHECK(short_function("at::_ops::zeros::call(c10::ArrayRef<c10::SymInt>, bool)") == "at::_ops::zeros::call");
  CHECK(short_function("void at::native::gpu_kernel<float (*)(int)>(at::TensorIterator&)") == "at::native::gpu_kernel");
  CHECK(short_function("at::(anonymous namespace)::wrapper_CUDA(long)") == "at::wrapper_CUDA");
  CHECK(short_function("torch::autograd::Node::operator()(std::vector<at::Tensor>&&)") ==
        "torch::autograd::Node::operator()");
  CHECK(short_function("at::empty(long, bool) [clone .constprop.0]") == "at::empty");
  CHECK(short_function("at::copy_kernel.llvm.11805916207174113034") == "at::copy_kernel");
  CHECK(short_function("at::add.isra.0") == "at::add");
  CHECK(short_function("at::add.constprop.0.cold") == "at::add");
  CHECK(short_function("acme::Pool::grow::h0123456789abcdef") == "acme::Pool::grow");
  CHECK(short_function("Model.cold_start") == "Model.cold_start");
  CHECK(short_function("f(int") == "f");
  CHECK(short_function("") == "");
}

TEST_CASE("the place of a frame") {
  FrameTable frames;
  const auto place = [&](std::string_view filename, std::int64_t line) {
    return frame_place(frames, frames.add_frame({frames.intern("f"), frames.intern(filename), line}));
  };
  CHECK(place("/home/ann/train.py", 12) == "train.py:12");
  CHECK(place("C:\\ann\\train.py", 12) == "train.py:12");
  CHECK(place("x.cpp", 0) == "x.cpp");
  CHECK(place("no/name/", 6) == "no/name/:6");
  CHECK(place("??", 6).empty());
  CHECK(place("", 6).empty());
}

TEST_CASE("PyTorch's omit list is a substring test, with its known victims") {
  CHECK(is_omitted("PyEval_EvalFrameDefault", "??"));
  CHECK(is_omitted("call", "/build/aten/src/ATen/core/boxing/KernelFunction.h"));
  CHECK(is_omitted("on_start", "train.py"));
  CHECK_FALSE(is_omitted("step", "train.py"));
}

TEST_CASE("node labels") {
  FrameTable frames;
  const FrameId frame = frames.add_frame({frames.intern("step"), frames.intern("/home/ann/train.py"), 12});
  CHECK(node_label(frames, {NodeKind::frame, frame.value, 0}) == "step train.py:12");
  CHECK(node_label(frames, {NodeKind::device, 3, 0}) == "GPU 3");
  CHECK(node_label(frames, {NodeKind::device, 0, 1}) == "CPU");
  CHECK(node_label(frames, {NodeKind::segment, 0x7f0000000000, 0}) == "segment 0x7f0000000000");
  CHECK(node_label(frames, {NodeKind::pool, 0, 0}) == "default pool");
  CHECK(node_label(frames, {NodeKind::pool, 0, 2}) == "private pool (0, 2)");
  CHECK(node_label(frames, NodeKey::of(BlockState::inactive)) == "inactive");
}

TEST_CASE("to_valid_utf8 replaces what is not UTF-8 and nothing else") {
  CHECK(to_valid_utf8("plain € 😀") == "plain € 😀");
  CHECK(is_valid_utf8("plain € 😀"));
  CHECK_FALSE(is_valid_utf8("\xC0\xAF"));         // overlong
  CHECK_FALSE(is_valid_utf8("\xF5\x80\x80\x80")); // beyond U+10FFFF
  CHECK_FALSE(is_valid_utf8("\xE2\x82"));         // cut off
  CHECK(to_valid_utf8("a\xE2\x82z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST_CASE("of a long text the ends are shown, whatever its characters are") {
  std::string middle;
  for (int i = 0; i < 3000; ++i)
    middle += "\xE2\x82\xAC"; // three bytes each
  for (const std::string& shift : {std::string(), std::string("x"), std::string("xy")}) {
    CHECK(elided(shift + middle + "end", 9).ends_with("...end"));
    CHECK(column_count(elided(shift + middle + "end", 9)) == 9);
    CHECK(elided("abc" + middle + shift, 9).starts_with("abc..."));
    CHECK(elided("a\tc" + middle + shift, 9).starts_with("a c..."));
  }
  CHECK(elided(std::string(100'000, 'x'), 100'000) == std::string(100'000, 'x'));
  CHECK(elided(std::string(100'001, 'x'), 100'000).size() == 100'000);
  CHECK(elided(std::string(100'000, '\x80'), 10).size() <= 100'000); // no text of a snapshot, but of a command line
}
