#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/version.h>

#include <dlfcn.h>
#include <fstream>
#include <iostream>

namespace {

void describe_device() {
  const cudaDeviceProp& properties = *at::cuda::getCurrentDeviceProperties();
  std::ofstream file(memviz::gpu::out_folder() / "device.json");
  const bool is_rehearsed = dlsym(RTLD_DEFAULT, "memviz_rehearsal_profile") != nullptr;
  file << R"({"device": ")" << properties.name << (is_rehearsed ? " (memviz rehearsal)" : "")
       << R"(", "device_bytes": )" << properties.totalGlobalMem << R"(, "torch": ")" << TORCH_VERSION << "\"}\n";
}

} // namespace

int main(int argument_count, char** arguments) {
  if (!at::hasCUDA()) {
    std::cout << "skipped: no CUDA device\n";
    return 0;
  }
  describe_device();
  return doctest::Context(argument_count, arguments).run();
}
