// libmemviz_inject.so: the CUDA driver loads it into a program started with CUDA_INJECTION64_PATH and calls
// InitializeInjection; CUPTI then reports each call of the driver that allocates or frees memory.

#include "call_stack.hpp"
#include "cupti_library.hpp"
#include "session.hpp"

#include <cupti.h>

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace memviz::inject {

namespace {

/// Opened when the process starts to use CUDA, so that one library serves CUDA 12 and 13: the functions of CUPTI used
/// here are the same in both.
struct Cupti {
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiGetDeviceId) get_device_id = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
};

Cupti cupti;                // set once, before the first callback
Session* session = nullptr; // likewise
bool is_recording = false;  // whether callbacks come

std::uint64_t as_number(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// The stream of a call: in functions whose names end in _ptsz, 0 means the thread's own default stream.
std::int64_t stream_number(CUstream stream, bool is_per_thread) {
  return static_cast<std::int64_t>(as_number(stream == nullptr && is_per_thread ? CU_STREAM_PER_THREAD : stream));
}

int device_of(CUcontext context) {
  std::uint32_t device = 0;
  const bool is_known = context != nullptr && cupti.get_device_id(context, &device) == CUPTI_SUCCESS;
  return is_known ? static_cast<int>(device) : 0;
}

/// Returns a function of the driver that the program has loaded, not of another one; nullptr if there is none.
template <class Function> Function* driver_function(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
}

/// The call is made with no lock held.
std::uint64_t device_free_bytes() {
  static auto* const function = driver_function<CUresult(std::size_t*, std::size_t*)>("cuMemGetInfo_v2");
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (function == nullptr || function(&free_bytes, &total_bytes) != CUDA_SUCCESS) return 0;
  return free_bytes;
}

/// Physical memory of cuMemCreate: where it is, recorded again when it is mapped.
class Handles {
public:
  void add(std::uint64_t handle, const CUmemLocation& location) {
    const std::lock_guard lock(mutex_);
    locations_[handle] = location;
  }
  void remove(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    locations_.erase(handle);
  }
  /// Returns -1 if it is not on a device, `otherwise` for a handle from elsewhere.
  int device_of(std::uint64_t handle, int otherwise) {
    const std::lock_guard lock(mutex_);
    const auto position = locations_.find(handle);
    if (position == locations_.end()) return otherwise;
    return position->second.type == CU_MEM_LOCATION_TYPE_DEVICE ? position->second.id : -1;
  }

private:
  std::mutex mutex_;
  std::map<std::uint64_t, CUmemLocation> locations_;
};

Handles& handles() {
  static auto* const instance = new Handles; // outlives the program's last call
  return *instance;
}

/// Returns the allocation that a call requests; its address is set when it returns. Size 0: not a call that allocates.
struct Wanted {
  Allocation allocation;
  const CUdeviceptr* address = nullptr;
};

Wanted wanted_by(CUpti_CallbackId call, const void* parameters) {
  Wanted wanted;
  Allocation& allocation = wanted.allocation;
  const auto set = [&](const CUdeviceptr* address, std::size_t bytes, const char* function) {
    wanted.address = address;
    allocation.size = allocation.requested_size = bytes;
    allocation.function = function;
  };
  switch (call) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
    const auto& arguments = *static_cast<const cuMemAlloc_v2_params*>(parameters);
    set(arguments.dptr, arguments.bytesize, "cuMemAlloc");
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: {
    const auto& arguments = *static_cast<const cuMemAllocPitch_v2_params*>(parameters);
    set(arguments.dptr, arguments.WidthInBytes * arguments.Height, "cuMemAllocPitch");
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
    const auto& arguments = *static_cast<const cuMemAllocManaged_params*>(parameters);
    set(arguments.dptr, arguments.bytesize, "cuMemAllocManaged");
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
    const auto& arguments = *static_cast<const cuMemAllocAsync_params*>(parameters);
    set(arguments.dptr, arguments.bytesize, "cuMemAllocAsync");
    allocation.stream = stream_number(arguments.hStream, call == CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz);
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: {
    const auto& arguments = *static_cast<const cuMemAllocFromPoolAsync_params*>(parameters);
    set(arguments.dptr, arguments.bytesize, "cuMemAllocFromPoolAsync");
    allocation.stream = stream_number(arguments.hStream, call == CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz);
    allocation.pool = {0, as_number(arguments.pool)}; // (0, id): a pool made by the program, as in PyTorch
    break;
  }
  default: break;
  }
  return wanted;
}

void allocation_returned(const CUpti_CallbackData& data, CUpti_CallbackId call, CUresult result) {
  Wanted wanted = wanted_by(call, data.functionParams);
  if (wanted.allocation.size == 0) return;
  Allocation& allocation = wanted.allocation;
  allocation.device = device_of(data.context);
  allocation.context = as_number(data.context);
  const CallStack stack(session->options().stack_depth);
  const Place place{stack.addresses(), now_us()};
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    session->log().failed(allocation, device_free_bytes(), place);
    session->dump_at_failure();
  } else if (result == CUDA_SUCCESS && wanted.address != nullptr) {
    allocation.address = *wanted.address;
    if (call == CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2) {
      const auto& arguments = *static_cast<const cuMemAllocPitch_v2_params*>(data.functionParams);
      if (arguments.pPitch != nullptr) allocation.size = *arguments.pPitch * arguments.Height;
    }
    session->log().allocated(allocation, place);
  }
}

void create_returned(const CUpti_CallbackData& data, CUresult result) {
  const auto& arguments = *static_cast<const cuMemCreate_params*>(data.functionParams);
  if (arguments.prop == nullptr) return;
  const CUmemLocation location = arguments.prop->location;
  if (result == CUDA_SUCCESS && arguments.handle != nullptr) handles().add(*arguments.handle, location);
  if (result != CUDA_ERROR_OUT_OF_MEMORY || location.type != CU_MEM_LOCATION_TYPE_DEVICE) return;
  Allocation wanted;
  wanted.device = location.id;
  wanted.size = wanted.requested_size = arguments.size;
  wanted.function = "cuMemCreate";
  const CallStack stack(session->options().stack_depth);
  session->log().failed(wanted, device_free_bytes(), {stack.addresses(), now_us()});
  session->dump_at_failure();
}

void map_returned(const CUpti_CallbackData& data, CUresult result) {
  const auto& arguments = *static_cast<const cuMemMap_params*>(data.functionParams);
  if (result != CUDA_SUCCESS) return;
  Allocation allocation;
  allocation.device = handles().device_of(arguments.handle, device_of(data.context));
  if (allocation.device < 0) return;
  allocation.address = arguments.ptr;
  allocation.size = allocation.requested_size = arguments.size;
  allocation.function = "cuMemMap";
  const CallStack stack(session->options().stack_depth);
  session->log().allocated(allocation, {stack.addresses(), now_us()});
}

std::uint64_t freed_address(CUpti_CallbackId call, const void* parameters) {
  if (call == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2) return static_cast<const cuMemFree_v2_params*>(parameters)->dptr;
  return static_cast<const cuMemFreeAsync_params*>(parameters)->dptr;
}

/// A free is recorded when it begins, because another thread may get the address again, and record it, as soon as the
/// driver is done. A failed free is undone by recording the allocation again.
void free_called(const CUpti_CallbackData& data, CUpti_CallbackId call, bool is_begin, CUresult result) {
  thread_local std::optional<Allocation> freed;
  if (!is_begin && (!freed || result == CUDA_SUCCESS)) return; // the stack, the most expensive part, was taken before
  const CallStack stack(session->options().stack_depth);
  const Place place{stack.addresses(), now_us()};
  if (is_begin) {
    freed = session->log().freed(freed_address(call, data.functionParams), place);
  } else {
    session->log().allocated(*freed, place);
  }
}

void unmap_called(const CUpti_CallbackData& data) {
  const auto& arguments = *static_cast<const cuMemUnmap_params*>(data.functionParams);
  const CallStack stack(session->options().stack_depth);
  session->log().range_freed(arguments.ptr, arguments.size, {stack.addresses(), now_us()});
}

void driver_called(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  const bool is_begin = data.callbackSite == CUPTI_API_ENTER;
  const CUresult result = is_begin || data.functionReturnValue == nullptr
                              ? CUDA_SUCCESS
                              : *static_cast<const CUresult*>(data.functionReturnValue);
  switch (call) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz: free_called(data, call, is_begin, result); break;
  case CUPTI_DRIVER_TRACE_CBID_cuMemUnmap:
    if (is_begin) unmap_called(data);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuMemCreate:
    if (!is_begin) create_returned(data, result);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuMemRelease:
    if (is_begin) handles().remove(static_cast<const cuMemRelease_params*>(data.functionParams)->handle);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuMemMap:
    if (!is_begin) map_returned(data, result);
    break;
  default:
    if (!is_begin) allocation_returned(data, call, result);
  }
}

/// cudaDeviceReset, or the end of the program: live memory was not freed by the program, and a snapshot at the exit
/// would not show it, so one is written first.
void context_dies(std::uint64_t context) {
  if (session->log().has_memory_of(context)) session->dump_at_reset();
  session->log().context_destroyed(context, {{}, now_us()});
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId call, const void* data) {
  const Busy busy;
  if (!busy || !session->is_own_process()) return;
  try {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      driver_called(call, *static_cast<const CUpti_CallbackData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && call == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
      const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
      context_dies(as_number(resource.context));
    }
  } catch (...) { // out of host memory: the program must not see it
    static std::once_flag once;
    std::call_once(once, [] { say("out of host memory: calls are missing from the recording"); });
  }
}

constexpr CUpti_CallbackId kCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemCreate,
    CUPTI_DRIVER_TRACE_CBID_cuMemRelease,
    CUPTI_DRIVER_TRACE_CBID_cuMemMap,
    CUPTI_DRIVER_TRACE_CBID_cuMemUnmap,
};

bool is_done(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  cupti.get_result_string(result, &reason);
  say(std::string(what) + ": " + (reason == nullptr ? "unknown error" : reason) + "; nothing is recorded");
  return false;
}

/// Reports on stderr what is missing, and returns false.
bool load_cupti() {
  int driver_version = 0;
  if (auto* const function = driver_function<CUresult(int*)>("cuDriverGetVersion")) function(&driver_version);
  const char* const named = std::getenv("MEMVIZ_CUPTI");
  try {
    void* const library = open_cupti({named == nullptr ? "" : named, cupti_names(driver_version), cupti_folders()});
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) throw std::runtime_error(std::string("CUPTI has no ") + name);
    };
    find(cupti.subscribe, "cuptiSubscribe");
    find(cupti.unsubscribe, "cuptiUnsubscribe");
    find(cupti.enable_callback, "cuptiEnableCallback");
    find(cupti.get_device_id, "cuptiGetDeviceId");
    find(cupti.get_result_string, "cuptiGetResultString");
    return true;
  } catch (const std::runtime_error& error) {
    say(std::string(error.what()) + "; nothing is recorded");
    return false;
  }
}

bool subscribe() {
  CUpti_SubscriberHandle subscriber = nullptr;
  if (!is_done(cupti.subscribe(&subscriber, on_callback, nullptr), "cuptiSubscribe")) return false;
  for (const CUpti_CallbackId call : kCalls) {
    const CUptiResult result = cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call);
    if (!is_done(result, "cuptiEnableCallback")) {
      cupti.unsubscribe(subscriber); // with half of the calls, the recording would be wrong
      return false;
    }
  }
  cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  return true;
}

/// Runs after the handlers of atexit and the destructors of the program's own objects, whose frees are therefore
/// recorded.
__attribute__((destructor)) void at_exit() {
  if (is_recording) session->dump("exit");
}

} // namespace

} // namespace memviz::inject

/// The driver's entry point; its result is ignored.
// NOLINTNEXTLINE(readability-identifier-naming): CUDA's name
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace memviz::inject; // NOLINT(google-build-using-namespace): the one function outside
  try {
    if (session != nullptr) return 1;
    session = new Session(memviz::capture::read_environment(::getenv));
    is_recording = load_cupti() && subscribe();
    if (is_recording) session->watch_signal();
    return is_recording ? 1 : 0;
  } catch (...) {
    say("could not start");
    return 0;
  }
}
