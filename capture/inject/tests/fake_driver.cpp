// inject.cpp with a CUPTI that is made up (fake_cupti.cpp): reports calls as the driver would, where no GPU is. The
// snapshots that are left are read by check_callbacks.py: memviz_inject_callbacks CUPTI, with MEMVIZ_OUT set, where
// CUPTI is the name of the library that is to be found.
#include "fake_cupti.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <unwind.h>

extern "C" int InitializeInjection(); // NOLINT(readability-identifier-naming): CUDA's name

namespace {

CUpti_CallbackFunc callback = nullptr;
bool (*is_enabled)(CUpti_CallbackId) = nullptr;
int unwinds = 0;

/// Handles are plain numbers here.
template <class Handle> Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number); // NOLINT(performance-no-int-to-ptr)
}

void fire(CUpti_ApiCallbackSite site, CUpti_CallbackId call, const void* parameters, CUresult result,
          std::uintptr_t context = 1) {
  if (!is_enabled(call)) {
    std::printf("call %u is not watched\n", call);
    std::exit(1);
  }
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionParams = parameters;
  data.functionReturnValue = site == CUPTI_API_EXIT ? &result : nullptr;
  data.context = handle<CUcontext>(context);
  callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, call, &data);
}

template <class Parameters>
void call(CUpti_CallbackId id, const Parameters& parameters, CUresult result = CUDA_SUCCESS,
          std::uintptr_t context = 1) {
  fire(CUPTI_API_ENTER, id, &parameters, result, context);
  fire(CUPTI_API_EXIT, id, &parameters, result, context);
}

void allocate(CUdeviceptr address, std::size_t bytes, std::uintptr_t context = 1, CUresult result = CUDA_SUCCESS) {
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, cuMemAlloc_v2_params{&address, bytes}, result, context);
}

void free_memory(CUdeviceptr address, CUresult result = CUDA_SUCCESS) {
  call(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, cuMemFree_v2_params{address}, result);
}

void call_of_every_kind() {
  CUdeviceptr address = 0x20000;
  std::size_t pitch = 1024;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2, cuMemAllocPitch_v2_params{&address, &pitch, 1000, 10, 4});
  address = 0x30000;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, cuMemAllocManaged_params{&address, 300, 1});
  address = 0x40000;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, cuMemAllocAsync_params{&address, 400, handle<CUstream>(0x55)});
  address = 0x50000;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz, cuMemAllocAsync_ptsz_params{&address, 500, nullptr});
  address = 0x60000;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
       cuMemAllocFromPoolAsync_params{&address, 600, handle<CUmemoryPool>(0x99), handle<CUstream>(0x55)});
  call(CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, cuMemFreeAsync_params{0x40000, handle<CUstream>(0x55)});

  CUmemGenericAllocationHandle memory = 77;
  CUmemAllocationProp properties{};
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 1;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemCreate, cuMemCreate_params{&memory, 0x2000, &properties, 0});
  call(CUPTI_DRIVER_TRACE_CBID_cuMemMap, cuMemMap_params{0x700000, 0x1000, 0, memory, 0});
  call(CUPTI_DRIVER_TRACE_CBID_cuMemMap, cuMemMap_params{0x701000, 0x1000, 0x1000, memory, 0});
  call(CUPTI_DRIVER_TRACE_CBID_cuMemRelease, cuMemRelease_params{memory});
  call(CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, cuMemUnmap_params{0x700000, 0x2000});
}

} // namespace

/// Replaces the unwinder's, to count calls.
// NOLINTNEXTLINE: the unwinder's name
extern "C" _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn visit, void* argument) {
  ++unwinds;
  static const auto next = reinterpret_cast<decltype(&_Unwind_Backtrace)>(dlsym(RTLD_NEXT, "_Unwind_Backtrace"));
  return next(visit, argument);
}

int main(int argument_count, char** arguments) {
  // As in a program that uses CUDA.
  if (argument_count != 2 || dlopen("libcuda.so.1", RTLD_NOW) == nullptr || InitializeInjection() != 1) return 1;
  void* const cupti = dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD);
  if (cupti == nullptr) return 1;
  is_enabled = reinterpret_cast<bool (*)(CUpti_CallbackId)>(dlsym(cupti, "memviz_fake_is_enabled"));
  callback = reinterpret_cast<CUpti_CallbackFunc (*)()>(dlsym(cupti, "memviz_fake_callback"))();
  allocate(0x10000, 100);
  call_of_every_kind();
  allocate(0x80000, 800, 3);
  allocate(0x90000, 900, 2);
  CUpti_ResourceData resource{};
  resource.context = handle<CUcontext>(2);
  callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &resource);
  free_memory(0x10000, CUDA_ERROR_INVALID_VALUE); // stays
  free_memory(0xdead0000);                        // never seen
  free_memory(0);
  allocate(0, std::size_t{1} << 50U, 1, CUDA_ERROR_OUT_OF_MEMORY);
  allocate(0, 5, 1, CUDA_ERROR_NOT_INITIALIZED);
  std::thread([] { allocate(0xa0000, 1000); }).join();
  unwinds = 0;
  free_memory(0x20000);
  std::printf("%d\n", unwinds); // of one free
  return 0;
}
