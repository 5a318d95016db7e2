#include "symbols.hpp"

#include "module_symbols.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace memviz::inject {

namespace {

struct Symbol {
  std::uint32_t frame = 0;
  bool is_recorder = false; ///< of this library, of CUPTI, or an unnamed one of the driver
};

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), result.ptr);
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Returns "module+0xoffset" of the call before `return_address`, a form that addr2line and debuggers accept.
std::string place_in_module(void* return_address) {
  Dl_info info{};
  if (dladdr(static_cast<char*>(return_address) - 1, &info) == 0 || info.dli_fname == nullptr) return "??";
  const auto offset =
      static_cast<std::uint64_t>(static_cast<char*>(return_address) - 1 - static_cast<char*>(info.dli_fbase));
  return std::string(base_name(info.dli_fname)) + "+" + hexadecimal(offset);
}

class Symbolizer {
public:
  explicit Symbolizer(capture::SnapshotData& snapshot) : snapshot_(snapshot) {
    Dl_info info{};
    static const char in_this_module = 0;
    if (dladdr(&in_this_module, &info) != 0 && info.dli_fname != nullptr) own_module_ = info.dli_fname;
  }

  const Symbol& operator()(void* return_address) {
    const auto [entry, is_new] = symbols_.try_emplace(return_address);
    if (is_new) entry->second = look_up(return_address);
    return entry->second;
  }

private:
  Symbol look_up(void* return_address) {
    capture::FrameData frame = modules_.look_up(return_address).frame;
    const bool is_named = frame.name != "??";
    const std::string_view module = base_name(frame.filename);
    const bool is_recorder = frame.filename == own_module_ || module.starts_with("libcupti") ||
                             (module.starts_with("libcuda.so") && !is_named);
    if (!is_named) frame.name = place_in_module(return_address);
    snapshot_.frames.push_back(std::move(frame));
    return {static_cast<std::uint32_t>(snapshot_.frames.size() - 1), is_recorder};
  }

  capture::SnapshotData& snapshot_;
  capture::ModuleSymbols modules_;
  std::string own_module_;
  std::unordered_map<void*, Symbol> symbols_;
};

} // namespace

void add_stacks(const capture::StackTable& table, capture::SnapshotData& snapshot) {
  Symbolizer symbolize(snapshot);
  snapshot.stacks.reserve(table.size());
  for (std::size_t index = 0; index < table.size(); ++index) {
    std::vector<std::uint32_t> frames;
    for (void* address : table[static_cast<capture::StackIndex>(index)]) {
      const Symbol& symbol = symbolize(address);
      if (frames.empty() && symbol.is_recorder) continue;
      frames.push_back(symbol.frame);
    }
    snapshot.stacks.push_back(std::move(frames));
  }
}

} // namespace memviz::inject
