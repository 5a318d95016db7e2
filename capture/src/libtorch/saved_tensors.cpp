#include "memviz/capture/saved_tensors.hpp"

#include "saved_tensor_ledger.hpp"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace memviz::capture {
namespace {

using Ledgers = std::vector<std::shared_ptr<SavedTensorLedger>>;

/// The ledgers of the scopes that are open in this thread, outermost first.
thread_local Ledgers open_ledgers;

/// Represents one saved tensor: keeps it as autograd itself would, and counts it meanwhile.
class CountingHooks final : public torch::autograd::SavedVariableHooks {
public:
  explicit CountingHooks(Ledgers ledgers) : ledgers_(std::move(ledgers)) {}
  CountingHooks(const CountingHooks&) = delete;
  CountingHooks& operator=(const CountingHooks&) = delete;

  ~CountingHooks() override {
    for (const c10::Storage& storage : storages_) {
      for (const auto& ledger : ledgers_)
        ledger->remove(storage);
    }
  }

  void call_pack_hook(const at::Tensor& tensor) override {
    // Without its grad_fn, because an output would otherwise keep the node that saves it alive; with its version
    // counter.
    saved_ = at::Tensor(tensor.tensor_data());
    version_ = saved_._version();
    storages_ = storages_of(saved_);
    for (const c10::Storage& storage : storages_) {
      for (const auto& ledger : ledgers_)
        ledger->add(storage);
    }
  }

  /// Autograd omits its check of the version if there are hooks, so it is made here.
  at::Tensor call_unpack_hook() override {
    TORCH_CHECK(static_cast<std::int64_t>(saved_._version()) == version_,
                "one of the variables needed for gradient computation has been modified by an inplace operation: [",
                saved_.toString(), " ", saved_.sizes(), "] is at version ", saved_._version(), "; expected version ",
                version_, " instead.");
    return saved_;
  }

private:
  Ledgers ledgers_;
  at::Tensor saved_;
  std::vector<c10::Storage> storages_;
  std::int64_t version_ = 0;
};

class CountingEngine final : public torch::autograd::Engine {
public:
  CountingEngine() = default;
  CountingEngine(const CountingEngine&) = delete;
  CountingEngine& operator=(const CountingEngine&) = delete;
  /// Its threads call virtual functions of this class, so they end before it does.
  ~CountingEngine() override { stop(); }

  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (open_ledgers.empty()) return nullptr;
    return std::make_unique<CountingHooks>(open_ledgers);
  }
};

torch::autograd::Engine& counting_engine() {
  static CountingEngine engine;
  return engine;
}

/// A process can use only one engine, because its threads belong to it. So it is chosen before main(), unless Python
/// chose.
bool install_engine() {
  using torch::autograd::Engine;
  if (&Engine::get_default_engine() != &Engine::get_base_engine()) return false;
  torch::autograd::set_default_engine_stub(&counting_engine);
  return true;
}

[[maybe_unused]] const bool kInstalled = install_engine();

} // namespace

SavedTensors::SavedTensors(const std::vector<at::Tensor>& ignored)
    : ledger_(std::make_shared<SavedTensorLedger>(ignored)) {
  if (&torch::autograd::Engine::get_default_engine() != &counting_engine()) {
    throw std::runtime_error("SavedTensors: another autograd engine is in use, such as Python's; there, "
                             "torch.autograd.graph.saved_tensors_hooks counts saved tensors");
  }
  open_ledgers.push_back(ledger_);
}

SavedTensors::~SavedTensors() {
  std::erase(open_ledgers, ledger_);
}

std::uint64_t SavedTensors::bytes() const {
  return ledger_->totals().peak_bytes;
}

std::size_t SavedTensors::storage_count() const {
  return ledger_->totals().peak_storages;
}

std::uint64_t SavedTensors::kept_bytes() const {
  return ledger_->totals().kept_bytes;
}

std::vector<SavedStorage> SavedTensors::kept() const {
  return ledger_->kept();
}

} // namespace memviz::capture
