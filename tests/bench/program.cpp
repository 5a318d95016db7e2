#include "program.hpp"

#include "random.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace memviz::bench {

namespace {

constexpr std::uint32_t kMinDepth = 5;
constexpr std::uint32_t kAllocatingStacks = 3000;
constexpr std::uint32_t kFreeingStacks = 1000;
constexpr std::uint32_t kOperatorFrames = 500;
constexpr std::uint32_t kPythonFrames = 1200;

class Builder {
public:
  explicit Builder(std::uint64_t seed) : random_(seed) {}

  Program program(std::uint32_t max_depth) {
    add_fixed_frames();
    for (std::uint32_t i = 0; i < kOperatorFrames; ++i)
      program_.frames.push_back(operator_frame(i));
    for (std::uint32_t i = 0; i < kPythonFrames; ++i)
      program_.frames.push_back(python_frame(i));
    for (std::uint32_t i = 0; i < kAllocatingStacks; ++i)
      program_.stacks.push_back(stack(allocator_, random_depth(max_depth)));
    for (std::uint32_t i = 0; i < kFreeingStacks; ++i)
      program_.stacks.push_back(stack(deallocator_, random_depth(max_depth)));
    program_.allocating_stacks = kAllocatingStacks;
    return std::move(program_);
  }

private:
  using Frames = std::vector<std::uint32_t>;

  Frames add(std::initializer_list<Frame> frames) {
    Frames added;
    for (const Frame& frame : frames) {
      added.push_back(static_cast<std::uint32_t>(program_.frames.size()));
      program_.frames.push_back(frame);
    }
    return added;
  }

  void add_fixed_frames() {
    const Frames recorder = add({{"torch::unwind::unwind()", "??", 0},
                                 {"torch::CapturedTraceback::gather(bool, bool, bool)", "??", 0},
                                 {"torch::cuda::(anonymous namespace)::gather_with_cpp()", "memory_snapshot.cpp", 0}});
    allocator_ = deallocator_ = recorder;
    allocator_.push_back(add({{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long, "
                               "CUstream_st*)",
                               "CUDACachingAllocator.cpp", 0}})
                             .front());
    deallocator_.push_back(add({{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::free(c10::cuda::"
                                 "CUDACachingAllocator::Native::(anonymous namespace)::Block*)",
                                 "CUDACachingAllocator.cpp", 0}})
                               .front());
    evaluator_ = add({{"_PyEval_EvalFrameDefault", "/usr/local/src/Python-3.12.7/Python/ceval.c", 4772}}).front();
    outermost_ = add({{"main", "/srv/train/run.py", 214},
                      {"<module>", "/srv/train/run.py", 251},
                      {"run_mod", "/usr/local/src/Python-3.12.7/Python/pythonrun.c", 1241},
                      {"Py_RunMain", "/usr/local/src/Python-3.12.7/Modules/main.c", 713},
                      {"__libc_start_main", "", 0},
                      {"_start", "??", 0}});
  }

  Frame operator_frame(std::uint32_t number) {
    static constexpr std::array<std::string_view, 6> kFiles = {"",
                                                               "??",
                                                               "RegisterCUDA.cpp",
                                                               "python_torch_functions_2.cpp",
                                                               "VariableType_3.cpp",
                                                               "/pytorch/aten/src/ATen/core/boxing/impl/boxing.h"};
    std::string arguments = "at::Tensor const&";
    for (std::uint32_t more = random_.below(12); more > 0; --more)
      arguments += more % 2 == 0 ? ", c10::ArrayRef<c10::SymInt>" : ", std::optional<at::Tensor> const&";
    return {"at::_ops::operator_" + std::to_string(number) + "::call(" + arguments + ")",
            std::string(kFiles[random_.below(kFiles.size())]), 0};
  }

  Frame python_frame(std::uint32_t number) {
    static constexpr std::array<std::string_view, 4> kNames = {"forward", "_call_impl", "_wrapped_call_impl", "step"};
    static constexpr std::array<std::string_view, 3> kFolders = {
        "/srv/train/model/", "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/",
        "/opt/venv/lib/python3.12/site-packages/transformers/models/"};
    return {std::string(kNames[number % kNames.size()]) + (number % 3 == 0 ? "_" + std::to_string(number) : ""),
            std::string(kFolders[number % kFolders.size()]) + "part_" + std::to_string(number / 12) + ".py",
            1 + random_.below(2000)};
  }

  /// The mean of two throws: most stacks are of a middling depth.
  std::uint32_t random_depth(std::uint32_t max_depth) {
    const std::uint32_t span = max_depth - kMinDepth + 1;
    return kMinDepth + (random_.below(span) + random_.below(span)) / 2;
  }

  /// Which of `count` frames is called by `caller`: a few for each, the same for every stack.
  std::uint32_t callee(std::uint32_t caller, std::uint32_t count) {
    return static_cast<std::uint32_t>(Random(caller * 8ULL + random_.below(3)).next() % count);
  }

  Frames stack(const Frames& innermost, std::uint32_t depth) {
    const auto inner = std::min<std::size_t>(innermost.size(), depth / 2);
    const auto outer = std::min<std::size_t>(outermost_.size(), depth - inner);
    const auto middle = static_cast<std::uint32_t>(depth - inner - outer);
    const auto first_operator = static_cast<std::uint32_t>(program_.frames.size()) - kOperatorFrames - kPythonFrames;
    const std::uint32_t first_python = first_operator + kOperatorFrames;

    Frames made(outermost_.rbegin(), outermost_.rbegin() + static_cast<std::ptrdiff_t>(outer));
    std::uint32_t caller = 0;
    for (std::uint32_t i = 0; i < middle; ++i) {
      const bool is_python = i < middle * 2 / 3;
      if (is_python && i % 2 == 1) {
        made.push_back(evaluator_);
        continue;
      }
      caller =
          is_python ? first_python + callee(caller, kPythonFrames) : first_operator + callee(caller, kOperatorFrames);
      made.push_back(caller);
    }
    made.insert(made.end(), innermost.rend() - static_cast<std::ptrdiff_t>(inner), innermost.rend());
    std::reverse(made.begin(), made.end());
    return made;
  }

  Random random_;
  Program program_;
  Frames allocator_;
  Frames deallocator_;
  Frames outermost_;
  std::uint32_t evaluator_ = 0;
};

} // namespace

Program make_program(std::uint64_t seed, std::uint32_t max_depth) {
  return Builder(seed).program(max_depth);
}

} // namespace memviz::bench
