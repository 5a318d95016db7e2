// Reports of a process that used the made-up GPU: when it ends, and before.
#include "loaded_library.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <unistd.h>

using namespace memviz::rehearsal;

namespace {

/// Returns the first line of the report, and removes the file.
std::string taken_line(const std::string& report) {
  FILE* const file = fopen(report.c_str(), "r");
  REQUIRE(file);
  std::array<char, 4096> line{};
  CHECK(fgets(line.data(), line.size(), file));
  fclose(file);
  unlink(report.c_str());
  return line.data();
}

/// In the child: the made-up GPU of a T4, which reports to this file, with 4 MiB in use.
void* begin(const std::string& report) {
  setenv("MEMVIZ_REHEARSAL_REPORT", report.c_str(), 1);
  setenv("MEMVIZ_REHEARSAL_GPU", "t4", 1);
  void* device = nullptr;
  function<Malloc>("cudaMalloc")(&device, 4 << 20);
  return device;
}

} // namespace

TEST_CASE("a process says what it took when it ends") {
  const std::string report = "rehearsal_report.jsonl";
  const Outcome outcome = in_child([&] {
    begin(report);
    if (std::strcmp(function<const char*()>("memviz_rehearsal_profile")(), "t4") != 0) return 1;
    exit(0);
  });
  CHECK(outcome.status == 0);
  const std::string line = taken_line(report);
  CHECK(line.find("\"used_bytes\": 4194304, \"peak_used_bytes\": 4194304") != std::string::npos);
}

TEST_CASE("a process says what handles of libraries took at most, on each device") {
  const std::string report = "rehearsal_handles.jsonl";
  const Outcome outcome = in_child([&] {
    setenv("MEMVIZ_REHEARSAL_DEVICES", "2", 1);
    begin(report);
    using Create = int(void**);
    using Destroy = int(void*);
    const auto use = [](const char* create, const char* destroy) {
      void* handle = nullptr;
      return function<Create>(create)(&handle) == 0 && function<Destroy>(destroy)(handle) == 0;
    };
    for (int i = 0; i < 3; ++i) // one after the other
      if (!use("cublasCreate_v2", "cublasDestroy_v2")) return 1;
    if (function<int(int)>("cudaSetDevice")(1) != 0) return 2;
    void* blas = nullptr;
    if (function<Create>("cublasCreate_v2")(&blas) != 0 || !use("cusolverDnCreate", "cusolverDnDestroy")) return 3;
    int plan = 0;
    for (int i = 0; i < 2; ++i) // the first one takes memory
      if (function<int(int*)>("cufftCreate")(&plan) != 0) return 4;
    if (function<Destroy>("cublasDestroy_v2")(nullptr) != 0 || function<Destroy>("cusolverDnDestroy")(nullptr) != 0)
      return 5;
    exit(0);
  });
  CHECK(outcome.status == 0);
  const std::string line = taken_line(report);
  const std::size_t second = line.find("\"device\": 1");
  REQUIRE(second != std::string::npos);
  CHECK(line.substr(0, second).find("\"peak_handle_bytes\": 69206016}") != std::string::npos); // 66 MiB
  CHECK(line.find("\"peak_handle_bytes\": 169869312}", second) != std::string::npos);          // 66 + 96 MiB
}

TEST_CASE("a process that never comes to its end leaves what it took until then, and reads are seen") {
  const std::string report = "rehearsal_live.jsonl";
  const Outcome outcome = in_child([&] {
    void* const device = begin(report);
    static int reads = 0;
    // It may call the machine, so the lock must be free by then.
    function<void(void (*)())>("memviz_rehearsal_watch_reads")([] {
      void* more = nullptr;
      if (function<Malloc>("cudaMalloc")(&more, 2 << 20) == 0) ++reads;
    });
    int value = 1;
    function<int(void*, const void*, std::size_t, int)>("cudaMemcpy")(&value, device, sizeof value, 2);
    rename((report + ".live-" + std::to_string(getpid())).c_str(), report.c_str());
    return reads == 1 && value == 0 ? 0 : 1;
  });
  CHECK(outcome.status == 0);
  const std::string line = taken_line(report);
  CHECK(line.find("\"peak_used_bytes\": 6291456") != std::string::npos);
  CHECK(line.find("\"host_reads\": 1") != std::string::npos);
}
