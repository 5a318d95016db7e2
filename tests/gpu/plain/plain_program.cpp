// A CUDA program that knows nothing of LibTorch or of memviz, to be run under libmemviz_inject.so. Prints what it
// keeps: memviz_gpu_plain [PAIRS], where PAIRS cudaMalloc and cudaFree are timed.
#include <cuda_runtime_api.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

} // namespace

// These have external linkage, so that the dynamic linker knows their names.
__attribute__((noinline)) void* allocate_weights(std::size_t bytes) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

__attribute__((noinline)) std::size_t allocate_image(void*& memory) {
  std::size_t pitch = 0;
  must(cudaMallocPitch(&memory, &pitch, 1000, 100), "cudaMallocPitch");
  return pitch;
}

__attribute__((noinline)) void use_pool(cudaStream_t stream, void*& kept) {
  void* temporary = nullptr;
  must(cudaMallocAsync(&temporary, 2 * kMegabyte, stream), "cudaMallocAsync");
  must(cudaMallocAsync(&kept, 3 * kMegabyte, stream), "cudaMallocAsync");
  must(cudaFreeAsync(temporary, stream), "cudaFreeAsync");
  must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

int main(int argument_count, char** arguments) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no CUDA device");
    return 0;
  }
  void* weights = allocate_weights(5 * kMegabyte);
  void* image = nullptr;
  const std::size_t pitch = allocate_image(image);
  cudaStream_t stream = nullptr;
  must(cudaStreamCreate(&stream), "cudaStreamCreate");
  void* pooled = nullptr;
  use_pool(stream, pooled);
  must(cudaFree(weights), "cudaFree");
  void* again = allocate_weights(6 * kMegabyte);
  void* managed = nullptr;
  must(cudaMallocManaged(&managed, kMegabyte), "cudaMallocManaged");

  void* impossible = nullptr;
  if (cudaMalloc(&impossible, std::size_t{1} << 50U) == cudaSuccess) return 1;
  [[maybe_unused]] const cudaError_t expected = cudaGetLastError();
  if (std::getenv("MEMVIZ_SIGNAL") != nullptr) { // only ever set together with the library that handles it
    std::raise(SIGUSR2);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }

  const long pairs = argument_count > 1 ? std::atol(arguments[1]) : 0;
  const auto begin = std::chrono::steady_clock::now();
  for (long pair = 0; pair < pairs; ++pair)
    must(cudaFree(allocate_weights(kMegabyte)), "cudaFree");
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();

  const std::size_t requested_bytes = 6 * kMegabyte + 3 * kMegabyte + kMegabyte + 1000 * 100;
  std::printf("{\"requested_bytes\": %zu, \"pitch\": %zu, \"pairs\": %ld, \"ns_per_pair\": %.0f}\n", requested_bytes,
              pitch, pairs, pairs > 0 ? ns / static_cast<double>(pairs) : 0.0);
  return again == nullptr || image == nullptr || managed == nullptr ? 1 : 0;
}
