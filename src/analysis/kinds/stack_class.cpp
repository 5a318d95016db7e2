#include "analysis/kinds/stack_class.hpp"

#include "analysis/kinds/frame_marks.hpp"
#include "analysis/kinds/sharding.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace memviz {

namespace {

/// A function that loads weights or keeps keys and values is one of this many innermost Python frames.
constexpr std::size_t kNamedFrames = 4;

/// The Python frames of a program's own optimizer, innermost first: functions of one file, the outermost of which is a
/// step() that torch/optim/optimizer.py calls.
class OwnOptimizer {
public:
  void add(StringId file, std::uint64_t marks) {
    if (is_over_ || (marks & mark::context_file) != 0) return;
    if (is_step_ && (marks & mark::optimizer_base) != 0) is_found_ = true;
    if (!file_) file_ = file;
    is_over_ = is_found_ || *file_ != file || (marks & mark::closure) != 0;
    is_step_ = (marks & mark::step) != 0;
  }
  [[nodiscard]] bool is_found() const { return is_found_; }

private:
  std::optional<StringId> file_;
  bool is_step_ = false;
  bool is_over_ = false;
  bool is_found_ = false;
};

/// Module._apply() moves parameters, then their gradients, then buffers, after it has called itself for the modules
/// within: by the distance of the lines (64 to 77 in PyTorch 2.6 to 2.15, of parameters 25 to 33, of buffers 86 to 103)
/// one decides which.
class ApplyLines {
public:
  void add(std::int64_t line) {
    if (count_ < lines_.size()) lines_[count_++] = line;
  }
  [[nodiscard]] bool are_of_gradient() const {
    return count_ == lines_.size() && lines_[0] > lines_[1] + 50 && lines_[0] < lines_[1] + 82;
  }

private:
  std::array<std::int64_t, 2> lines_{};
  std::size_t count_ = 0;
};

/// The signs in the frames of a stack, each by all of its marks.
namespace sign {
enum : std::uint32_t {
  workspace = 1U << 0U,
  communication = 1U << 1U,
  backward = 1U << 2U,
  parameter = 1U << 3U,
  data = 1U << 4U,
  copy = 1U << 5U,
  cast = 1U << 6U,
  call = 1U << 7U,
  zeros_like = 1U << 8U,
  cpp_forward = 1U << 9U,
  loader = 1U << 10U,
  kv_cache = 1U << 11U,
  cat = 1U << 12U,
  checkpoint = 1U << 13U,
  load_state = 1U << 14U,
  sharded = 1U << 15U,
  sharded_gradient = 1U << 16U,
  constructor = 1U << 17U,
  random = 1U << 18U,
  accumulated = 1U << 19U, ///< by AccumulateGrad
  hook = 1U << 20U,        ///< AccumulateGrad's
  autocast = 1U << 21U,
};
}

struct Sign {
  std::uint64_t marks;
  std::uint32_t sign;
};

constexpr std::array kPythonSigns{
    Sign{mark::module_file | mark::call, sign::call},
    Sign{mark::functional_file, sign::call},
    Sign{mark::module_file | mark::apply, sign::parameter},
    Sign{mark::modules_file | mark::constructor, sign::parameter},
    Sign{mark::graph_file | mark::run_backward, sign::backward},
    Sign{mark::data_file, sign::data},
    Sign{mark::checkpoint_file, sign::checkpoint},
    Sign{mark::optimizer_base | mark::load_state, sign::load_state},
    Sign{mark::fsdp_file, sign::sharded},
    Sign{mark::fsdp_file | mark::of_gradient, sign::sharded_gradient},
    Sign{mark::constructor, sign::constructor},
    Sign{mark::makes_weights, sign::parameter}, // kernels that repack weights are seven frames further in
};
/// The signs of the innermost Python frames.
constexpr std::array kNearSigns{
    Sign{mark::loader, sign::loader},
    Sign{mark::kv_cache, sign::kv_cache},
};
constexpr std::array kCppSigns{
    Sign{mark::workspace, sign::workspace},
    Sign{mark::communication, sign::communication},
    Sign{mark::engine, sign::backward},
    Sign{mark::copy, sign::copy},
    Sign{mark::cast, sign::cast},
    Sign{mark::random, sign::random},
    Sign{mark::cat, sign::cat},
    Sign{mark::autocast, sign::autocast},
    Sign{mark::zeros_like, sign::zeros_like},
    Sign{mark::forward, sign::cpp_forward},
};

template <std::size_t count> std::uint32_t signs_of(std::uint64_t marks, const std::array<Sign, count>& table) {
  std::uint32_t signs = 0;
  for (const Sign& one : table)
    if ((marks & one.marks) == one.marks) signs |= one.sign;
  return signs;
}

/// Adds the frames of a stack, innermost first.
class StackSigns {
public:
  void add(const Frame& frame, std::uint64_t marks) {
    if ((marks & mark::python) != 0)
      add_python(frame, marks);
    else
      add_cpp(marks);
  }
  [[nodiscard]] bool has_cpp() const { return has_cpp_; }
  [[nodiscard]] StackClass stack_class() const;

private:
  void add_python(const Frame& frame, std::uint64_t marks);
  void add_cpp(std::uint64_t marks);
  [[nodiscard]] StackClass class_of_cpp() const;
  [[nodiscard]] StackClass class_by(std::uint32_t signs) const;
  [[nodiscard]] static StackClass class_outside(std::uint32_t signs);

  std::uint32_t signs_ = 0;
  OwnOptimizer own_optimizer_;
  ShardingFrames sharding_;
  ApplyLines apply_lines_;
  std::uint64_t innermost_ = 0;     ///< marks of the innermost Python frame
  std::uint64_t innermost_cpp_ = 0; ///< frames that are not only PyTorch operators
  std::size_t python_frames_ = 0;
  bool has_cpp_ = false;
};

void StackSigns::add_python(const Frame& frame, std::uint64_t marks) {
  if (innermost_ == 0 && (marks & mark::context_file) == 0) innermost_ = marks;
  own_optimizer_.add(frame.filename, marks);
  sharding_.add(marks);
  constexpr std::uint64_t kApply = mark::module_file | mark::apply;
  if ((marks & kApply) == kApply) apply_lines_.add(frame.line);
  signs_ |= signs_of(marks, kPythonSigns);
  if (python_frames_++ < kNamedFrames) signs_ |= signs_of(marks, kNearSigns);
}

void StackSigns::add_cpp(std::uint64_t marks) {
  has_cpp_ = true;
  signs_ |= signs_of(marks, kCppSigns);
  // Python frames within are those of a hook.
  if ((marks & mark::accumulate_grad) != 0) signs_ |= innermost_ == 0 ? sign::accumulated : sign::hook;
  if (innermost_cpp_ == 0 && (marks & mark::generic) == 0) innermost_cpp_ = marks;
}

StackClass StackSigns::stack_class() const {
  const auto is = [&](std::uint32_t sign) { return (signs_ & sign) != 0; };
  if (is(sign::workspace)) return StackClass::workspace;
  if (is(sign::communication)) return StackClass::communication;
  if (is(sign::accumulated)) return StackClass::accumulate_grad;
  constexpr std::uint64_t kMakesState = mark::optimizer_file | mark::init_state;
  if (is(sign::hook) && (innermost_ & kMakesState) == kMakesState) return StackClass::optimizer_state;
  if (const auto sharded = sharding_.stack_class()) return *sharded;
  if (is(sign::sharded) && !is(sign::sharded_gradient)) return StackClass::parameter;
  if (is(sign::backward)) return StackClass::backward;
  if (innermost_ == 0) return class_of_cpp();
  if (is(sign::load_state)) return StackClass::optimizer_state;
  // A closure that an optimizer calls runs the forward pass within the optimizer's frames, so only the innermost frame
  // counts.
  if ((innermost_ & mark::optimizer_file) != 0 || own_optimizer_.is_found())
    return (innermost_ & mark::init_state) != 0 ? StackClass::optimizer_state : StackClass::optimizer;
  return class_by(signs_);
}

/// A program without Python, or a thread that computes a part of an operator, which can run in any phase.
StackClass StackSigns::class_of_cpp() const {
  if (innermost_cpp_ == 0) return StackClass::none;
  // No torch::optim optimizer makes a temporary by zeros_like().
  if ((innermost_cpp_ & mark::optimizer) != 0)
    return (signs_ & sign::zeros_like) != 0 ? StackClass::optimizer_state : StackClass::optimizer;
  std::uint32_t signs = signs_ & (sign::copy | sign::cast | sign::zeros_like | sign::cat | sign::autocast);
  if ((innermost_cpp_ & mark::module_parameters) != 0) signs |= sign::parameter;
  if ((innermost_cpp_ & mark::data_loader) != 0) signs |= sign::data;
  if ((signs_ & sign::cpp_forward) != 0) signs |= sign::call;
  return class_by(signs);
}

StackClass StackSigns::class_by(std::uint32_t signs) const {
  const auto is = [&](std::uint32_t sign) { return (signs & sign) != 0; };
  if (is(sign::parameter)) return apply_lines_.are_of_gradient() ? StackClass::gradient : StackClass::parameter;
  if (is(sign::data)) return StackClass::data_loader;
  if (is(sign::kv_cache)) return StackClass::kv_cache;
  if (!is(sign::call)) return class_outside(signs);
  if ((innermost_ & mark::parallel_file) != 0) return StackClass::forward;
  if (is(sign::autocast)) return StackClass::cast_call;
  return is(sign::cat) ? StackClass::cat_call : StackClass::module_call;
}

/// Outside modules.
StackClass StackSigns::class_outside(std::uint32_t signs) {
  const auto is = [&](std::uint32_t sign) { return (signs & sign) != 0; };
  if (is(sign::checkpoint)) return StackClass::checkpoint;
  if (is(sign::copy) && !is(sign::cast)) return is(sign::loader) ? StackClass::parameter : StackClass::copy;
  if (is(sign::random) && !is(sign::constructor)) return StackClass::random;
  return is(sign::zeros_like) ? StackClass::zeros_like : StackClass::forward;
}

} // namespace

StackClasses::Marks StackClasses::marks_of(FrameId frame) {
  const auto marks_in = [&](std::vector<Marks>& known, StringId text, auto make) {
    if (known.size() <= text.value) known.resize(frames_.string_count());
    Marks& marks = known[text.value];
    if (marks == 0) marks = make(frames_.text(text));
    return marks;
  };
  const Frame& both = frames_.frame(frame);
  return marks_in(file_marks_, both.filename, file_marks) | marks_in(name_marks_, both.name, name_marks);
}

StackClass StackClasses::classify(StackId stack) {
  const auto frames = frames_.stack(stack);
  if (frames.empty()) return StackClass::none;
  StackSigns signs;
  for (const FrameId frame : frames)
    signs.add(frames_.frame(frame), marks_of(frame));
  has_cpp_frames_ = has_cpp_frames_ || signs.has_cpp();
  return signs.stack_class();
}

StackClass StackClasses::look_at(StackId stack) {
  if (classes_.size() <= stack.value) classes_.resize(frames_.stack_count());
  const StackClass stack_class = classify(stack);
  classes_[stack.value] = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(stack_class));
  return stack_class;
}

} // namespace memviz
