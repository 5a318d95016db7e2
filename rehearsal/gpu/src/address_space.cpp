#include "address_space.hpp"

#include <stdexcept>
#include <sys/mman.h>

namespace memviz::rehearsal {
namespace {

constexpr std::uint64_t kMostBytes = 32ULL << 40;
constexpr std::uint64_t kLeastBytes = 1ULL << 40;
// Far from where Linux places programs, libraries and stacks, so that addresses are the same in every run.
constexpr std::uint64_t kWishedAddress = 0x200000000000ULL;
constexpr std::uint64_t kRegionBytes = 32ULL << 20;
// Never handed out, so that access past the end of the highest allocation is also reported as a use of device memory.
constexpr std::uint64_t kGuardBytes = 1ULL << 30;

} // namespace

AddressSpace::AddressSpace(bool is_packed) {
  // Less if a limit of address space (ulimit -v) requires it.
  for (std::uint64_t bytes = kMostBytes; bytes >= kLeastBytes; bytes /= 2) {
    void* const address = mmap(reinterpret_cast<void*>(kWishedAddress), bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) continue;
    begin_ = reinterpret_cast<std::uint64_t>(address);
    bytes_ = bytes;
    const std::uint64_t usable_bytes = bytes_ - kGuardBytes;
    if (is_packed)
      regions_.emplace(begin_, Region{usable_bytes, FreeRanges(begin_, usable_bytes)});
    else
      outside_ = std::make_unique<FreeRanges>(begin_, usable_bytes);
    return;
  }
  throw std::runtime_error("cannot reserve 1 TiB of address space for device memory (is there a limit, ulimit -v?)");
}

AddressSpace::~AddressSpace() {
  munmap(reinterpret_cast<void*>(begin_), bytes_);
}

std::optional<std::uint64_t> AddressSpace::take(std::uint64_t bytes, std::uint64_t alignment_bytes) {
  for (auto& [begin, region] : regions_)
    if (const auto address = region.free.take(bytes, alignment_bytes)) return address;
  if (!outside_) return std::nullopt;
  const std::uint64_t region_bytes = round_up(bytes, kRegionBytes);
  const auto begin = outside_->take_highest(region_bytes, std::max(alignment_bytes, kRegionBytes));
  if (!begin) return std::nullopt;
  Region& region = regions_.emplace(*begin, Region{region_bytes, FreeRanges(*begin, region_bytes)}).first->second;
  return region.free.take(bytes, alignment_bytes);
}

void AddressSpace::give_back(std::uint64_t address, std::uint64_t bytes) {
  const auto found = std::prev(regions_.upper_bound(address));
  auto& [begin, region] = *found;
  region.free.give_back(address, bytes);
  if (!outside_ || !region.free.is_free(begin, region.bytes)) return;
  outside_->give_back(begin, region.bytes);
  regions_.erase(found);
}

} // namespace memviz::rehearsal
