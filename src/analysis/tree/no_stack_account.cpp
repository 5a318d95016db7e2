#include "analysis/tree/no_stack_account.hpp"

#include "analysis/tree/no_stack.hpp"

#include <algorithm>
#include <map>
#include <variant>

namespace memviz {

namespace {

class Collector {
public:
  void add(const NodeKey& reason, const Amount& amount) {
    total_ += amount;
    by_reason_[reason] += amount;
  }

  [[nodiscard]] NoStackAccount account() const {
    NoStackAccount account{total_, {}};
    for (const auto& [reason, amount] : by_reason_)
      account.reasons.push_back({reason, amount});
    std::ranges::stable_sort(account.reasons, [](const UserLine& one, const UserLine& other) {
      return one.amount.bytes > other.amount.bytes;
    });
    return account;
  }

private:
  Amount total_;
  std::map<NodeKey, Amount> by_reason_;
};

} // namespace

bool has_no_stack(const NodeKey& key) {
  const auto* pseudo = std::get_if<Pseudo>(&key);
  if (pseudo == nullptr) return false;
  switch (*pseudo) {
  case Pseudo::history_off:
  case Pseudo::before_recording:
  case Pseudo::lost_or_before:
  case Pseudo::without_stack:
  case Pseudo::only_counted: return true;
  case Pseudo::gaps:
  case Pseudo::unaccounted:
  case Pseudo::outside:
  case Pseudo::filtered:
  case Pseudo::not_focused: break;
  }
  return false;
}

NoStackAccount no_stack_account(std::span<const UserLine> lines) {
  Collector collector;
  for (const UserLine& line : lines)
    if (has_no_stack(line.key)) collector.add(line.key, line.amount);
  return collector.account();
}

std::vector<NoStackAccount> no_stack_accounts(const MemoryState& state) {
  const NoStackReasons reasons(state);
  std::map<DeviceId, Collector> by_device;
  for (const Segment& segment : state.segments) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state.blocks[i];
      if (block.is_active() && state.frames().stack(block.stack).empty())
        by_device[segment.device].add(reasons.reason(segment.device, i), {block.requested_bytes, 1});
    }
  }
  for (const DeviceState& device : state.devices)
    for (const OutsideMemory& outside : device.outside)
      if (state.frames().stack(outside.stack).empty())
        by_device[device.device].add(reasons.reason(device.device, outside),
                                     {outside.requested_bytes, outside.allocations});
  std::vector<NoStackAccount> accounts;
  for (const DeviceState& device_state : state.devices) {
    const auto found = by_device.find(device_state.device);
    accounts.push_back(found == by_device.end() ? NoStackAccount{} : found->second.account());
  }
  return accounts;
}

} // namespace memviz
