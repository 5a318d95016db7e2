#pragma once

// The account of one SavedTensors scope: which storages autograd keeps, and how many saved tensors hold each. It
// outlives its scope as long as tensors saved in it do; they may be released in any thread.

#include "memviz/capture/saved_tensors.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memviz::capture {

/// Returns the storages behind `tensor`: one, or those of a sparse tensor's indices and values, or none (opaque
/// tensors).
[[nodiscard]] std::vector<c10::Storage> storages_of(const at::Tensor& tensor);

class SavedTensorLedger {
public:
  explicit SavedTensorLedger(const std::vector<at::Tensor>& ignored);

  /// The caller keeps the storage alive until it removes it, because its address identifies it.
  void add(const c10::Storage& storage);
  void remove(const c10::Storage& storage);

  struct Totals {
    std::uint64_t kept_bytes = 0;
    std::uint64_t peak_bytes = 0;
    std::size_t peak_storages = 0;
  };
  [[nodiscard]] Totals totals() const;
  [[nodiscard]] std::vector<SavedStorage> kept() const;

private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::size_t holders = 0;
  };
  using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

  mutable std::mutex mutex_;
  std::vector<WeakStorage> ignored_references_; ///< so that no new storage gets the address of an ignored one
  std::unordered_set<const c10::StorageImpl*> ignored_;
  std::unordered_map<const c10::StorageImpl*, Entry> entries_;
  Totals totals_;
};

} // namespace memviz::capture
