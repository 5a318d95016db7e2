#include "memviz/logged_error.hpp"

#include <algorithm>

namespace memviz {

namespace {

std::uint64_t without(std::uint64_t whole, std::uint64_t part) {
  return whole - std::min(whole, part);
}

/// Returns the bytes that PyTorch holds, if the message shows them.
std::optional<std::uint64_t> reserved_bytes(const LoggedError& error) {
  if (!error.allocated_bytes || !error.unallocated_bytes) return std::nullopt;
  return *error.allocated_bytes + *error.unallocated_bytes;
}

/// Sets which processes are others. Inside a container the driver's numbers are not those of the process: a process
/// that would not fit on the device besides this one is this one.
void tell_processes_apart(LoggedVerdict& verdict, const LoggedError& error) {
  const std::uint64_t own = error.own_bytes.value_or(reserved_bytes(error).value_or(0));
  for (const LoggedProcess& process : error.processes) {
    const bool cannot_be_another = !error.own_bytes && error.total_bytes && process.bytes >= own &&
                                   process.bytes + own > *error.total_bytes + *error.total_bytes / 50;
    if (cannot_be_another && !verdict.same_process)
      verdict.same_process = process.pid;
    else
      verdict.other_bytes += process.bytes;
  }
}

std::optional<std::uint64_t> own_bytes(const LoggedVerdict& verdict, const LoggedError& error) {
  if (error.own_bytes || !verdict.same_process) return error.own_bytes;
  for (const LoggedProcess& process : error.processes)
    if (process.pid == *verdict.same_process) return process.bytes;
  return std::nullopt;
}

/// The share of the device from which something is worth being called a cause.
bool is_much(std::uint64_t bytes, const LoggedError& error) {
  return bytes >= error.total_bytes.value_or(bytes * 20) / 20;
}

/// Whether the request would pass the limit that the process has set itself. Messages without PyTorch's own figures
/// show a limit only if it was passed.
bool is_over_own_limit(const LoggedError& error) {
  constexpr std::uint64_t kTolerance = std::uint64_t{32} << 20U; // a segment, and figures rounded to 0.01 GiB
  if (!error.allowed_bytes || (error.total_bytes && *error.allowed_bytes >= *error.total_bytes)) return false;
  const auto reserved = reserved_bytes(error);
  return !reserved || *reserved + error.requested_bytes.value_or(0) + kTolerance > *error.allowed_bytes;
}

LoggedCause cause_of(const LoggedVerdict& verdict, const LoggedError& error) {
  if (error.by == LoggedBy::vllm && error.total_bytes) return LoggedCause::server_start;
  if (error.by == LoggedBy::vllm || error.by == LoggedBy::sglang) return LoggedCause::server_cache;
  if (!error.requested_bytes) return LoggedCause::unknown;
  const std::uint64_t request = *error.requested_bytes;
  const std::uint64_t free = error.free_bytes.value_or(0);
  if (error.total_bytes && request > *error.total_bytes) return LoggedCause::larger_than_device;
  if (is_over_own_limit(error)) return LoggedCause::own_limit;
  if (!error.allocated_bytes) return LoggedCause::unknown;
  if (request < free) return LoggedCause::free_enough;
  const std::uint64_t unused = error.unallocated_bytes.value_or(0);
  if (request <= unused + free && is_much(unused, error)) return LoggedCause::fragmentation;
  const std::uint64_t outside = verdict.own_outside_bytes.value_or(0);
  const std::uint64_t other = std::max(verdict.other_bytes, outside);
  if (is_much(other, error) && (request <= other + free || other > *error.allocated_bytes))
    return verdict.other_bytes >= outside ? LoggedCause::other_processes : LoggedCause::outside_pytorch;
  const bool is_mostly_elsewhere = verdict.unexplained_bytes > error.total_bytes.value_or(0) / 8;
  return is_mostly_elsewhere ? LoggedCause::elsewhere : LoggedCause::full;
}

/// Returns what no figure of the message covers.
std::uint64_t unexplained_bytes(const LoggedVerdict& verdict, const LoggedError& error) {
  if (!error.total_bytes || !error.allocated_bytes || !error.free_bytes) return 0;
  return without(*error.total_bytes, *error.allocated_bytes + error.unallocated_bytes.value_or(0) + *error.free_bytes +
                                         verdict.other_bytes + verdict.own_outside_bytes.value_or(0));
}

} // namespace

LoggedVerdict verdict_on(const LoggedError& error) {
  LoggedVerdict verdict;
  tell_processes_apart(verdict, error);
  const auto reserved = reserved_bytes(error);
  const auto own = own_bytes(verdict, error);
  if (own && reserved) verdict.own_outside_bytes = without(*own, *reserved);
  if (error.requested_bytes && error.free_bytes && error.unallocated_bytes)
    verdict.short_bytes = without(*error.requested_bytes, *error.free_bytes + *error.unallocated_bytes);
  verdict.unexplained_bytes = unexplained_bytes(verdict, error);
  verdict.cause = cause_of(verdict, error);
  return verdict;
}

} // namespace memviz
