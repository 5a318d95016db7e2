// The library as a program sees it: loaded, called by name, in a separate process for each case.
#include "abi.hpp"
#include "loaded_library.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using memviz::rehearsal::function;
using memviz::rehearsal::Handle;
using memviz::rehearsal::in_child;
using memviz::rehearsal::Malloc;
using memviz::rehearsal::Memcpy;
using memviz::rehearsal::Outcome;

namespace {

using Launch = int(const void*, memviz::rehearsal::Dim3, memviz::rehearsal::Dim3, void**, std::size_t, Handle);

} // namespace

TEST_CASE("device memory reads as zeros by copy, except for what was just written") {
  const Outcome outcome = in_child([] {
    void* device = nullptr;
    char host[4] = {1, 2, 3, 4};
    char back[4] = {9, 9, 9, 9};
    if (function<Malloc>("cudaMalloc")(&device, 4096) != 0) return 1;
    if (function<Memcpy>("cudaMemcpy")(back, device, 4, 2) != 0 || back[3] != 0) return 2;
    function<Memcpy>("cudaMemcpy")(device, host, 4, 1);
    function<Memcpy>("cudaMemcpy")(back, device, 4, 2);
    if (std::memcmp(back, host, 4) != 0) return 3;
    function<Launch>("cudaLaunchKernel")(nullptr, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr);
    function<Memcpy>("cudaMemcpy")(back, device, 4, 2);
    if (back[0] != 0) return 4;
    if (function<Memcpy>("cudaMemcpy")(back, static_cast<char*>(device) + (64 << 20), 4, 2) != 1) return 5;
    return function<int()>("cudaGetLastError")() == 1 && function<int()>("cudaGetLastError")() == 0 ? 0 : 6;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("an error that CUB returns has CUDA's words") {
  const Outcome outcome = in_child([] {
    using Words = const char*(int);
    if (std::string(function<Words>("cudaGetErrorName")(98)) != "cudaErrorInvalidDeviceFunction") return 1;
    return std::string(function<Words>("cudaGetErrorString")(98)) == "invalid device function" ? 0 : 2;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("the next condition that is read holds if the hook says so") {
  const Outcome outcome = in_child([] {
    void* device = nullptr;
    if (function<Malloc>("cudaMalloc")(&device, 4096) != 0) return 1;
    char numbers[2] = {9, 9};
    char condition = 9;
    function<void(int)>("memviz_rehearsal_next_condition")(1);
    if (function<Memcpy>("cudaMemcpy")(numbers, device, 2, 2) != 0 || numbers[0] != 0) return 2;
    if (function<Memcpy>("cudaMemcpy")(&condition, device, 1, 2) != 0 || condition != 1) return 3;
    return function<Memcpy>("cudaMemcpy")(&condition, device, 1, 2) == 0 && condition == 0 ? 0 : 4;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("where events are late, calls that the host waits in let them pass") {
  const Outcome outcome = in_child([] {
    setenv("MEMVIZ_REHEARSAL_EVENTS", "late", 1);
    using Copy = int(void*, const void*, std::size_t, int, Handle);
    auto* const copy = function<Copy>("cudaMemcpyAsync");
    auto* const copy_and_wait = function<Memcpy>("cudaMemcpy");
    void *device = nullptr, *pinned = nullptr;
    Handle event = nullptr;
    char host[4] = {};
    function<Malloc>("cudaMalloc")(&device, 4 << 20);
    function<int(void**, std::size_t, unsigned)>("cudaHostAlloc")(&pinned, 4096, 0);
    function<int(Handle*, unsigned)>("cudaEventCreateWithFlags")(&event, 2);
    const auto is_late_after = [&](const std::function<void()>& call) {
      function<Launch>("cudaLaunchKernel")(nullptr, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr);
      function<int(Handle, Handle)>("cudaEventRecord")(event, nullptr);
      call();
      return function<int(Handle)>("cudaEventQuery")(event) == 600;
    };
    if (!is_late_after([] {})) return 1;
    if (!is_late_after([&] { copy(device, host, 4, 1, nullptr); })) return 2;
    if (!is_late_after([&] { copy(pinned, device, 4, 2, nullptr); })) return 3;
    if (is_late_after([&] { copy(host, device, 4, 2, nullptr); })) return 4;
    if (!is_late_after([&] { copy_and_wait(static_cast<char*>(device) + 64, device, 4, 3); })) return 5;
    if (is_late_after([&] { copy_and_wait(pinned, device, 4, 2); })) return 6;
    if (is_late_after([&] { copy_and_wait(device, host, 4, 1); })) return 7;
    if (is_late_after([] { function<int()>("cudaDeviceSynchronize")(); })) return 8;
    if (is_late_after([&] { function<int(Handle)>("cudaEventSynchronize")(event); })) return 9;
    return is_late_after([&] { function<int(void*)>("cudaFree")(device); }) ? 10 : 0;
  });
  CHECK(outcome.status == 0);
}

namespace {

// Returns the result of cudaMalloc in a child of a process that has called `name`.
int malloc_after_fork(const char* name) {
  function<int(void*)>(name)(std::array<char, 64>().data());
  const pid_t child = fork();
  if (child == 0) {
    void* device = nullptr;
    _exit(function<Malloc>("cudaMalloc")(&device, 4096));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("a child may use the GPU after its parent asked NVML, not after it called CUDA") {
  const Outcome outcome = in_child([] {
    if (malloc_after_fork("nvmlDeviceGetCount_v2") != 0) return 1;
    return malloc_after_fork("cudaGetDeviceCount") == 3 ? 0 : 2; // not initialized
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("memory of another process is opened, copied to and closed, and takes nothing") {
  struct IpcHandle {
    char bytes[64];
  };
  const Outcome outcome = in_child([] {
    void *device = nullptr, *peer = nullptr;
    IpcHandle handle{}, none{};
    std::size_t before = 0, after = 0, total = 0;
    function<Malloc>("cudaMalloc")(&device, 64 << 20);
    auto* const information = function<int(std::size_t*, std::size_t*)>("cudaMemGetInfo");
    auto* const open = function<int(void**, IpcHandle, unsigned)>("cudaIpcOpenMemHandle");
    auto* const close_handle = function<int(void*)>("cudaIpcCloseMemHandle");
    information(&before, &total);
    if (function<int(IpcHandle*, void*)>("cudaIpcGetMemHandle")(&handle, static_cast<char*>(device) + 512) != 0)
      return 1;
    if (open(&peer, none, 1) != 1 || open(&peer, handle, 1) != 0 || peer == device) return 2;
    if (function<Memcpy>("cudaMemcpy")(static_cast<char*>(peer) + (63 << 20), device, 4096, 3) != 0) return 3;
    information(&after, &total);
    if (before != after) return 4;
    if (function<int(void*)>("cudaFree")(peer) != 1) return 5;
    return close_handle(peer) == 0 && close_handle(peer) == 1 && close_handle(device) == 1 ? 0 : 6;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("what libraries say to the host is set") {
  const Outcome outcome = in_child([] {
    using Size =
        int(Handle, Handle, int, int, long, int, void*, long, int, void*, int, std::size_t*, std::size_t*, long);
    std::size_t device_bytes = 7, host_bytes = 7;
    function<Size>("cusolverDnXsyevBatched_bufferSize")(nullptr, nullptr, 1, 0, 8, 0, nullptr, 8, 0, nullptr, 0,
                                                        &device_bytes, &host_bytes, 100);
    if (device_bytes != 28747184 || host_bytes != 0) return 1;
    Handle library = nullptr;
    function<int(Handle*)>("cublasCreate_v2")(&library);
    int information = 7;
    using Qr = int(Handle, int, int, void*, int, void*, int*, int);
    if (function<Qr>("cublasSgeqrfBatched")(library, 8, 8, nullptr, 8, nullptr, &information, 100) != 0) return 2;
    if (information != 0) return 3;
    information = 7;
    using Solve = int(Handle, int, int, int, int, void*, int, void*, int, int*, void*, int);
    function<Solve>("cublasDgelsBatched")(library, 0, 8, 8, 1, nullptr, 8, nullptr, 8, &information, nullptr, 100);
    return information == 0 ? 0 : 4;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("NVML finds a device by the bus that it names") {
  const Outcome outcome = in_child([] {
    struct {
      char legacy_bus_id[16];
      unsigned numbers[5];
      char bus_id[32];
    } info{};
    Handle device = nullptr, found = nullptr;
    function<int()>("nvmlInit_v2")();
    if (function<int(unsigned, Handle*)>("nvmlDeviceGetHandleByIndex_v2")(0, &device) != 0) return 1;
    if (function<int(Handle, void*)>("nvmlDeviceGetPciInfo_v3")(device, &info) != 0) return 2;
    if (std::string(info.bus_id) != "00000000:01:00.0" || info.numbers[1] != 1) return 3;
    function<int(const char*, Handle*)>("nvmlDeviceGetHandleByPciBusId_v2")(info.bus_id, &found);
    return found == device ? 0 : 4;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("handles of cuBLASLt are made, and what NVRTC compiles for is listed") {
  const Outcome outcome = in_child([] {
    Handle handle = nullptr;
    if (function<int(Handle*)>("cublasLtCreate")(&handle) != 0 || handle == nullptr) return 1;
    if (function<int(Handle)>("cublasLtDestroy")(handle) != 0) return 2;
    if (std::string(function<const char*(int)>("cublasGetStatusString")(0)) != "success") return 3;
    int count = 0;
    if (function<int(int*)>("nvrtcGetNumSupportedArchs")(&count) != 0 || count <= 0) return 4;
    std::vector<int> architectures(static_cast<std::size_t>(count));
    if (function<int(int*)>("nvrtcGetSupportedArchs")(architectures.data()) != 0) return 5;
    return std::count(architectures.begin(), architectures.end(), 90) == 1 ? 0 : 6;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("a product of sparse matrices has the elements of those that are spread at random") {
  const Outcome outcome = in_child([] {
    using Create = int(Handle*, long, long, long);
    using Compute = int(Handle, int, int, void*, Handle, Handle, void*, Handle, int, int, Handle, std::size_t*, void*);
    Handle library = nullptr, first = nullptr, second = nullptr, product = nullptr;
    std::size_t workspace_bytes = 7;
    long rows = 0, columns = 0, elements = 0;
    function<int(Handle*)>("cusparseCreate")(&library);
    function<Create>("cusparseCreateCsr")(&first, 100, 1000, 500);
    function<Create>("cusparseCreateCsr")(&second, 1000, 200, 3000);
    function<Create>("cusparseCreateCsr")(&product, 100, 200, 0);
    function<Compute>("cusparseSpGEMM_compute")(library, 0, 0, nullptr, first, second, nullptr, product, 0, 0, nullptr,
                                                &workspace_bytes, nullptr);
    function<int(Handle, long*, long*, long*)>("cusparseSpMatGetSize")(product, &rows, &columns, &elements);
    return workspace_bytes == 24 * 1500 + 7 && rows == 100 && columns == 200 && elements == 1445 ? 0 : 1;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("only managed memory is prefetched") {
  const Outcome outcome = in_child([] {
    auto* const prefetch = function<int(const void*, std::size_t, int, Handle)>("cuMemPrefetchAsync");
    void *managed = nullptr, *device = nullptr;
    function<int(void**, std::size_t, unsigned)>("cudaMallocManaged")(&managed, 4096, 1);
    function<Malloc>("cudaMalloc")(&device, 4096);
    return prefetch(managed, 4096, 0, nullptr) == 0 && prefetch(device, 4096, 0, nullptr) == 1 ? 0 : 1;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("the device has its own name, and its links are the profile's") {
  const auto status_of = [](const char* profile, int capability) {
    return in_child([&] {
             setenv("MEMVIZ_REHEARSAL_GPU", profile, 1);
             Handle device = nullptr;
             std::array<char, 96> name{};
             int status = -1;
             function<int(unsigned, Handle*)>("nvmlDeviceGetHandleByIndex_v2")(0, &device);
             function<int(Handle, char*, unsigned)>("nvmlDeviceGetName")(device, name.data(), 96);
             if (std::string(name.data()).find("memviz") != std::string::npos) return 99;
             function<int(Handle, Handle, int, int*)>("nvmlDeviceGetP2PStatus")(device, device, capability, &status);
             return status;
           }).status /
           256;
  };
  CHECK(status_of("h100-80", 2) == 0);
  CHECK(status_of("l4", 2) == 5); // not supported
  CHECK(status_of("l4", 0) == 0); // reading
}

TEST_CASE("a launch of impossible size is refused") {
  const Outcome outcome = in_child([] {
    auto* const launch = function<Launch>("cudaLaunchKernel");
    if (launch(nullptr, {0, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) != 9) return 1;
    return launch(nullptr, {1, 1, 1}, {1024, 2, 1}, nullptr, 0, nullptr) == 9 ? 0 : 2;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("a read by pointer is a segmentation fault with a sentence") {
  const Outcome outcome = in_child([] {
    void* device = nullptr;
    function<Malloc>("cudaMalloc")(&device, 4096);
    return static_cast<int>(*static_cast<volatile char*>(device));
  });
  REQUIRE(WIFSIGNALED(outcome.status));
  CHECK(WTERMSIG(outcome.status) == SIGSEGV);
  CHECK(outcome.errors.rfind("memviz rehearse: the program read or wrote device memory by a pointer", 0) == 0);
}

TEST_CASE("other faults stay what they were") {
  const Outcome outcome = in_child([] {
    void* device = nullptr;
    function<Malloc>("cudaMalloc")(&device, 4096);
    raise(SIGSEGV);
    return 0;
  });
  REQUIRE(WIFSIGNALED(outcome.status));
  CHECK(WTERMSIG(outcome.status) == SIGSEGV);
  CHECK(outcome.errors.empty());
}

TEST_CASE("a bad setting ends the program with exit code 2 and one line") {
  const Outcome outcome = in_child([] {
    setenv("MEMVIZ_REHEARSAL_GPU", "none", 1);
    int count = 0;
    return function<int(int*)>("cudaGetDeviceCount")(&count);
  });
  REQUIRE(WIFEXITED(outcome.status));
  CHECK(WEXITSTATUS(outcome.status) == 2);
  CHECK(outcome.errors.rfind("memviz rehearse: ", 0) == 0);
  CHECK(outcome.errors.find("none.profile: no such profile\n") == outcome.errors.size() - 30);
}

TEST_CASE("what is not made up fails by name, once") {
  const Outcome outcome = in_child([] {
    auto* const fails = function<int()>("cuCtxCreate_v2");
    return fails() == 801 && fails() == 801 ? 0 : 1;
  });
  CHECK(outcome.status == 0);
  CHECK(outcome.errors == "memviz rehearse: cuCtxCreate_v2 is not made up yet\n");
}

TEST_CASE("a CUDA runtime that is linked into the program is named") {
  const Outcome outcome = in_child([] {
    const void* table = &table;
    auto* const ask = function<int(const void**, const void*)>("cuGetExportTable");
    return ask(&table, nullptr) == 500 && !table ? 0 : 1;
  });
  CHECK(outcome.status == 0);
  CHECK(outcome.errors.rfind("memviz rehearse: the CUDA runtime that is linked into ", 0) == 0);
}

TEST_CASE("next to a real driver it ends the program") {
  const Outcome outcome = in_child([] {
    if (!dlopen(MEMVIZ_REHEARSAL_OTHER_DRIVER, RTLD_NOW)) return 1;
    int count = 0;
    return function<int(int*)>("cudaGetDeviceCount")(&count);
  });
  REQUIRE(WIFEXITED(outcome.status));
  CHECK(WEXITSTATUS(outcome.status) == 2);
  CHECK(outcome.errors.rfind("memviz rehearse: a real CUDA driver is in this process already (", 0) == 0);
}

TEST_CASE("the driver's functions are found by the name and version that a program asks for") {
  const Outcome outcome = in_child([] {
    using Look = int(const char*, void**, int, unsigned long long, int*);
    auto* const look = function<Look>("cuGetProcAddress_v2");
    void* found = nullptr;
    int result = -1;
    if (look("cuMemAlloc", &found, 12000, 0, &result) != 0 || result != 0) return 1;
    if (found != reinterpret_cast<void*>(function<int()>("cuMemAlloc_v2"))) return 2;
    look("cuStreamGetCaptureInfo", &found, 12000, 0, &result);
    if (found != reinterpret_cast<void*>(function<int()>("cuStreamGetCaptureInfo_v2"))) return 3;
    look("cuStreamGetCaptureInfo", &found, 12030, 0, &result);
    if (found != reinterpret_cast<void*>(function<int()>("cuStreamGetCaptureInfo_v3"))) return 4;
    return look("cuNoSuchFunction", &found, 13000, 0, &result) == 500 && result == 1 && !found ? 0 : 5;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("after a fork the GPU answers as CUDA does in a child") {
  const Outcome outcome = in_child([] {
    void* device = nullptr;
    if (function<Malloc>("cudaMalloc")(&device, 4096) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) _exit(function<Malloc>("cudaMalloc")(&device, 4096));
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 0 : 2;
  });
  CHECK(outcome.status == 0);
}
