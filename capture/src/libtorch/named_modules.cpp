#include "named_modules.hpp"

#include "saved_tensor_ledger.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace memviz::capture {
namespace {

/// A bound for what is written, which no model reaches.
constexpr std::size_t kMost = 200'000;

class MemoryByPlace {
public:
  void add(const char* kind, const std::string& name, const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_cuda()) return;
    for (const c10::Storage& storage : storages_of(tensor)) {
      if (storage.nbytes() == 0 || storage.data() == nullptr) continue;
      add(kind, name, storage);
    }
  }

  [[nodiscard]] std::vector<DeclaredMemory> result() && {
    std::vector<DeclaredMemory> memory;
    for (auto& [place, found] : found_) {
      if (!found.others.empty()) found.memory.name += " and " + std::to_string(found.others.size()) + " more";
      memory.push_back(std::move(found.memory));
    }
    return memory;
  }

private:
  struct Found {
    DeclaredMemory memory;
    std::set<std::string> others; ///< the other names
  };

  void add(const char* kind, const std::string& name, const c10::Storage& storage) {
    DeclaredMemory memory{static_cast<std::uint64_t>(storage.device().index()),
                          reinterpret_cast<std::uintptr_t>(storage.data()), storage.nbytes(), kind, name};
    const std::pair place(memory.device, memory.address);
    if (const auto known = found_.find(place); known != found_.end()) {
      if (known->second.memory.name != name) known->second.others.insert(name);
    } else if (found_.size() < kMost) {
      found_.emplace(place, Found{std::move(memory), {}});
    }
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, Found> found_;
};

} // namespace

std::vector<DeclaredMemory> memory_of(const std::vector<std::weak_ptr<torch::nn::Module>>& modules) {
  MemoryByPlace memory;
  for (const std::weak_ptr<torch::nn::Module>& reference : modules) {
    const std::shared_ptr<torch::nn::Module> module = reference.lock();
    if (!module) continue;
    for (const auto& parameter : module->named_parameters()) {
      memory.add("parameter", parameter.key(), parameter.value());
      if (parameter.value().defined()) memory.add("gradient", parameter.key(), parameter.value().grad());
    }
    for (const auto& buffer : module->named_buffers())
      memory.add("buffer", buffer.key(), buffer.value());
  }
  return std::move(memory).result();
}

} // namespace memviz::capture
