#pragma once

// What PyTorch's own objects say that memory is: a file that memviz's answer can be held against. It has the form that
// tests/rehearsal/kinds writes for a Python program.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

namespace memviz::capture::program {

/// The storages of one device whose kind is known. What is said first of a storage counts.
class TrueKinds {
public:
  explicit TrueKinds(c10::Device device) : device_(device) {}

  /// The storage of `tensor`; nothing where it has none, or one on another device.
  void add(std::string_view kind, const at::Tensor& tensor);
  void add(std::string_view kind, const void* data, std::uint64_t bytes);

  /// {"ADDRESS": ["parameter", BYTES], ...}; throws std::runtime_error where the file cannot be written.
  void write(const std::filesystem::path& path) const;

private:
  struct Storage {
    std::string_view kind;
    std::uint64_t bytes = 0;
  };
  c10::Device device_;
  std::map<std::uintptr_t, Storage> storages_;
};

} // namespace memviz::capture::program
