// A GPU as data: profiles/NAME.profile, lines of `key = value` with `#` comments, turned into a Profile.
#pragma once

#include <cstdint>
#include <string>

namespace memviz::rehearsal {

struct Profile {
  std::string name;   // its name in the rehearsal: the file's stem
  std::string device; // the card's own name, by which programs look up files
  int capability_major = 0;
  int capability_minor = 0;
  int multiprocessors = 0;
  std::uint64_t total_bytes = 0;   // what cudaMemGetInfo calls total
  std::uint64_t context_bytes = 0; // what cudaMemGetInfo shows as taken when a program has only a context
  // Taken by kernels and handles of libraries outside the allocator once a program computes; 0 if a profile does
  // not give it.
  std::uint64_t kernels_bytes = 0;
  // The part of the memory that the system has after its start, where CPU and GPU share it; 0 if they do not.
  std::uint64_t system_bytes = 0;
  int threads_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_block = 0; // that a kernel can opt in to
  std::uint64_t l2_cache_bytes = 0;
  int memory_bus_bits = 0;
  int nvlink_links = 0; // to the other devices of the machine; 0 if a profile does not give it
};

// Throws std::runtime_error with a sentence that names the file and line: unknown key, missing key, not a number.
[[nodiscard]] Profile read_profile(const std::string& path);

} // namespace memviz::rehearsal
