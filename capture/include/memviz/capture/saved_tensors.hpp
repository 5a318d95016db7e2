#pragma once

// Bytes that autograd keeps for the backward pass: the activation memory of a piece of forward code.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace memviz::capture {

class SavedTensorLedger;

struct SavedStorage {
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};

/// A scope. What autograd saves in this thread while it lives is counted: each storage once, whatever the number of
/// views, and without the storages of `ignored` (the parameters). Gradients, and autograd's refusal of tensors that
/// were modified in place, stay what they are without it. Scopes nest, and a tensor counts in every scope that is open.
/// It ends in the thread that began it. A backward pass with create_graph on a GPU saves in other threads: not counted.
///
/// For C++ programs: linking it makes a subclass of autograd's engine the default one before main(). Where another
/// engine is in use (a Python interpreter's), the constructor throws std::runtime_error;
/// torch.autograd.graph.saved_tensors_hooks does the same there.
class SavedTensors {
public:
  explicit SavedTensors(const std::vector<at::Tensor>& ignored = {});
  ~SavedTensors();
  SavedTensors(const SavedTensors&) = delete;
  SavedTensors& operator=(const SavedTensors&) = delete;

  /// Returns the most bytes kept at one time since the scope began. After a forward pass, these are the bytes that it
  /// saved, even if a backward pass has released them.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Returns the number of distinct storages at that time; those without bytes are not counted.
  [[nodiscard]] std::size_t storage_count() const;
  /// Returns the bytes kept now: falls as backward passes release them, or as the results are destroyed.
  [[nodiscard]] std::uint64_t kept_bytes() const;
  /// Returns the storages kept now, in no particular order.
  [[nodiscard]] std::vector<SavedStorage> kept() const;

private:
  std::shared_ptr<SavedTensorLedger> ledger_;
};

} // namespace memviz::capture
