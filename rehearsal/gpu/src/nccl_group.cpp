#include "nccl_group.hpp"

#include <algorithm>

namespace memviz::rehearsal {
namespace {

constexpr bool is_broadcast(const Exchange& exchange) {
  return exchange.peer == Exchange::kBroadcast;
}

// Returns what this rank sends in exchange for receiving `exchange`, each send once; if it broadcasts, all others are
// assumed to send the same.
std::uint64_t take_sent_like(const Exchange& exchange, std::vector<Exchange>& exchanges) {
  const auto found = std::find_if(exchanges.begin(), exchanges.end(), [&](const Exchange& other) {
    return other.sent != 0 && other.communicator == exchange.communicator && other.peer == exchange.peer &&
           other.bytes == exchange.bytes;
  });
  if (found == exchanges.end()) return 0;
  const std::uint64_t address = found->sent;
  if (!is_broadcast(exchange)) found->sent = 0;
  return address;
}

} // namespace

bool NcclGroup::end(RecentWrites& writes) {
  if (depth_ == 0) return false;
  if (--depth_ == 0) settle(writes);
  return true;
}

void NcclGroup::add(const Exchange& exchange, RecentWrites& writes) {
  exchanges_.push_back(exchange);
  if (depth_ == 0) settle(writes);
}

void NcclGroup::settle(RecentWrites& writes) {
  std::vector<Exchange> exchanges;
  exchanges.swap(exchanges_);
  for (std::size_t index = 0; index < exchanges.size(); ++index) {
    const Exchange exchange = exchanges[index];
    if (exchange.received == 0) continue;
    const std::uint64_t source = exchange.sent != 0 ? exchange.sent : take_sent_like(exchange, exchanges);
    if (source != 0 && source != exchange.received) writes.copy(exchange.received, source, exchange.bytes);
    // A buffer that a single broadcast fills in place holds the same as its sender's, because ranks send alike.
    if (source == 0 && !is_broadcast(exchange)) writes.forget(exchange.received, exchange.bytes);
  }
}

} // namespace memviz::rehearsal
