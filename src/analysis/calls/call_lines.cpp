#include "analysis/calls/call_lines.hpp"

#include "memviz/label.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace memviz {

namespace {

struct MarkedText {
  std::string_view text;
  std::uint64_t mark;
};

constexpr std::array kNameParts{MarkedText{"_foreach_", cause_mark::foreach},
                                MarkedText{"_multi_tensor_", cause_mark::foreach},
                                MarkedText{"cross_entropy", cause_mark::loss},
                                MarkedText{"CrossEntropy", cause_mark::loss},
                                MarkedText{"nll_loss", cause_mark::loss},
                                MarkedText{"NllLoss", cause_mark::loss},
                                MarkedText{"log_softmax", cause_mark::loss},
                                MarkedText{"LogSoftmax", cause_mark::loss},
                                MarkedText{"softmax", cause_mark::softmax},
                                MarkedText{"SoftmaxBackward", cause_mark::softmax},
                                MarkedText{"recompute", cause_mark::recomputes},
                                MarkedText{"unpack_hook", cause_mark::recomputes},
                                MarkedText{"deepcopy", cause_mark::deep_copy},
                                MarkedText{"gather", cause_mark::gathers},
                                MarkedText{"::EmbeddingBackward0", cause_mark::embedding_backward},
                                MarkedText{"multi_head_attention_forward", cause_mark::own_attention},
                                MarkedText{"run_conv_plan", cause_mark::convolution_plan},
                                MarkedText{"_conv_forward", cause_mark::convolution}};
constexpr std::array kFiles{MarkedText{"torch/utils/checkpoint.py", cause_mark::recompute_file},
                            MarkedText{"safetensors/torch.py", mark::checkpoint_file},
                            MarkedText{"/copy.py", cause_mark::copy_file},
                            MarkedText{"torch/nn/parallel/scatter_gather.py", cause_mark::gather_file}};

std::uint64_t cause_name_marks(std::string_view name) {
  std::uint64_t marks = name_marks(name);
  for (const MarkedText& part : kNameParts)
    if (name.find(part.text) != std::string_view::npos) marks |= part.mark;
  return marks;
}

std::uint64_t cause_file_marks(std::string_view filename) {
  std::uint64_t marks = file_marks(filename);
  const CodeOrigin origin = origin_of(filename);
  if (origin == CodeOrigin::user) marks |= cause_mark::own;
  if (origin != CodeOrigin::cpp) marks |= cause_mark::python;
  for (const MarkedText& file : kFiles)
    if (filename.ends_with(file.text)) marks |= file.mark;
  return marks;
}

bool has_all(std::uint64_t marks, std::uint64_t wanted) {
  return (marks & wanted) == wanted;
}

} // namespace

CallLineFinder::CallLineFinder(const FrameTable& frames)
    : frames_(frames), names_(frames, cause_name_marks), files_(frames, cause_file_marks) {
}

const CallLines& CallLineFinder::of(StackId stack) {
  const auto [entry, is_new] = found_.try_emplace(stack.value);
  if (is_new) entry->second = find(stack);
  return entry->second;
}

/// Whether a caller is the module level of the call's file, which says little where many lines are listed.
bool CallLineFinder::is_script(FrameId caller, FrameId call) const {
  return frames_.frame(caller).filename == frames_.frame(call).filename && frames_.name(caller) == "<module>";
}

void CallLineFinder::add_own(CallLines& found, FrameId id) const {
  CalledLine& line = found.line;
  if (!line.line) line.line = id;
  if (!line.call) {
    line.call = id;
  } else if (*line.call != id && is_script(id, *line.call)) {
    found.script_line = id;
  } else if (*line.call != id) {
    const auto file = [&](FrameId frame) { return frames_.frame(frame).filename; };
    if (!line.caller || (file(*line.caller) == file(*line.call) && file(id) != file(*line.call))) line.caller = id;
  }
}

void CallLineFinder::add_checkpoint(CheckpointCall& found, FrameId id, std::optional<FrameId> callee,
                                    std::uint64_t marks) {
  if ((marks & cause_mark::recompute_file) != 0) {
    if (!found.function) found.function = callee;
  } else if (found.function && !found.line && (marks & cause_mark::own) != 0) {
    found.line = id;
  }
}

CallLines CallLineFinder::find(StackId stack) {
  // Marks that take both a file and a function of the same frame.
  constexpr std::uint64_t kCopies = cause_mark::deep_copy | cause_mark::copy_file;
  constexpr std::uint64_t kRecomputes = cause_mark::recomputes | cause_mark::recompute_file;
  constexpr std::uint64_t kGathers = cause_mark::gathers | cause_mark::gather_file;
  CallLines found;
  std::optional<FrameId> callee;
  std::optional<FrameId> innermost; // of Python
  for (const FrameId id : frames_.stack(stack)) {
    const Frame& frame = frames_.frame(id);
    const std::uint64_t marks = names_.of(frame.name) | files_.of(frame.filename);
    found.marks |= marks & ~(kCopies | kRecomputes | kGathers | cause_mark::own_attention);
    for (const std::uint64_t pair : {kCopies, kRecomputes, kGathers})
      if (has_all(marks, pair)) found.marks |= pair;
    if (has_all(marks, mark::call | mark::module_file)) {
      found.is_in_module = true;
      found.line.call.reset();
      found.line.caller.reset();
      found.script_line.reset();
    }
    if ((marks & cause_mark::own) != 0) add_own(found, id);
    add_checkpoint(found.checkpoint, id, callee, marks);
    if ((marks & cause_mark::own_attention) != 0 && innermost && callee == innermost &&
        frames_.name(*innermost) == "softmax")
      found.marks |= cause_mark::own_attention;
    if ((marks & cause_mark::python) == 0) continue;
    callee = id;
    if (!innermost) innermost = id;
  }
  if (found.line.caller) found.script_line.reset();
  found.is_in_constructor = found.line.line && frames_.name(*found.line.line) == "__init__";
  if ((found.marks & cause_mark::loss) != 0) found.marks &= ~cause_mark::softmax;
  return found;
}

} // namespace memviz
