#include "native_stack.hpp"

#include <torch/csrc/profiler/unwind/unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <exception>
#include <execinfo.h>
#include <memory>
#include <string>
#include <unordered_map>

namespace memviz::capture {
namespace {

std::string demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         [](void* text) { std::free(text); });
  return status == 0 && demangled ? std::string(demangled.get()) : std::string(name);
}

/// What the dynamic linker knows. A return address is that of the next instruction, which after a call that does not
/// return belongs to the next function.
FrameData look_up_exported(void* address) {
  FrameData frame{"??", "??", 0};
  Dl_info info{};
  if (dladdr(static_cast<char*>(address) - 1, &info) == 0) return frame;
  if (info.dli_fname != nullptr && *info.dli_fname != '\0') frame.filename = info.dli_fname;
  if (info.dli_sname != nullptr) frame.name = demangle(info.dli_sname);
  return frame;
}

/// In this process, from the DWARF of the libraries; without DWARF, `lineno` is the offset in the library, no line.
/// Empty if the unwinder of this LibTorch cannot do it.
std::vector<torch::unwind::Frame> look_up_lines(const std::vector<void*>& addresses) {
  try {
    return torch::unwind::symbolize(addresses, torch::unwind::Mode::fast);
  } catch (const std::exception&) {
    return {};
  }
}

/// LibTorch asks the dynamic linker for the address itself, which may begin the next function.
bool names_next_function(const torch::unwind::Frame& line, void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_sname == nullptr || info.dli_saddr != address) return false;
  return line.funcname == demangle(info.dli_sname);
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
  const auto lines = look_up_lines(distinct);
  std::vector<FrameData> frames;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    FrameData frame = look_up_exported(distinct[i]);
    if (i < lines.size()) {
      if (frame.name == "??" && !lines[i].funcname.empty() && !names_next_function(lines[i], distinct[i])) {
        frame.name = lines[i].funcname;
      }
      if (names_source(lines[i], distinct[i])) {
        frame.filename = lines[i].filename;
        frame.line = static_cast<std::int64_t>(lines[i].lineno);
      }
    }
    frames.push_back(std::move(frame));
  }
  std::vector<FrameData> result;
  result.reserve(addresses.size());
  for (void* address : addresses)
    result.push_back(frames[indices.at(address)]);
  return result;
}

} // namespace memviz::capture
