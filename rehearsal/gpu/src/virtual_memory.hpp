// Virtual memory management: addresses are reserved (cuMemAddressReserve), physical memory is created (cuMemCreate),
// mapped into them (cuMemMap) and made accessible (cuMemSetAccess), each in a separate step; PyTorch's expandable
// segments do this. Misuse is answered as the driver documents.
#pragma once

#include "memory.hpp"
#include "shareable.hpp"

namespace memviz::rehearsal {

class VirtualMemory {
public:
  explicit VirtualMemory(Memory& memory) : memory_(memory) {}

  Error reserve(std::uint64_t bytes, std::uint64_t alignment_bytes, std::uint64_t wished_address, std::uint64_t* out);
  Error free_reservation(std::uint64_t address, std::uint64_t bytes);
  Error create(std::uint64_t bytes, const AllocationProperties& properties, std::uint64_t* out_handle);
  Error release(std::uint64_t handle); // the memory is released with its last mapping
  Error map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, std::uint64_t handle);
  Error unmap(std::uint64_t address, std::uint64_t bytes);
  Error set_access(std::uint64_t address, std::uint64_t bytes, const AccessDescription* descriptions,
                   std::size_t count);
  Error get_access(std::uint64_t address, const Location& location, unsigned long long* out_flags) const;
  Error retain(std::uint64_t address, std::uint64_t* out_handle); // cuMemRetainAllocationHandle
  Error properties(std::uint64_t handle, AllocationProperties* out) const;

  // Exports memory that another process may import; `type` must be one that it was created for.
  Error share(std::uint64_t handle, int type, SharedMemory* out) const;
  // Imports memory, or a multicast object, of another process: takes nothing from this one's devices.
  Error import(const SharedMemory& memory, int device, std::uint64_t* out_handle);
  Error create_multicast(std::uint64_t bytes, unsigned long long handle_types, int device, std::uint64_t* out_handle);
  [[nodiscard]] bool is_multicast(std::uint64_t handle) const;
  // Whether [offset, offset + bytes) is a part of a multicast object, or of other memory.
  [[nodiscard]] Error check_binding(std::uint64_t handle, std::uint64_t offset, std::uint64_t bytes) const;
  [[nodiscard]] Error check_part(std::uint64_t handle, std::uint64_t offset, std::uint64_t bytes) const;

private:
  struct Physical {
    std::uint64_t bytes;
    int references; // of the program: cuMemCreate's and cuMemRetainAllocationHandle's
    int mappings;
    AllocationProperties properties;
    bool is_charged = true; // neither memory of other processes nor a multicast object
    bool is_multicast = false;
  };
  struct Mapping {
    std::uint64_t bytes;
    std::uint64_t handle;
    std::map<int, int> access; // flags by device
  };
  [[nodiscard]] bool is_reserved(std::uint64_t address, std::uint64_t bytes) const;
  // Returns the mappings that exactly fill [address, address + bytes); empty if they do not.
  [[nodiscard]] std::vector<std::uint64_t> mappings_of(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] const Physical* find(std::uint64_t handle) const;
  std::uint64_t add_uncharged(std::uint64_t bytes, int handle_types, int device, bool is_multicast);
  void drop_if_unused(std::uint64_t handle);

  Memory& memory_;
  std::map<std::uint64_t, std::uint64_t> reservations_; // address, bytes
  std::map<std::uint64_t, Physical> physical_;          // by handle
  std::map<std::uint64_t, Mapping> mappings_;           // by address
  std::uint64_t next_handle_ = 0x7000;
};

} // namespace memviz::rehearsal
