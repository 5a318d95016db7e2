#include "native_stack.hpp"

#include "module_symbols.hpp"

#include <torch/csrc/profiler/unwind/unwind.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <execinfo.h>
#include <unordered_map>
#include <utility>

namespace memviz::capture {
namespace {

/// Read in this process, with no program launched. Where the DWARF says nothing, `lineno` is the offset in the library,
/// no line. Empty if the unwinder of this LibTorch cannot do it.
std::vector<torch::unwind::Frame> look_up_lines(const std::vector<void*>& addresses) {
  try {
    return torch::unwind::symbolize(addresses, torch::unwind::Mode::fast);
  } catch (const std::exception&) {
    return {};
  }
}

bool names_source(const torch::unwind::Frame& line, void* address) {
  if (line.filename.empty() || line.filename == "??") return false;
  const auto library = torch::unwind::libraryFor(address);
  return !library || library->first != line.filename;
}

} // namespace

std::vector<void*> gather_native_stack() {
  const void* const caller = __builtin_return_address(0);
  static std::atomic<bool> torch_unwinds{true};
  std::vector<void*> stack;
  if (torch_unwinds.load(std::memory_order_relaxed)) {
    try {
      stack = torch::unwind::unwind();
    } catch (const std::exception&) { // not written for this processor
      torch_unwinds.store(false, std::memory_order_relaxed);
    }
  }
  if (stack.empty()) {
    stack.resize(kMaxDepth);
    const int depth = ::backtrace(stack.data(), static_cast<int>(stack.size()));
    stack.resize(static_cast<std::size_t>(depth));
  }
  // The unwinder's frames and this one stand before the caller's; there are two or three.
  const auto searched = stack.begin() + std::min<std::ptrdiff_t>(8, std::ssize(stack));
  const auto found = std::find(stack.begin(), searched, caller);
  if (found != searched) stack.erase(stack.begin(), found);
  if (stack.size() > kMaxDepth) stack.resize(kMaxDepth);
  return stack;
}

std::vector<FrameData> symbolize(std::span<void* const> addresses) {
  std::unordered_map<void*, std::size_t> indices;
  std::vector<void*> distinct;
  for (void* address : addresses) {
    if (indices.try_emplace(address, distinct.size()).second) distinct.push_back(address);
  }
  ModuleSymbols symbols;
  std::vector<FrameData> frames;
  std::vector<void*> with_lines;
  for (void* address : distinct) {
    ModuleSymbols::Place place = symbols.look_up(address);
    if (place.has_lines) with_lines.push_back(address);
    frames.push_back(std::move(place.frame));
  }
  const auto lines = look_up_lines(with_lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    FrameData& frame = frames[indices.at(with_lines[i])];
    if (frame.name == "??" && !lines[i].funcname.empty()) frame.name = lines[i].funcname;
    if (!names_source(lines[i], with_lines[i])) continue;
    frame.filename = lines[i].filename;
    frame.line = static_cast<std::int64_t>(lines[i].lineno);
  }
  std::vector<FrameData> result;
  result.reserve(addresses.size());
  for (void* address : addresses)
    result.push_back(frames[indices.at(address)]);
  return result;
}

} // namespace memviz::capture
