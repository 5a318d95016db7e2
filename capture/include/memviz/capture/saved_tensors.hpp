#pragma once

// Bytes that autograd keeps for the backward pass: the activation memory of a piece of forward code.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz::capture {

/// A scope. While it lives, every tensor that autograd saves in this thread is counted: each storage once, whatever the
/// number of views, and without the storages of `ignored` (the parameters). Pure C++ programs only: it replaces
/// autograd's engine (torch::autograd::set_default_engine_stub), which a Python interpreter would do, too. The first
/// SavedTensors must be made before the first backward pass of the process; else the constructor throws
/// std::runtime_error.
class SavedTensors {
public:
  explicit SavedTensors(const std::vector<at::Tensor>& ignored = {});
  ~SavedTensors();
  SavedTensors(const SavedTensors&) = delete;
  SavedTensors& operator=(const SavedTensors&) = delete;

  /// Bytes of the distinct storages saved so far.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::size_t storage_count() const;

private:
  struct State;
  State* state_;
};

} // namespace memviz::capture
