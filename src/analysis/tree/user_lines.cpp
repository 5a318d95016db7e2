#include "analysis/tree/user_lines.hpp"

#include "analysis/tree/text_facts.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace memviz {
namespace {

constexpr int kPython = 4;
constexpr int kUserCpp = 3;
constexpr int kLibraryCpp = 2;

bool starts_with_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view part) { return text.starts_with(part); });
}

/// C++ on the way from an operator to the allocator: the same for every tensor.
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

/// C++ of torch, of the interpreter, of the language's and the system's libraries.
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
  if (is_plumbing(function)) return 1;
  return is_library_cpp(function) ? kLibraryCpp : kUserCpp;
}

/// Whether nvcc wrote the file as an intermediate step, so that it no longer exists:
/// "tmpxft_00007b74_00000000-6_RangeFactories.cudafe1.cpp".
bool is_between_compilers(std::string_view filename) {
  return filename.find("tmpxft_") != std::string_view::npos;
}

/// Ranks a C++ frame by its file; 0 if the function does not count.
int file_preference(std::string_view filename) {
  switch (origin_of(filename)) {
  case CodeOrigin::user: return 5;
  case CodeOrigin::torch:
  case CodeOrigin::library: return kPython;
  case CodeOrigin::cpp: break;
  }
  if (is_omitted_file(filename)) return 0;
  return is_interpreter_file(filename) || is_between_compilers(filename) ? kLibraryCpp : kUserCpp;
}

bool calls_node(std::string_view name) {
  return name.find("torch::autograd::Node::operator()") != std::string_view::npos;
}

} // namespace

struct UserLineFinder::Facts {
  explicit Facts(const FrameTable& frames)
      : functions(frames, function_preference), files(frames, file_preference), node_calls(frames, calls_node) {}

  TextFacts<int> functions;
  TextFacts<int> files;
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
  // C++ outside of the node is the engine's thread; inside of it, a function of the user's own.
  const std::size_t node = autograd_node(stack);
  if (node < stack.size() && (best_preference < kUserCpp || (best_preference == kUserCpp && best > node))) best = node;
  if (best < stack.size()) return stack[best];
  return Pseudo::filtered;
}

/// Whether a frame says where to look, by falling preference; 0: never.
int UserLineFinder::preference(FrameId id) {
  const Frame& frame = frames_.frame(id);
  const int by_file = facts_->files.of(frame.filename);
  return by_file == kUserCpp ? facts_->functions.of(frame.name) : by_file;
}

/// In the backward pass no Python frame is left: the autograd node shows most ("AccumulateGrad::apply"), which is what
/// Node::operator() calls. Returns its index, or the size of the stack.
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

std::vector<UserLine> LineAmounts::ranked(const FrameOrder& order) const {
  std::vector<UserLine> lines;
  for (const auto& [line, held] : held_)
    lines.push_back({line, held.amount, held.kinds});
  std::sort(lines.begin(), lines.end(), [&](const UserLine& left, const UserLine& right) {
    if (left.amount.bytes != right.amount.bytes) return left.amount.bytes > right.amount.bytes;
    return order.is_before(left.key, right.key);
  });
  return lines;
}

std::vector<UserLine> rank_user_lines(const MemoryState& state, std::optional<DeviceId> device) {
  UserLines user_lines(state);
  LineAmounts amounts;
  const auto add = [&](const NodeKey& line, const Amount& amount, const KindOf& kind) {
    if (state.has_kinds)
      amounts.add(line, KindShare{kind, amount});
    else
      amounts.add(line, amount);
  };
  for (const Segment& segment : state.segments_of(device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state.blocks[i];
      if (block.is_active())
        add(user_lines.line_of(segment.device, i), {block.requested_bytes, 1}, state.facts[i].kind);
    }
  }
  for (const DeviceState& of_device : state.devices_of(device))
    for (const OutsideMemory& outside : of_device.outside)
      add(user_lines.line_of(of_device.device, outside), {outside.requested_bytes, outside.allocations}, {});
  return amounts.ranked(FrameOrder(state.frames()));
}

} // namespace memviz
