#include "symbols.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace memviz::inject {

namespace {

struct Symbol {
  std::uint32_t frame = 0;
  bool is_recorder = false; ///< of this library, of CUPTI, or an unnamed one of the driver
};

std::string demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), result.ptr);
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

class Symbolizer {
public:
  explicit Symbolizer(capture::SnapshotData& snapshot) : snapshot_(snapshot) {
    Dl_info info{};
    static const char in_this_module = 0;
    if (dladdr(&in_this_module, &info) != 0) own_module_ = info.dli_fbase;
  }

  const Symbol& operator()(void* return_address) {
    const auto [entry, is_new] = symbols_.try_emplace(return_address);
    if (is_new) entry->second = look_up(return_address);
    return entry->second;
  }

private:
  Symbol look_up(void* return_address) {
    // The return address may be that of the next function already, when the call was the last instruction.
    const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
    Dl_info info{};
    const ElfW(Sym)* symbol = nullptr;
    const bool is_known = dladdr1(reinterpret_cast<void*>(address), &info, // NOLINT(performance-no-int-to-ptr)
                                  reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)), RTLD_DL_SYMENT) != 0;
    capture::FrameData frame{"??", "??", 0};
    bool is_named = false;
    bool is_recorder = false;
    if (is_known) {
      const std::string_view module = base_name(info.dli_fname);
      frame.filename = info.dli_fname;
      // dladdr gives the exported function before the address, however far it is.
      is_named = info.dli_sname != nullptr && symbol != nullptr &&
                 address - reinterpret_cast<std::uintptr_t>(info.dli_saddr) < symbol->st_size;
      frame.name = is_named ? demangle(info.dli_sname)
                            : std::string(module) + "+" +
                                  hexadecimal(address - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
      is_recorder = info.dli_fbase == own_module_ || starts_with(module, "libcupti") ||
                    (starts_with(module, "libcuda.so") && !is_named);
    }
    snapshot_.frames.push_back(std::move(frame));
    return {static_cast<std::uint32_t>(snapshot_.frames.size() - 1), is_recorder};
  }

  capture::SnapshotData& snapshot_;
  void* own_module_ = nullptr;
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
