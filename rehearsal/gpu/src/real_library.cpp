#include "real_library.hpp"

#include <cstdint>
#include <dlfcn.h>
#include <link.h>

namespace memviz::rehearsal {
namespace {

struct Search {
  const char* prefix;
  std::uintptr_t own_base;
  std::string found;
};

int look_at(dl_phdr_info* module, std::size_t, void* data) {
  auto* const search = static_cast<Search*>(data);
  const std::string path = module->dlpi_name ? module->dlpi_name : "";
  const std::string file = path.substr(path.find_last_of('/') + 1);
  if (module->dlpi_addr == search->own_base || file.rfind(search->prefix, 0) != 0) return 0;
  search->found = path;
  return 1;
}

} // namespace

std::string real_library(const char* prefix) {
  Dl_info own{};
  if (!dladdr(reinterpret_cast<void*>(&real_library), &own)) return {};
  Search search{prefix, reinterpret_cast<std::uintptr_t>(own.dli_fbase), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

void* real_function_address(const char* prefix, const char* name) {
  const std::string path = real_library(prefix);
  if (path.empty()) return nullptr;
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  void* const function = dlsym(library, name);
  dlclose(library); // one of the process's own references is left
  Dl_info own{};
  Dl_info found{};
  // dlsym also searches the library's dependencies, and by that name this may be one.
  const bool is_own = dladdr(reinterpret_cast<void*>(&real_library), &own) && dladdr(function, &found) &&
                      own.dli_fbase == found.dli_fbase;
  return is_own ? nullptr : function;
}

} // namespace memviz::rehearsal
