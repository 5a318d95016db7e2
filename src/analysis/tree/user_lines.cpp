#include "analysis/tree/user_lines.hpp"

#include "analysis/tree/frame_selection.hpp"
#include "analysis/tree/text_facts.hpp"
#include "base/affixes.hpp"
#include "memviz/label.hpp"
#include "text/nvcc_files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace memviz {
namespace {

constexpr int kUserPython = 6;
constexpr int kPython = 5;
constexpr int kPassingOn = 4;
constexpr int kUserCpp = 3;
constexpr int kLibraryCpp = 2;
constexpr int kPlumbing = 1;

/// C++ between an operator and the allocator: the same for every tensor.
bool is_plumbing(std::string_view function) {
  static constexpr std::array<std::string_view, 14> kBeginnings{"c10::",
                                                                "at::detail::",
                                                                "at::_ops::",
                                                                "at::native::empty",
                                                                "at::native::new_empty",
                                                                "at::wrapper",
                                                                "at::empty",
                                                                "aten::empty",
                                                                "at::create_out",
                                                                "at::structured_",
                                                                "at::meta::",
                                                                "at::impl::",
                                                                "torch::unwind",
                                                                "??"};
  return starts_with_any(function, kBeginnings);
}

/// C++ of torch, the interpreter, and the language's and the system's libraries.
bool is_library_cpp(std::string_view function) {
  static constexpr std::array<std::string_view, 18> kBeginnings{
      "at::",     "aten::",     "torch::",     "caffe2::", "std::", "__",           "_Py",
      "Py",       "builtin_",   "THPVariable", "_start",   "clone", "start_thread", "execute_native_thread_routine",
      "pthread_", "cfunction_", "type_call",   "NSYS_"};
  return starts_with_any(function, kBeginnings);
}

/// Ranks a C++ function by its name.
int function_preference(std::string_view name) {
  if (is_omitted_name(name)) return 0;
  const std::string function = short_function(name);
  if (is_plumbing(function)) return kPlumbing;
  return is_library_cpp(function) ? kLibraryCpp : kUserCpp;
}

/// Ranks a shared library without source lines that is not the user's: NVIDIA's are plumbing; 0 for any other file.
int library_preference(std::string_view filename) {
  static constexpr std::array<std::string_view, 3> kNvidia{"libcu", "libnv", "libnccl"};
  static constexpr std::array<std::string_view, 8> kOthers{"libtorch", "libc10",  "libstdc++",  "libgomp",
                                                           "libc.so",  "libm.so", "libpthread", "ld-linux"};
  const std::string_view name = file_basename(filename);
  if (!name.ends_with(".so") && name.find(".so.") == std::string_view::npos) return 0;
  if (starts_with_any(name, kNvidia)) return kPlumbing;
  return starts_with_any(name, kOthers) || filename.find("-packages/") != std::string_view::npos ? kLibraryCpp : 0;
}

/// Whether the file only passes calls on: torch's dispatch, hooks and decorators, and the standard library.
bool only_passes_on(std::string_view filename, CodeOrigin origin) {
  static constexpr std::array<std::string_view, 15> kFiles{"/torch/utils/_device.py",
                                                           "/torch/utils/_contextlib.py",
                                                           "/torch/utils/_python_dispatch.py",
                                                           "/torch/utils/checkpoint.py",
                                                           "/torch/_ops.py",
                                                           "/torch/_compile.py",
                                                           "/torch/overrides.py",
                                                           "/torch/nn/modules/module.py",
                                                           "/torch/nn/modules/container.py",
                                                           "/torch/autograd/function.py",
                                                           "/torch/autograd/graph.py",
                                                           "/torch/_dynamo/eval_frame.py",
                                                           "/torch/_dynamo/external_utils.py",
                                                           "/torch/amp/autocast_mode.py",
                                                           "/torch/_prims_common/wrappers.py"};
  if (origin == CodeOrigin::torch) return ends_with_any(filename, kFiles) || is_of_rehearsal(filename);
  return filename.find("-packages") == std::string_view::npos;
}

/// Returns the rank of a frame by its file; 0 if the function does not count.
int file_preference(std::string_view filename) {
  switch (const CodeOrigin origin = origin_of(filename)) {
  case CodeOrigin::user: return kUserPython;
  case CodeOrigin::torch:
  case CodeOrigin::library: return only_passes_on(filename, origin) ? kPassingOn : kPython;
  case CodeOrigin::cpp: break;
  }
  if (is_omitted_file(filename)) return 0;
  if (const int library = library_preference(filename); library > 0) return library;
  const bool is_between_compilers = !source_between_compilers(file_basename(filename)).empty();
  return is_interpreter_file(filename) || is_between_compilers ? kLibraryCpp : kUserCpp;
}

/// Returns the rank of a frame within a line by its file; 0 if it is not informative.
int inner_preference(std::string_view filename) {
  if (file_preference(filename) != kPython) return 0;
  return origin_of(filename) == CodeOrigin::library ? 2 : 1;
}

bool calls_node(std::string_view name) {
  return name.find("torch::autograd::Node::operator()") != std::string_view::npos;
}

} // namespace

struct UserLineFinder::Facts {
  explicit Facts(const FrameTable& frames)
      : functions(frames, function_preference), files(frames, file_preference), inner_files(frames, inner_preference),
        node_calls(frames, calls_node) {}

  TextFacts<int> functions;
  TextFacts<int> files;
  TextFacts<int> inner_files;
  TextFacts<bool> node_calls;
};

UserLineFinder::UserLineFinder(const FrameTable& frames) : frames_(frames), facts_(std::make_unique<Facts>(frames)) {
}

UserLineFinder::~UserLineFinder() = default;

NodeKey UserLineFinder::line_of(StackId stack) {
  if (frames_.stack(stack).empty()) return Pseudo::without_stack;
  const auto [entry, is_new] = line_by_stack_.try_emplace(stack.value);
  if (is_new) entry->second = find(stack);
  return entry->second;
}

std::optional<FrameId> UserLineFinder::inner_line_of(StackId stack) {
  const auto [entry, is_new] = inner_by_stack_.try_emplace(stack.value);
  if (is_new) entry->second = find_inner(stack);
  return entry->second;
}

std::optional<FrameId> UserLineFinder::find_inner(StackId stack) {
  const NodeKey line = line_of(stack);
  if (!is_frame(line)) return std::nullopt;
  std::optional<FrameId> best;
  int best_preference = 0;
  for (const FrameId frame : frames_.stack(stack)) {
    if (frame == std::get<FrameId>(line)) break;
    const int candidate = facts_->inner_files.of(frames_.frame(frame).filename);
    if (candidate <= best_preference) continue;
    best = frame;
    best_preference = candidate;
  }
  return best;
}

NodeKey UserLineFinder::find(StackId stack_id) {
  const std::span<const FrameId> stack = frames_.stack(stack_id);
  std::size_t best = stack.size();
  int best_preference = 0;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const int candidate = preference(stack[i]);
    if (candidate <= best_preference) continue;
    best = i;
    best_preference = candidate;
  }
  // C++ outside the node is the engine's thread; inside it, a function of the user's.
  const std::size_t node = autograd_node(stack);
  if (node < stack.size() && (best_preference < kUserCpp || (best_preference == kUserCpp && best > node))) best = node;
  if (best < stack.size()) return stack[best];
  return Pseudo::filtered;
}

/// Whether a frame is worth pointing to, by falling preference; 0: never.
int UserLineFinder::preference(FrameId id) {
  const Frame& frame = frames_.frame(id);
  const int by_file = facts_->files.of(frame.filename);
  return by_file == kUserCpp || by_file == kLibraryCpp ? std::min(by_file, facts_->functions.of(frame.name)) : by_file;
}

/// The backward pass has no Python frames: the most informative frame is the autograd node ("AccumulateGrad::apply"),
/// which Node::operator() calls. Returns its index, or the size of the stack.
std::size_t UserLineFinder::autograd_node(std::span<const FrameId> stack) {
  for (std::size_t i = 1; i < stack.size(); ++i) {
    if (facts_->node_calls.of(frames_.frame(stack[i]).name)) return i - 1;
  }
  return stack.size();
}

std::string_view not_own_text(const FrameTable& frames, const NodeKey& line) {
  const auto* frame = std::get_if<FrameId>(&line);
  if (frame == nullptr) return "";
  switch (origin_of(frames.filename(*frame))) {
  case CodeOrigin::user: return "";
  case CodeOrigin::torch: return "torch's own";
  case CodeOrigin::library: return "a library's own";
  case CodeOrigin::cpp: break;
  }
  const bool is_own =
      file_preference(frames.filename(*frame)) == kUserCpp && function_preference(frames.name(*frame)) == kUserCpp;
  return is_own ? "" : "torch's C++";
}

NodeKey user_line_of(const FrameTable& frames, StackId stack) {
  return UserLineFinder(frames).line_of(stack);
}

NodeKey UserLines::line_of(DeviceId device, std::uint32_t block) {
  const StackId stack = state_.blocks[block].stack;
  return state_.frames().stack(stack).empty() ? NodeKey(no_stack_.reason(device, block)) : finder_.line_of(stack);
}

NodeKey UserLines::line_of(DeviceId device, const OutsideMemory& outside) {
  return state_.frames().stack(outside.stack).empty() ? NodeKey(no_stack_.reason(device, outside))
                                                      : finder_.line_of(outside.stack);
}

void LineAmounts::add_within(const NodeKey& line, FrameId inner, const Amount& amount) {
  held_[line].within[inner] += amount;
}

std::vector<UserLine> LineAmounts::ranked(const FrameOrder& order) const {
  std::vector<UserLine> lines;
  std::uint64_t all_bytes = 0;
  for (const auto& [line, held] : held_) {
    lines.push_back({line, held.amount, held.kinds});
    all_bytes += held.amount.bytes;
  }
  std::ranges::sort(lines, [&](const UserLine& left, const UserLine& right) {
    if (left.amount.bytes != right.amount.bytes) return left.amount.bytes > right.amount.bytes;
    return order.is_before(left.key, right.key);
  });
  if (!lines.empty() && lines.front().amount.bytes > all_bytes / 2)
    lines.front().within = largest_within(held_.at(lines.front().key).within, lines.front().amount.bytes, order);
  return lines;
}

std::vector<InnerLine> largest_within(const std::map<FrameId, Amount>& within, std::uint64_t whole_bytes,
                                      const FrameOrder& order) {
  std::vector<InnerLine> inner;
  for (const auto& [frame, amount] : within)
    if (amount.bytes >= whole_bytes / kLeastPartWithin) inner.push_back({frame, amount});
  std::ranges::sort(inner, [&](const InnerLine& left, const InnerLine& right) {
    if (left.amount.bytes != right.amount.bytes) return left.amount.bytes > right.amount.bytes;
    return order.is_before(left.frame, right.frame);
  });
  inner.resize(std::min(inner.size(), kMostWithin));
  return inner;
}

void UserLines::add_within(LineAmounts& amounts, const NodeKey& line, StackId stack, const Amount& amount) {
  if (const std::optional<FrameId> inner = finder_.inner_line_of(stack)) amounts.add_within(line, *inner, amount);
}

namespace {

constexpr auto kAllMemory = [](StackId, const BlockHistory&) { return true; };

/// Adds the active memory of `device`, or of all, for which `is_part` is true, to what `amounts_of` returns for its
/// device.
template <class AmountsOf, class IsPart>
void add_lines(const MemoryState& state, std::optional<DeviceId> device, const AmountsOf& amounts_of,
               const IsPart& is_part) {
  UserLines user_lines(state);
  const auto add = [&](LineAmounts& amounts, const NodeKey& line, StackId stack, const KindShare& share) {
    if (state.has_kinds)
      amounts.add(line, share);
    else
      amounts.add(line, share.amount);
    user_lines.add_within(amounts, line, stack, share.amount);
  };
  for (const Segment& segment : state.segments_of(device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state.blocks[i];
      if (block.is_active() && is_part(block.stack, state.facts[i].history))
        add(amounts_of(segment.device), user_lines.line_of(segment.device, i), block.stack,
            {state.facts[i].kind, {block.requested_bytes, 1}});
    }
  }
  for (const DeviceState& of_device : state.devices_of(device))
    for (const OutsideMemory& outside : of_device.outside)
      if (is_part(outside.stack, BlockHistory{}))
        add(amounts_of(of_device.device), user_lines.line_of(of_device.device, outside), outside.stack,
            {{}, {outside.requested_bytes, outside.allocations}});
}

template <class IsPart>
std::vector<UserLine> ranked_lines(const MemoryState& state, std::optional<DeviceId> device, const IsPart& is_part) {
  LineAmounts amounts;
  const auto amounts_of = [&](DeviceId) -> LineAmounts& { return amounts; };
  add_lines(state, device, amounts_of, is_part);
  return amounts.ranked(FrameOrder(state.frames()));
}

} // namespace

std::vector<UserLine> rank_user_lines(const MemoryState& state, std::optional<DeviceId> device) {
  return ranked_lines(state, device, kAllMemory);
}

std::vector<UserLine> rank_user_lines(const MemoryState& state, std::optional<DeviceId> device,
                                      const TreeOptions& tree) {
  FrameSelection selection(state.frames(), tree);
  return ranked_lines(state, device, [&](StackId stack, const BlockHistory& history) {
    return is_in(tree.lives, history) && selection.is_in_focus(stack);
  });
}

std::vector<std::vector<UserLine>> rank_user_lines_of_devices(const MemoryState& state) {
  std::map<DeviceId, LineAmounts> by_device;
  const auto amounts_of = [&](DeviceId device) -> LineAmounts& { return by_device[device]; };
  add_lines(state, {}, amounts_of, kAllMemory);
  const FrameOrder order(state.frames());
  std::vector<std::vector<UserLine>> ranked;
  for (const DeviceState& of_device : state.devices)
    ranked.push_back(by_device[of_device.device].ranked(order));
  return ranked;
}

} // namespace memviz
