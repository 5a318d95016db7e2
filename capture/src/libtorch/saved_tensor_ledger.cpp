#include "saved_tensor_ledger.hpp"

#include <ATen/ATen.h>

namespace memviz::capture {

std::vector<c10::Storage> storages_of(const at::Tensor& tensor) {
  if (tensor.is_sparse()) return {tensor._indices().storage(), tensor._values().storage()};
  if (!tensor.has_storage()) return {};
  return {tensor.storage()};
}

SavedTensorLedger::SavedTensorLedger(const std::vector<at::Tensor>& ignored) {
  for (const at::Tensor& tensor : ignored) {
    if (!tensor.defined()) continue;
    for (const c10::Storage& storage : storages_of(tensor)) {
      ignored_references_.push_back(storage.getWeakStorageImpl());
      ignored_.insert(storage.unsafeGetStorageImpl());
    }
  }
}

void SavedTensorLedger::add(const c10::Storage& storage) {
  const std::lock_guard lock(mutex_);
  const c10::StorageImpl* identity = storage.unsafeGetStorageImpl();
  if (ignored_.contains(identity) || storage.nbytes() == 0) return;
  Entry& entry = entries_[identity];
  if (entry.holders++ > 0) return;
  entry.bytes = storage.nbytes();
  totals_.kept_bytes += entry.bytes;
  if (totals_.kept_bytes <= totals_.peak_bytes) return;
  totals_.peak_bytes = totals_.kept_bytes;
  totals_.peak_storages = entries_.size();
}

void SavedTensorLedger::remove(const c10::Storage& storage) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(storage.unsafeGetStorageImpl());
  if (found == entries_.end() || --found->second.holders > 0) return;
  totals_.kept_bytes -= found->second.bytes;
  entries_.erase(found);
}

SavedTensorLedger::Totals SavedTensorLedger::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

std::vector<SavedStorage> SavedTensorLedger::kept() const {
  const std::lock_guard lock(mutex_);
  std::vector<SavedStorage> kept;
  kept.reserve(entries_.size());
  for (const auto& [storage, entry] : entries_)
    kept.push_back({storage->data(), entry.bytes});
  return kept;
}

} // namespace memviz::capture
