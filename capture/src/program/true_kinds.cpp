#include "true_kinds.hpp"

#include <fstream>
#include <stdexcept>

namespace memviz::capture::program {

void TrueKinds::add(std::string_view kind, const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage() || tensor.device() != device_) return;
  add(kind, tensor.storage().data(), tensor.storage().nbytes());
}

void TrueKinds::add(std::string_view kind, const void* data, std::uint64_t bytes) {
  if (bytes > 0) storages_.try_emplace(reinterpret_cast<std::uintptr_t>(data), Storage{kind, bytes});
}

void TrueKinds::write(const std::filesystem::path& path) const {
  std::ofstream file(path);
  std::string_view separator = "{";
  for (const auto& [address, storage] : storages_) {
    file << separator << '"' << address << "\": [\"" << storage.kind << "\", " << storage.bytes << ']';
    separator = ",\n ";
  }
  file << (storages_.empty() ? "{}\n" : "}\n");
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

} // namespace memviz::capture::program
