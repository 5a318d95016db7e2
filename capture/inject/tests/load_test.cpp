// Does what the CUDA driver does with the library, even without a driver: memviz_inject_load LIBRARY. Whatever CUPTI
// returns, the program must reach its end.
#include <cstdio>
#include <dlfcn.h>

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return 2;
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize == nullptr) return 1;
  std::printf("InitializeInjection returned %d\n", initialize());
  return 0;
}
