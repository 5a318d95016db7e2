#include "memviz/label.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace memviz;

TEST_CASE("of a name longer than 4 KiB the beginning is shown") {
  CHECK(short_function(std::string(100'000, 'x')).size() == 4096);
}

TEST_CASE("of the texts of a frame at most so much is given, in whole characters; of a file its end") {
  FrameTable frames;
  std::string umlauts;
  for (int i = 0; i < 5000; ++i)
    umlauts += "\u00e4";
  const FrameId frame = frames.add_frame({frames.intern(umlauts), frames.intern("/a/" + umlauts + "b.py"), 7});
  CHECK(frames.name(frame).size() == kMostFrameBytes);
  CHECK(frames.name(frame, 5) == umlauts.substr(0, 4));
  CHECK(frames.filename(frame).size() <= kMostFrameBytes);
  CHECK(frames.filename(frame, 7) == "\u00e4b.py");
  CHECK(frames.filename(frame, 5) == "b.py");
  CHECK(frames.text(frames.frame(frame).name) == umlauts);
}

TEST_CASE("code is sorted by where its file lies") {
  CHECK(origin_of("/home/ann/project/train.py") == CodeOrigin::user);
  CHECK(origin_of("/tmp/ipykernel_71/2091124272.py") == CodeOrigin::user);
  CHECK(origin_of("<ipython-input-3-abc>") == CodeOrigin::user);
  CHECK(origin_of("/opt/conda/lib/python3.10/site-packages/torch/nn/modules/linear.py") == CodeOrigin::torch);
  CHECK(origin_of("C:\\Python311\\Lib\\site-packages\\torch\\nn\\functional.py") == CodeOrigin::torch);
  CHECK(origin_of("/usr/lib/python3/dist-packages/torchvision/ops.py") == CodeOrigin::torch);
  CHECK(origin_of("/tmp/torchinductor_ann/ab/cabcd.py") == CodeOrigin::torch);
  CHECK(origin_of("/tmp/memviz-b5d26N/memviz_rehearsal_objects.py") == CodeOrigin::torch); // up to 0.2.0
  CHECK(origin_of("/tmp/memviz-b5d26N/site-packages/memviz_rehearsal/job/objects.py") == CodeOrigin::torch);
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
  SUBCASE("what was typed is the user's own, what was generated is no one's") {
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

TEST_CASE("short_function drops what no one reads") {
  CHECK(short_function("forward") == "forward");
  CHECK(short_function("void (anonymous namespace)::train<int>(int const&) [clone .isra.0]") == "train");
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
  CHECK(place("tmpxft_00005b96_00000000-6_ReduceSum_Kernel.compute_120.cudafe1.cpp", 0) == "ReduceSum_Kernel");
  CHECK(place("tmpxft_00005b96_00000000-6_my.kernels.cudafe1.cpp", 0) == "my.kernels");
  CHECK(place("tmpxft_0.-", 0) == "tmpxft_0.-");
  CHECK(place("", 6).empty());
  SUBCASE("of a file name of more than 1 KiB the end is shown, in whole characters") {
    const std::string long_name = std::string(2000, 'a') + "\u00e9" + std::string(1020, 'b') + ".py";
    CHECK(place(long_name, 12) == std::string(1020, 'b') + ".py:12");
  }
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
  CHECK(node_label(frames, frame) == "step train.py:12");
  CHECK(node_label(frames, DeviceKey{{3}}) == "GPU 3");
  CHECK(node_label(frames, DeviceKey{{3}, DeviceKind::npu}) == "NPU 3");
  CHECK(node_label(frames, DeviceKey{{3}, DeviceKind::xpu}) == "XPU 3");
  CHECK(node_label(frames, DeviceKey{{0}, DeviceKind::cpu}) == "CPU");
  CHECK(node_label(frames, SegmentKey{0x7f0000000000, {}}) == "segment 0x7f0000000000");
  CHECK(node_label(frames, PoolId{0, 0}) == "default pool");
  CHECK(node_label(frames, PoolId{0, 2}) == "private pool (0, 2)");
  CHECK(node_label(frames, BlockState::inactive) == "inactive");
}

TEST_CASE("frames of the interpreter are recognised by their file, or by their name where they have none") {
  using Frames = std::vector<std::pair<std::string_view, std::string_view>>;
  for (const auto& frame :
       Frames{{"slot_tp_call", "/usr/local/src/conda/python-3.12.3/Objects/typeobject.c"},
              {"_PyObject_VectorcallTstate", "./Include/internal/pycore_call.h"},
              {"PyMethod_New", "??"},
              {"_PyStack_AsDict", ""},
              {"torch::autograd::THPVariable_empty(_object*, _object*)", "python_torch_functions_2.cpp"},
              {"start_thread", "/build/glibc-B3wQXB/glibc-2.31/nptl/pthread_create.c"}}) {
    CAPTURE(frame.first);
    CHECK(is_interpreter(frame.first, frame.second));
  }
  for (const auto& frame : Frames{{"PyModel::forward(at::Tensor)", "??"},
                                  {"Python_forward", "??"},
                                  {"main", "train.cpp"},
                                  {"PyLong_AsLong", "model.cpp"},
                                  {"torch::autograd::AccumulateGrad::apply", "??"},
                                  {"forward", "/app/Objects/model.py"}}) {
    CAPTURE(frame.first);
    CHECK_FALSE(is_interpreter(frame.first, frame.second));
  }
}
