// cuFFT, NVRTC, CUPTI and cuSPARSE: the functions that return something. NVRTC compiles to nothing, and CUPTI never has
// a record: a profiler sees no kernels.
#include "fft_workspace.hpp"
#include "machine.hpp"
#include "real_library.hpp"
#include "stubs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

using namespace memviz::rehearsal;

namespace {

// cuFFT's plans are small numbers, so their streams are kept here.
std::mutex plans_mutex;
std::unordered_map<int, Handle>& plan_streams() {
  static auto* const streams = new std::unordered_map<int, Handle>;
  return *streams;
}

// The first plan on each device, which takes memory.
std::unordered_map<int, LibraryObject>& first_plans() {
  static auto* const plans = new std::unordered_map<int, LibraryObject>;
  return *plans;
}

// The bytes that cudaMemGetInfo showed for cuFFT on an H100 (PyTorch 2.11, CUDA 13).
constexpr std::uint64_t kFftBytes = std::uint64_t{10} << 20U;

constexpr int kInvalidPlan = 1;
constexpr int kSingle = 0, kDouble = 1, kComplex = 4; // cudaDataType: real numbers of a precision, plus kComplex

std::uint64_t complex_bytes(int type) {
  const int precision = type % kComplex;
  return precision == kSingle ? 8 : precision == kDouble ? 16 : 4;
}

constexpr char kNoCode[] = "";

constexpr int kCuptiVersion = 26;  // CUPTI_API_VERSION of CUDA 13.0
constexpr int kNoMoreRecords = 12; // CUPTI_ERROR_MAX_LIMIT_REACHED
constexpr int kNvrtcVersion[] = {13, 0};
constexpr int kNvrtcArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}; // as CUDA 13.0 documents

} // namespace

MEMVIZ_EXPORT int cufftCreate(int* plan) {
  static int next = 1;
  const std::lock_guard lock(plans_mutex);
  if (const auto [first, is_new] = first_plans().try_emplace(current_device()); is_new)
    take_device_bytes(first->second, kFftBytes);
  *plan = next++;
  plan_streams()[*plan] = nullptr;
  return 0;
}
MEMVIZ_EXPORT int cufftDestroy(int plan) {
  const std::lock_guard lock(plans_mutex);
  return plan_streams().erase(plan) ? 0 : kInvalidPlan;
}
MEMVIZ_EXPORT int cufftSetStream(int plan, Handle stream) {
  const std::lock_guard lock(plans_mutex);
  const auto found = plan_streams().find(plan);
  if (found == plan_streams().end()) return kInvalidPlan;
  found->second = stream;
  return 0;
}
MEMVIZ_EXPORT int cufftXtMakePlanMany(int, int dimensions, long long* lengths, long long*, long long, long long,
                                      int input_type, long long*, long long, long long, int output_type,
                                      long long batch, std::size_t* work_bytes, int) {
  Fft fft{.is_real = input_type < kComplex || output_type < kComplex,
          .dimensions = dimensions,
          .complex_bytes = complex_bytes(input_type)};
  fft.length = static_cast<std::uint64_t>(lengths[dimensions - 1]);
  fft.rows = static_cast<std::uint64_t>(std::accumulate(lengths, lengths + dimensions - 1, batch, std::multiplies<>()));
  *work_bytes = fft_workspace_bytes(fft);
  if (input_type % kComplex != kSingle)
    note(*Locked(), "cuFFT: the workspace is an estimate: only those in single precision were measured on a GPU");
  return 0;
}
MEMVIZ_EXPORT int cufftXtExec(int plan, void*, void*, int) {
  Handle stream = nullptr;
  {
    const std::lock_guard lock(plans_mutex);
    const auto found = plan_streams().find(plan);
    if (found == plan_streams().end()) return kInvalidPlan;
    stream = found->second;
  }
  return launch_on_stream(Library::cufft, stream);
}

MEMVIZ_EXPORT int nvrtcVersion(int* major, int* minor) {
  const auto real = real_function<int (*)(int*, int*)>("libnvrtc.so", "nvrtcVersion");
  if (real) return real(major, minor);
  *major = kNvrtcVersion[0];
  *minor = kNvrtcVersion[1];
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  const auto real = real_function<int (*)(int*)>("libnvrtc.so", "nvrtcGetNumSupportedArchs");
  if (real) return real(count);
  *count = static_cast<int>(std::size(kNvrtcArchitectures));
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetSupportedArchs(int* architectures) {
  const auto real = real_function<int (*)(int*)>("libnvrtc.so", "nvrtcGetSupportedArchs");
  if (real) return real(architectures);
  std::copy(std::begin(kNvrtcArchitectures), std::end(kNvrtcArchitectures), architectures);
  return 0;
}
MEMVIZ_EXPORT int nvrtcCreateProgram(Handle* program, const char*, const char*, int, const char* const*,
                                     const char* const*) {
  return create_object(program);
}
MEMVIZ_EXPORT int nvrtcDestroyProgram(Handle* program) {
  return destroy_object(std::exchange(*program, nullptr));
}
MEMVIZ_EXPORT int nvrtcGetPTXSize(Handle, std::size_t* bytes) {
  *bytes = sizeof kNoCode;
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetCUBINSize(Handle, std::size_t* bytes) {
  *bytes = sizeof kNoCode;
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetProgramLogSize(Handle, std::size_t* bytes) {
  *bytes = sizeof kNoCode;
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetPTX(Handle, char* text) {
  *text = 0;
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetCUBIN(Handle, char* code) {
  *code = 0;
  return 0;
}
MEMVIZ_EXPORT int nvrtcGetProgramLog(Handle, char* text) {
  *text = 0;
  return 0;
}
// A kernel is found by any name, so the one that the program wrote is returned.
MEMVIZ_EXPORT int nvrtcGetLoweredName(Handle, const char* name, const char** lowered) {
  *lowered = name;
  return 0;
}
MEMVIZ_EXPORT const char* nvrtcGetErrorString(int error) {
  return error == 0 ? "NVRTC_SUCCESS" : "an NVRTC error in a rehearsal by memviz";
}

MEMVIZ_EXPORT int cuptiGetVersion(unsigned* version) {
  *version = kCuptiVersion;
  return 0;
}
MEMVIZ_EXPORT int cuptiActivityGetNextRecord(void*, std::size_t, void**) {
  return kNoMoreRecords;
}
MEMVIZ_EXPORT int cuptiActivityGetNumDroppedRecords(Handle, unsigned, std::size_t* dropped) {
  *dropped = 0;
  return 0;
}
MEMVIZ_EXPORT int cuptiGetResultString(int, const char** text) {
  *text = "CUPTI in a rehearsal by memviz, which records nothing";
  return 0;
}
MEMVIZ_EXPORT int cuptiGetCallbackName(int, unsigned, const char** name) {
  *name = "";
  return 0;
}

MEMVIZ_EXPORT const char* cusparseGetErrorString(int status) {
  return status == 0 ? "success" : "a cuSPARSE error in a rehearsal by memviz";
}
