#include "analysis/causes/call_lines.hpp"

#include "memviz/label.hpp"

#include <array>
#include <string_view>

namespace memviz {

namespace {

struct MarkedText {
  std::string_view text;
  std::uint32_t mark;
};

constexpr std::array kNameParts{
    MarkedText{"torch::autograd::Engine::", cause_mark::backward},
    MarkedText{"_foreach_", cause_mark::foreach},
    MarkedText{"_multi_tensor_", cause_mark::foreach},
    MarkedText{"cross_entropy", cause_mark::loss},
    MarkedText{"nll_loss", cause_mark::loss},
    MarkedText{"log_softmax", cause_mark::loss},
    MarkedText{"LogSoftmax", cause_mark::loss},
    MarkedText{"CrossEntropy", cause_mark::loss},
    MarkedText{"NllLoss", cause_mark::loss},
    MarkedText{"softmax", cause_mark::softmax},
    MarkedText{"SoftmaxBackward", cause_mark::softmax},
    MarkedText{"at::_ops::cat::", cause_mark::cat},
    MarkedText{"recompute", cause_mark::recomputes},
};
constexpr std::array kNames{
    MarkedText{"_call_impl", cause_mark::module_call}, MarkedText{"_init_group", cause_mark::optimizer_start},
    MarkedText{"deepcopy", cause_mark::deep_copy}, MarkedText{"unpack_hook", cause_mark::recomputes},
    MarkedText{"load_state_dict", cause_mark::optimizer_start}};
constexpr std::array kFiles{
    MarkedText{"/torch/nn/modules/module.py", cause_mark::module_file},
    MarkedText{"/copy.py", cause_mark::copy_file},
    MarkedText{"/torch/serialization.py", cause_mark::load_file},
    MarkedText{"/safetensors/torch.py", cause_mark::load_file},
    MarkedText{"/torch/utils/checkpoint.py", cause_mark::checkpoint_file},
};

std::uint32_t name_marks(std::string_view name) {
  std::uint32_t marks = 0;
  for (const MarkedText& part : kNameParts)
    if (name.find(part.text) != std::string_view::npos) marks |= part.mark;
  for (const MarkedText& whole : kNames)
    if (name == whole.text) marks |= whole.mark;
  return marks;
}

std::uint32_t file_marks(std::string_view filename) {
  std::uint32_t marks = origin_of(filename) == CodeOrigin::user ? cause_mark::own : 0U;
  for (const MarkedText& file : kFiles)
    if (filename.ends_with(file.text)) marks |= file.mark;
  if (filename.find("/torch/optim/") != std::string_view::npos) marks |= cause_mark::optimizer_file;
  return marks;
}

bool has_all(std::uint32_t marks, std::uint32_t wanted) {
  return (marks & wanted) == wanted;
}

} // namespace

CallLineFinder::CallLineFinder(const FrameTable& frames)
    : frames_(frames), names_(frames, name_marks), files_(frames, file_marks) {
}

const CallLines& CallLineFinder::of(StackId stack) {
  const auto [entry, is_new] = found_.try_emplace(stack.value);
  if (is_new) entry->second = find(stack);
  return entry->second;
}

/// Whether a caller says more than the call: not the module level of its file.
bool CallLineFinder::is_worth_naming(FrameId caller, FrameId call) const {
  return frames_.frame(caller).filename != frames_.frame(call).filename || frames_.name(caller) != "<module>";
}

void CallLineFinder::add_own(CallLines& found, FrameId id) const {
  CalledLine& line = found.line;
  if (!line.line) line.line = id;
  if (!line.call) {
    line.call = id;
  } else if (*line.call != id && is_worth_naming(id, *line.call)) {
    const auto file = [&](FrameId frame) { return frames_.frame(frame).filename; };
    if (!line.caller || (file(*line.caller) == file(*line.call) && file(id) != file(*line.call))) line.caller = id;
  }
}

CallLines CallLineFinder::find(StackId stack) {
  // Marks that take both a file and a function of the same frame.
  constexpr std::array kPairs{cause_mark::deep_copy | cause_mark::copy_file,
                              cause_mark::recomputes | cause_mark::checkpoint_file};
  constexpr std::uint32_t kAlone = cause_mark::backward | cause_mark::foreach | cause_mark::optimizer_start |
                                   cause_mark::loss | cause_mark::softmax | cause_mark::cat | cause_mark::load_file |
                                   cause_mark::optimizer_file;
  CallLines found;
  for (const FrameId id : frames_.stack(stack)) {
    const Frame& frame = frames_.frame(id);
    const std::uint32_t marks = names_.of(frame.name) | files_.of(frame.filename);
    found.marks |= marks & kAlone;
    for (const std::uint32_t pair : kPairs)
      if (has_all(marks, pair)) found.marks |= pair;
    if (has_all(marks, cause_mark::module_call | cause_mark::module_file)) {
      found.is_in_module = true;
      found.line.call.reset();
      found.line.caller.reset();
    }
    if ((marks & cause_mark::own) != 0) add_own(found, id);
  }
  if ((found.marks & cause_mark::loss) != 0) found.marks &= ~std::uint32_t{cause_mark::softmax};
  return found;
}

} // namespace memviz
