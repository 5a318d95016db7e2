// The lookup of the driver's functions by name: cuGetProcAddress and cudaGetDriverEntryPoint.
#include "machine.hpp"
#include "table.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <system_error>

using namespace memviz::rehearsal;

namespace {

// CUdriverProcAddressQueryResult, cudaDriverEntryPointQueryResult
constexpr int kFound = 0;
constexpr int kNotFound = 1;

constexpr int kVersionOf12 = 12090;

int look_up(const char* symbol, void** function, int cuda_version, int* result) {
  if (!symbol || !function) return static_cast<int>(Error::invalid_value);
  *function = find_driver_function(symbol, cuda_version);
  if (result) *result = *function ? kFound : kNotFound;
  if (*function) return 0;
  const Locked machine;
  note(*machine, "a function that is not made up was asked for: " + std::string(symbol));
  return static_cast<int>(Error::not_found);
}

bool is_program(const std::string& module) {
  std::error_code error;
  return std::filesystem::equivalent(module, "/proc/self/exe", error);
}

} // namespace

MEMVIZ_EXPORT int cuGetProcAddress_v2(const char* symbol, void** function, int cuda_version, unsigned long long,
                                      int* result) {
  return look_up(symbol, function, cuda_version, result);
}

MEMVIZ_EXPORT int cuGetProcAddress(const char* symbol, void** function, int cuda_version, unsigned long long) {
  return look_up(symbol, function, cuda_version, nullptr);
}

// Tables of undocumented functions, without which a CUDA runtime linked into a program cannot work. Python's CUDA
// bindings also contain one, which PyTorch does not need; so a warning is given only for the program itself.
MEMVIZ_EXPORT int cuGetExportTable(const void** table, const Uuid*) {
  if (table) *table = nullptr;
  Dl_info caller{};
  const bool is_known = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname;
  const std::string module = is_known ? caller.dli_fname : "a module";
  const Locked machine;
  note(*machine,
       "the CUDA runtime that is linked into " + module + " (libcudart_static) cannot be rehearsed; a shared one can",
       is_program(module));
  return static_cast<int>(Error::not_found);
}

// The runtime's functions succeed and return a null pointer for a name that the driver does not know.
MEMVIZ_EXPORT int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned cuda_version,
                                                   unsigned long long, int* result) {
  const int error = look_up(symbol, function, static_cast<int>(cuda_version), result);
  return error == static_cast<int>(Error::not_found) ? 0 : error;
}

MEMVIZ_EXPORT int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags, int* result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, kVersionOf12, flags, result);
}
