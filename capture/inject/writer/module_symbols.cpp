#include "module_symbols.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

namespace memviz::capture {
namespace {

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         [](void* text) { std::free(text); });
  return status == 0 && demangled ? std::string(demangled.get()) : name;
}

/// Parts of a file that may be damaged or different than expected: missing parts are empty.
class File {
public:
  explicit File(const std::string& path) : stream_(path, std::ios::binary) {
    std::error_code failed;
    bytes_ = std::filesystem::file_size(path, failed);
    if (failed) bytes_ = 0;
  }

  std::string part(std::uint64_t offset, std::uint64_t bytes) {
    if (offset > bytes_ || bytes > bytes_ - offset) return {};
    std::string result(bytes, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(result.data(), static_cast<std::streamsize>(bytes));
    return stream_ ? result : std::string();
  }

  template <class Item> std::vector<Item> items(std::uint64_t offset, std::uint64_t bytes) {
    const std::string read = part(offset, bytes);
    std::vector<Item> result(read.size() / sizeof(Item));
    if (!result.empty()) std::memcpy(result.data(), read.data(), result.size() * sizeof(Item));
    return result;
  }

private:
  std::ifstream stream_;
  std::uint64_t bytes_ = 0;
};

std::string text_at(const std::string& texts, std::uint64_t offset) {
  return offset < texts.size() ? std::string(texts.c_str() + offset) : std::string();
}

bool is_function(const ElfW(Sym) & symbol) {
  const unsigned type = symbol.st_info & 0xFU;
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0;
}

} // namespace

ModuleSymbols::ModuleSymbols() {
  const auto add = [](dl_phdr_info* info, std::size_t, void* modules) {
    Module module;
    module.path = info->dlpi_name;
    // The program itself has no name in this list.
    if (module.path.empty()) {
      std::error_code ignored;
      module.path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    }
    module.base = info->dlpi_addr;
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      module.ranges.emplace_back(module.base + part.p_vaddr, module.base + part.p_vaddr + part.p_memsz);
    }
    module.program_headers.assign(reinterpret_cast<const char*>(info->dlpi_phdr),
                                  info->dlpi_phnum * sizeof(ElfW(Phdr)));
    static_cast<std::vector<Module>*>(modules)->push_back(std::move(module));
    return 0;
  };
  dl_iterate_phdr(add, &modules_);
}

ModuleSymbols::Place ModuleSymbols::look_up(void* return_address) {
  Place place{{"??", "??", 0}, false};
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  const auto contains = [&](const auto& range) { return range.first <= address && address < range.second; };
  const auto module = std::find_if(modules_.begin(), modules_.end(), [&](const Module& candidate) {
    return std::any_of(candidate.ranges.begin(), candidate.ranges.end(), contains);
  });
  if (module == modules_.end()) return place;
  if (!std::exchange(module->is_read, true)) read(*module);
  place.frame.filename = module->path;
  place.has_lines = module->has_lines;
  std::string name = function_at(*module, address - module->base);
  if (Dl_info info{}; module->functions.empty() && dladdr(static_cast<char*>(return_address) - 1, &info) != 0) {
    if (info.dli_sname != nullptr) name = info.dli_sname;
  }
  if (!name.empty()) place.frame.name = demangle(name);
  return place;
}

std::string ModuleSymbols::function_at(const Module& module, std::uint64_t address) {
  const auto is_behind = [](std::uint64_t wanted, const Function& function) { return wanted < function.begin; };
  auto next = std::upper_bound(module.functions.begin(), module.functions.end(), address, is_behind);
  if (next == module.functions.begin()) return {};
  const Function& function = *--next;
  return address - function.begin < function.bytes ? function.name : std::string();
}

void ModuleSymbols::read(Module& module) {
  File file(module.path);
  const auto headers = file.items<ElfW(Ehdr)>(0, sizeof(ElfW(Ehdr)));
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return;
  const ElfW(Ehdr)& header = headers[0];
  // The file may have been replaced since it was loaded.
  if (file.part(header.e_phoff, module.program_headers.size()) != module.program_headers) return;

  const auto sections = file.items<ElfW(Shdr)>(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(ElfW(Shdr)));
  if (header.e_shstrndx >= sections.size()) return;
  const std::string names = file.part(sections[header.e_shstrndx].sh_offset, sections[header.e_shstrndx].sh_size);
  std::vector<Function>& functions = module.functions;
  for (const ElfW(Shdr) & section : sections) {
    if (text_at(names, section.sh_name) == ".debug_info") module.has_lines = true;
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) || section.sh_link >= sections.size())
      continue;
    const std::string texts = file.part(sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size);
    for (const ElfW(Sym) & symbol : file.items<ElfW(Sym)>(section.sh_offset, section.sh_size)) {
      if (!is_function(symbol)) continue;
      std::string name = text_at(texts, symbol.st_name);
      name.resize(std::min(name.size(), name.find('@'))); // a version: memcpy@@GLIBC_2.14
      if (!name.empty()) functions.push_back({symbol.st_value, symbol.st_size, std::move(name)});
    }
  }
  // The shortest of several names for one address is usually the public one.
  std::sort(functions.begin(), functions.end(), [](const Function& before, const Function& after) {
    return std::tuple(before.begin, before.name.size(), std::string_view(before.name)) <
           std::tuple(after.begin, after.name.size(), std::string_view(after.name));
  });
  const auto is_alias = [](const Function& first, const Function& second) { return first.begin == second.begin; };
  functions.erase(std::unique(functions.begin(), functions.end(), is_alias), functions.end());
}

} // namespace memviz::capture
