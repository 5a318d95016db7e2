#include "memory.hpp"

#include "numbers.hpp"

#include <sys/mman.h>
#include <utility>

namespace memviz::rehearsal {
namespace {

// cudaMalloc aligns to at least 256 bytes; allocations smaller than a page share one, as far as is known of the driver.
constexpr std::uint64_t kSmallAlignmentBytes = 512;
constexpr std::uint64_t kLeastOwnPagesBytes = 1ULL << 20;
constexpr std::uint64_t kHostPageBytes = 4096;

Error map_host(std::uint64_t bytes, void** out) {
  void* const address = mmap(nullptr, round_up(bytes, kHostPageBytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return Error::out_of_memory;
  *out = address;
  return Error::success;
}

} // namespace

Memory::Memory(const Settings& settings)
    : addresses_(settings.packs_addresses), shared_(settings.shared_file, settings.other_bytes),
      outside_bytes_(settings.outside_bytes) {
  for (const int number : settings.devices) {
    DeviceBook book;
    book.number = number;
    book.total_bytes = settings.profile.total_bytes;
    book.context_bytes = settings.profile.context_bytes;
    devices_.push_back(book);
  }
}

Memory::~Memory() {
  for (const auto& [begin, found] : ranges_)
    if (found.range.kind == RangeKind::managed || found.range.kind == RangeKind::pinned)
      munmap(reinterpret_cast<void*>(begin), round_up(found.range.bytes, kHostPageBytes));
}

void Memory::record(DeviceBook& book) {
  const std::uint64_t own_bytes = book.context_bytes + book.used_bytes;
  shared_.record(book.number, own_bytes);
  // A context is there even where it has no room.
  book.peak_all_bytes = std::max(book.peak_all_bytes, std::min(own_bytes + book.other_bytes, book.total_bytes));
}

void Memory::open_context(int device) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  if (std::exchange(book.has_context, true)) return;
  const SharedBooks::Turn turn(shared_);
  book.other_bytes = shared_.other_bytes(book.number);
  record(book);
}

const DeviceBook& Memory::current_book(int device) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  book.other_bytes = shared_.other_bytes(book.number);
  return book;
}

Error Memory::charge(int device, std::uint64_t bytes) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  book.has_context = true;
  const SharedBooks::Turn turn(shared_);
  book.other_bytes = shared_.other_bytes(book.number);
  const bool has_room = bytes <= book.free_bytes();
  if (has_room)
    book.used_bytes += bytes;
  else
    book.most_other_bytes = std::max(book.most_other_bytes, book.other_bytes);
  record(book);
  book.peak_used_bytes = std::max(book.peak_used_bytes, book.used_bytes);
  book.recent_peak_used_bytes = std::max(book.recent_peak_used_bytes, book.used_bytes);
  return has_room ? Error::success : Error::out_of_memory;
}

void Memory::release(int device, std::uint64_t bytes) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  book.used_bytes -= bytes;
  const SharedBooks::Turn turn(shared_);
  record(book);
}

std::uint64_t Memory::take_recent_peak(int device) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  return book.context_bytes + std::exchange(book.recent_peak_used_bytes, book.used_bytes);
}

Error Memory::charge_outside(int device) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  if (book.outside_bytes >= outside_bytes_) return Error::success;
  const Error error = charge(device, outside_bytes_ - book.outside_bytes);
  if (error == Error::success)
    book.outside_bytes = outside_bytes_;
  else
    book.refused_bytes = outside_bytes_ - book.outside_bytes;
  return error;
}

GraphUse Memory::use_of_graph(std::uint64_t nodes) const {
  return {1, nodes, graph_model_.graph_bytes + nodes * graph_model_.node_bytes};
}

Error Memory::charge_graph(int device, const GraphUse& use) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  if (const Error error = charge(device, use.bytes); error != Error::success) return error;
  book.graphs.graphs += use.graphs;
  book.graphs.nodes += use.nodes;
  book.graphs.bytes += use.bytes;
  if (book.graphs.nodes > book.most_graphs.nodes) book.most_graphs = book.graphs;
  return Error::success;
}

void Memory::release_graph(int device, const GraphUse& use) {
  DeviceBook& book = devices_[static_cast<std::size_t>(device)];
  book.graphs.graphs -= use.graphs;
  book.graphs.nodes -= use.nodes;
  book.graphs.bytes -= use.bytes;
  release(device, use.bytes);
}

Error Memory::allocate(int device, std::uint64_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) return Error::success;
  if (bytes > addresses_.bytes()) return Error::out_of_memory;
  if (bytes < kLeastOwnPagesBytes) return allocate_small(device, bytes, out);
  const std::uint64_t page_bytes = round_up(bytes, kPageBytes);
  if (const Error error = charge(device, page_bytes); error != Error::success) return error;
  const auto address = addresses_.take(page_bytes, kPageBytes);
  if (!address) {
    release(device, page_bytes);
    return Error::out_of_memory;
  }
  add_range(*address, {bytes, RangeKind::device, device, 0});
  *out = reinterpret_cast<void*>(*address);
  return Error::success;
}

Error Memory::allocate_small(int device, std::uint64_t bytes, void** out) {
  const std::uint64_t rounded_bytes = round_up(bytes, kSmallAlignmentBytes);
  const auto take = [&](SmallChunk& chunk) {
    const auto address = chunk.free.take(rounded_bytes, kSmallAlignmentBytes);
    if (!address) return false;
    chunk.used_bytes += rounded_bytes;
    add_range(*address, {bytes, RangeKind::device, device, 0});
    *out = reinterpret_cast<void*>(*address);
    return true;
  };
  for (auto& [base, chunk] : small_chunks_)
    if (chunk.device == device && take(chunk)) return Error::success;
  if (const Error error = charge(device, kPageBytes); error != Error::success) return error;
  const auto base = addresses_.take(kPageBytes, kPageBytes);
  if (!base) {
    release(device, kPageBytes);
    return Error::out_of_memory;
  }
  const auto chunk = small_chunks_.emplace(*base, SmallChunk{device, 0, FreeRanges(*base, kPageBytes)}).first;
  take(chunk->second);
  return Error::success;
}

Error Memory::free(void* pointer) {
  if (!pointer) return Error::success;
  const auto found = ranges_.find(number_of(pointer));
  if (found == ranges_.end()) return Error::invalid_value;
  const Range range = found->second.range;
  if (range.kind == RangeKind::managed) {
    munmap(pointer, round_up(range.bytes, kHostPageBytes));
    ranges_.erase(found);
    return Error::success;
  }
  if (range.kind != RangeKind::device) return Error::invalid_value;
  writes_.forget(number_of(pointer), range.bytes);
  ranges_.erase(found);
  if (range.bytes < kLeastOwnPagesBytes) {
    free_small(number_of(pointer), range);
    return Error::success;
  }
  const std::uint64_t page_bytes = round_up(range.bytes, kPageBytes);
  addresses_.give_back(number_of(pointer), page_bytes);
  release(range.device, page_bytes);
  return Error::success;
}

void Memory::free_small(std::uint64_t address, const Range& range) {
  const auto chunk = std::prev(small_chunks_.upper_bound(address));
  const std::uint64_t rounded_bytes = round_up(range.bytes, kSmallAlignmentBytes);
  chunk->second.free.give_back(address, rounded_bytes);
  chunk->second.used_bytes -= rounded_bytes;
  if (chunk->second.used_bytes > 0) return;
  addresses_.give_back(chunk->first, kPageBytes);
  release(range.device, kPageBytes);
  small_chunks_.erase(chunk);
}

Error Memory::open_peer(int device, std::uint64_t bytes, void** out) {
  const auto address = addresses_.take(round_up(bytes, kPageBytes), kPageBytes);
  if (!address) return Error::out_of_memory;
  add_range(*address, {bytes, RangeKind::peer, device, 0});
  *out = reinterpret_cast<void*>(*address);
  return Error::success;
}

Error Memory::close_peer(void* pointer) {
  const auto found = ranges_.find(number_of(pointer));
  if (found == ranges_.end() || found->second.range.kind != RangeKind::peer) return Error::invalid_value;
  const std::uint64_t bytes = found->second.range.bytes;
  writes_.forget(number_of(pointer), bytes);
  ranges_.erase(found);
  addresses_.give_back(number_of(pointer), round_up(bytes, kPageBytes));
  return Error::success;
}

Error Memory::allocate_managed(std::uint64_t bytes, void** out) {
  if (bytes == 0) return Error::invalid_value;
  if (const Error error = map_host(bytes, out); error != Error::success) return error;
  add_range(number_of(*out), {bytes, RangeKind::managed, 0, 0});
  return Error::success;
}

Error Memory::allocate_host(std::uint64_t bytes, unsigned flags, void** out) {
  *out = nullptr;
  if (bytes == 0) return Error::success;
  if (const Error error = map_host(bytes, out); error != Error::success) return error;
  add_range(number_of(*out), {bytes, RangeKind::pinned, 0, flags});
  return Error::success;
}

Error Memory::free_host(void* pointer) {
  if (!pointer) return Error::success;
  const auto found = ranges_.find(number_of(pointer));
  if (found == ranges_.end() || found->second.range.kind != RangeKind::pinned) return Error::invalid_value;
  munmap(pointer, round_up(found->second.range.bytes, kHostPageBytes));
  ranges_.erase(found);
  return Error::success;
}

Error Memory::register_host(void* pointer, std::uint64_t bytes, unsigned flags) {
  if (!pointer || bytes == 0 || addresses_.contains(number_of(pointer))) return Error::invalid_value;
  if (find(pointer)) return Error::host_memory_already_registered;
  add_range(number_of(pointer), {bytes, RangeKind::registered, 0, flags});
  return Error::success;
}

Error Memory::unregister_host(void* pointer) {
  const auto found = ranges_.find(number_of(pointer));
  if (found == ranges_.end() || found->second.range.kind != RangeKind::registered)
    return Error::host_memory_not_registered;
  ranges_.erase(found);
  return Error::success;
}

const FoundRange* Memory::find(const void* pointer) const {
  auto found = ranges_.upper_bound(number_of(pointer));
  if (found == ranges_.begin()) return nullptr;
  --found;
  return number_of(pointer) - found->first < found->second.range.bytes ? &found->second : nullptr;
}

bool Memory::is_device_memory(const void* pointer) const {
  return addresses_.contains(number_of(pointer));
}

void Memory::add_range(std::uint64_t begin, const Range& range) {
  ranges_[begin] = {begin, range};
}

void Memory::remove_range(std::uint64_t begin) {
  ranges_.erase(begin);
}

} // namespace memviz::rehearsal
