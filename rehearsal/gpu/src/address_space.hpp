// The addresses of device memory: one reservation of the process's address space that no page backs, so that an 80 GiB
// device costs nothing, and that no one may read, so that a host access by pointer faults as it does on a real device.
//
// Addresses are given as NVIDIA's driver on Linux gives them, learnt from the addresses in public recordings: it
// reserves regions of whole 32 MiB, each as high as there is room, and puts an allocation into the lowest region with
// room for it, else at the start of a new one; an empty region goes back. PyTorch takes the lowest of the free blocks
// that fit equally well, so only with the driver's order do later blocks split as they do on a GPU. The driver on
// Windows packs allocations from the lowest address on, without regions (learnt from one recording).
#pragma once

#include "free_ranges.hpp"

#include <memory>

namespace memviz::rehearsal {

class AddressSpace {
public:
  // Throws std::runtime_error if the process may not reserve addresses. `is_packed`: in the order of Windows.
  explicit AddressSpace(bool is_packed = false);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  [[nodiscard]] bool contains(std::uint64_t address) const { return address - begin_ < bytes_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Returns nullopt if there is no room.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment_bytes);
  // Releases everything that one take() returned.
  void give_back(std::uint64_t address, std::uint64_t bytes);

private:
  std::uint64_t begin_ = 0;
  std::uint64_t bytes_ = 0;
  struct Region {
    std::uint64_t bytes;
    FreeRanges free;
  };

  std::unique_ptr<FreeRanges> outside_;     // in no region; null if packed, which is one region
  std::map<std::uint64_t, Region> regions_; // by where they begin
};

} // namespace memviz::rehearsal
