#include "virtual_memory.hpp"

namespace memviz::rehearsal {
namespace {

constexpr int kPinned = 1; // CU_MEM_ALLOCATION_TYPE_PINNED

bool is_whole_pages(std::uint64_t bytes) {
  return bytes > 0 && bytes % kPageBytes == 0;
}

bool is_power_of_two(std::uint64_t number) {
  return (number & (number - 1)) == 0;
}

} // namespace

Error VirtualMemory::reserve(std::uint64_t bytes, std::uint64_t alignment_bytes, std::uint64_t wished_address,
                             std::uint64_t* out) {
  if (!out || !is_whole_pages(bytes) || !is_power_of_two(alignment_bytes)) return Error::invalid_value;
  // The requested address is a hint that the driver may ignore, as it is here.
  static_cast<void>(wished_address);
  const auto address = memory_.addresses().take(bytes, std::max(alignment_bytes, kPageBytes));
  if (!address) return Error::out_of_memory;
  reservations_[*address] = bytes;
  *out = *address;
  return Error::success;
}

Error VirtualMemory::free_reservation(std::uint64_t address, std::uint64_t bytes) {
  const auto reservation = reservations_.find(address);
  if (reservation == reservations_.end() || reservation->second != bytes) return Error::invalid_value;
  const auto mapping = mappings_.lower_bound(address);
  if (mapping != mappings_.end() && mapping->first < address + bytes) return Error::invalid_value;
  reservations_.erase(reservation);
  memory_.addresses().give_back(address, bytes);
  return Error::success;
}

Error VirtualMemory::create(std::uint64_t bytes, const AllocationProperties& properties, std::uint64_t* out_handle) {
  if (!out_handle || !is_whole_pages(bytes) || properties.type != kPinned) return Error::invalid_value;
  if (properties.location.type != LocationType::device) return Error::not_supported; // host memory, NUMA nodes
  if (!memory_.is_device(properties.location.id)) return Error::invalid_device;
  if (const Error error = memory_.charge(properties.location.id, bytes); error != Error::success) return error;
  *out_handle = next_handle_++;
  physical_[*out_handle] = {bytes, 1, 0, properties, true, false};
  return Error::success;
}

Error VirtualMemory::release(std::uint64_t handle) {
  const auto physical = physical_.find(handle);
  if (physical == physical_.end() || physical->second.references == 0) return Error::invalid_value;
  --physical->second.references;
  drop_if_unused(handle);
  return Error::success;
}

void VirtualMemory::drop_if_unused(std::uint64_t handle) {
  const auto physical = physical_.find(handle);
  if (physical->second.references > 0 || physical->second.mappings > 0) return;
  if (physical->second.is_charged) memory_.release(physical->second.properties.location.id, physical->second.bytes);
  physical_.erase(physical);
}

Error VirtualMemory::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, std::uint64_t handle) {
  const auto physical = physical_.find(handle);
  if (physical == physical_.end() || physical->second.references == 0) return Error::invalid_value;
  // The driver documents that the offset must be zero for now.
  if (offset != 0 || !is_whole_pages(bytes) || address % kPageBytes != 0 || bytes > physical->second.bytes)
    return Error::invalid_value;
  if (!is_reserved(address, bytes)) return Error::invalid_value;
  auto next = mappings_.lower_bound(address);
  if (next != mappings_.end() && next->first < address + bytes) return Error::invalid_value;
  if (next != mappings_.begin()) {
    --next;
    if (next->first + next->second.bytes > address) return Error::invalid_value;
  }
  ++physical->second.mappings;
  mappings_[address] = {bytes, handle, {}};
  memory_.add_range(address, {bytes, RangeKind::mapped, physical->second.properties.location.id, 0});
  return Error::success;
}

bool VirtualMemory::is_reserved(std::uint64_t address, std::uint64_t bytes) const {
  auto reservation = reservations_.upper_bound(address);
  if (reservation == reservations_.begin()) return false;
  --reservation;
  return address + bytes <= reservation->first + reservation->second;
}

std::vector<std::uint64_t> VirtualMemory::mappings_of(std::uint64_t address, std::uint64_t bytes) const {
  std::vector<std::uint64_t> result;
  std::uint64_t at = address;
  while (at < address + bytes) {
    const auto mapping = mappings_.find(at);
    if (mapping == mappings_.end()) return {};
    result.push_back(at);
    at += mapping->second.bytes;
  }
  return at == address + bytes ? result : std::vector<std::uint64_t>{};
}

Error VirtualMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  const auto unmapped = mappings_of(address, bytes);
  if (unmapped.empty()) return Error::invalid_value;
  memory_.writes().forget(address, bytes);
  for (const std::uint64_t at : unmapped) {
    const std::uint64_t handle = mappings_.at(at).handle;
    mappings_.erase(at);
    memory_.remove_range(at);
    --physical_.at(handle).mappings;
    drop_if_unused(handle);
  }
  return Error::success;
}

Error VirtualMemory::set_access(std::uint64_t address, std::uint64_t bytes, const AccessDescription* descriptions,
                                std::size_t count) {
  const auto changed = mappings_of(address, bytes);
  if (changed.empty() || !descriptions || count == 0) return Error::invalid_value;
  for (std::size_t index = 0; index < count; ++index) {
    const AccessDescription& description = descriptions[index];
    if (description.location.type != LocationType::device) return Error::not_supported;
    if (!memory_.is_device(description.location.id)) return Error::invalid_device;
    for (const std::uint64_t at : changed)
      mappings_.at(at).access[description.location.id] = description.flags;
  }
  return Error::success;
}

Error VirtualMemory::get_access(std::uint64_t address, const Location& location, unsigned long long* out_flags) const {
  auto mapping = mappings_.upper_bound(address);
  if (!out_flags || mapping == mappings_.begin()) return Error::invalid_value;
  --mapping;
  if (address >= mapping->first + mapping->second.bytes) return Error::invalid_value;
  const auto flags = mapping->second.access.find(location.id);
  *out_flags = flags == mapping->second.access.end() ? 0 : static_cast<unsigned long long>(flags->second);
  return Error::success;
}

Error VirtualMemory::retain(std::uint64_t address, std::uint64_t* out_handle) {
  auto mapping = mappings_.upper_bound(address);
  if (!out_handle || mapping == mappings_.begin()) return Error::invalid_value;
  --mapping;
  if (address >= mapping->first + mapping->second.bytes) return Error::invalid_value;
  *out_handle = mapping->second.handle;
  ++physical_.at(*out_handle).references;
  return Error::success;
}

Error VirtualMemory::properties(std::uint64_t handle, AllocationProperties* out) const {
  const auto physical = physical_.find(handle);
  if (physical == physical_.end() || !out) return Error::invalid_value;
  *out = physical->second.properties;
  return Error::success;
}

const VirtualMemory::Physical* VirtualMemory::find(std::uint64_t handle) const {
  const auto found = physical_.find(handle);
  return found == physical_.end() || found->second.references == 0 ? nullptr : &found->second;
}

std::uint64_t VirtualMemory::add_uncharged(std::uint64_t bytes, int handle_types, int device, bool is_multicast) {
  AllocationProperties properties{};
  properties.type = kPinned;
  properties.requested_handle_types = handle_types;
  properties.location = {LocationType::device, device};
  physical_[next_handle_] = {bytes, 1, 0, properties, false, is_multicast};
  return next_handle_++;
}

Error VirtualMemory::share(std::uint64_t handle, int type, SharedMemory* out) const {
  const Physical* const physical = find(handle);
  if (!physical || !(physical->properties.requested_handle_types & type)) return Error::invalid_value;
  *out = {physical->bytes, physical->is_multicast};
  return Error::success;
}

Error VirtualMemory::import(const SharedMemory& memory, int device, std::uint64_t* out_handle) {
  if (!out_handle || !is_whole_pages(memory.bytes)) return Error::invalid_value;
  *out_handle = add_uncharged(memory.bytes, 0, device, memory.is_multicast);
  return Error::success;
}

Error VirtualMemory::create_multicast(std::uint64_t bytes, unsigned long long handle_types, int device,
                                      std::uint64_t* out_handle) {
  if (!out_handle || !is_whole_pages(bytes)) return Error::invalid_value;
  *out_handle = add_uncharged(bytes, static_cast<int>(handle_types), device, true);
  return Error::success;
}

bool VirtualMemory::is_multicast(std::uint64_t handle) const {
  const Physical* const physical = find(handle);
  return physical && physical->is_multicast;
}

Error VirtualMemory::check_binding(std::uint64_t handle, std::uint64_t offset, std::uint64_t bytes) const {
  return is_multicast(handle) ? check_part(handle, offset, bytes) : Error::invalid_value;
}

Error VirtualMemory::check_part(std::uint64_t handle, std::uint64_t offset, std::uint64_t bytes) const {
  const Physical* const physical = find(handle);
  const bool is_part = physical && bytes > 0 && bytes <= physical->bytes && offset <= physical->bytes - bytes;
  return is_part ? Error::success : Error::invalid_value;
}

} // namespace memviz::rehearsal
