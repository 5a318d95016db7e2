#include "story/accounts.hpp"

#include "base/saturating.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/skipped_actions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <variant>

namespace memviz {
namespace {

/// The share of the requested bytes from which missing stacks deserve a sentence: 1/20.
constexpr std::uint64_t kWorthANote = 20;

std::string_view advice(Pseudo reason) {
  switch (reason) {
  case Pseudo::history_off:
    return "has no stack: the memory history was not recorded. To see which lines made it, call "
           "torch.cuda.memory._record_memory_history() before the model is built.";
  case Pseudo::before_recording:
    return "has no stack: it was allocated before recording began. To see which lines made it, call "
           "torch.cuda.memory._record_memory_history() before the model is built.";
  case Pseudo::lost_or_before:
    return "has no stack: it was allocated before recording began, or its event was overwritten in the ring. To see "
           "which lines made it, record from the start and with a larger max_entries.";
  case Pseudo::without_stack:
    return "has no stack: its allocation was recorded without one. Record with context='all' and stacks='all': the "
           "threads of a backward pass have no Python frames.";
  case Pseudo::gaps:
  case Pseudo::unaccounted:
  case Pseudo::outside:
  case Pseudo::only_counted:
  case Pseudo::filtered:
  case Pseudo::not_focused: break;
  }
  return "";
}

std::string missing_stack_note(const UserLine& user) {
  const auto* reason = std::get_if<Pseudo>(&user.key);
  const std::string_view text = reason == nullptr ? "" : advice(*reason);
  return text.empty() ? "" : fmt::format("{} {}", format_bytes(user.amount.bytes), text);
}

/// Returns the account; the terminal's minus differs from that of pictures.
std::string sum_text(const DeviceFigures& figures, std::string_view minus) {
  return fmt::format("{} {} + {} allocated {} {} freed = {}", format_bytes(figures.baseline_bytes),
                     baseline_text(figures), format_bytes(figures.alloc_bytes), minus, format_bytes(figures.free_bytes),
                     format_bytes(figures.end_requested_bytes));
}

std::string off_text(const DeviceFigures& figures) {
  return fmt::format("off by {}{} B", figures.imbalance_bytes < 0 ? "-" : "",
                     format_count(magnitude(figures.imbalance_bytes)));
}

/// Returns the accounts of the GPUs, then those of host memory, each with its device.
std::vector<Account> accounts_beside_host(std::span<const DeviceState> devices) {
  const std::span<const DeviceState> gpus = devices.first(devices.size() - 1);
  std::vector<Account> accounts = accounts_of(gpus);
  if (gpus.size() == 1 || accounts.front().balances) accounts.front().text.insert(0, devices_text(gpus) + ": ");
  Account host = accounts_of(devices.last(1)).front();
  host.text.insert(0, device_heading(devices.back()) + ": ");
  accounts.push_back(std::move(host));
  return accounts;
}

} // namespace

std::string use_text(const MemoryTotals& totals) {
  const std::string outside =
      totals.outside_bytes == 0 ? "" : fmt::format(", {} outside all segments", format_bytes(totals.outside_bytes));
  if (totals.reserved_bytes == 0) return "nothing reserved" + outside;
  return fmt::format("{} reserved, {} in use{}", format_bytes(totals.reserved_bytes),
                     format_percent(totals.allocated_bytes, totals.reserved_bytes), outside);
}

std::string_view baseline_text(const DeviceFigures& figures) {
  return figures.may_have_lost_events ? "before recording or lost in the ring" : "before recording";
}

std::string_view balance_word(bool balances) {
  return balances ? "balanced" : "NOT BALANCED";
}

std::string balance_cell(const DeviceFigures& figures) {
  const std::string word(balance_word(figures.balanced()));
  return figures.balanced() ? word : word + ": " + off_text(figures);
}

std::string balance_line(const DeviceFigures& figures) {
  if (figures.events == 0) return "no events, so nothing to balance";
  return fmt::format("{}: {} requested at the end{}", balance_word(figures.balanced()), sum_text(figures, "-"),
                     figures.balanced() ? "" : ", " + off_text(figures));
}

std::string imbalance_warning(const DeviceState& device_state) {
  return fmt::format("the accounts of {} do not balance: baseline + allocs - frees is {} {} than the blocks "
                     "active at the end request ({} bytes); the trace is incomplete or edited{}",
                     device_name(device_state), format_bytes(magnitude(device_state.figures.imbalance_bytes)),
                     device_state.figures.imbalance_bytes > 0 ? "more" : "less",
                     format_count(device_state.figures.end_block_bytes),
                     device_state.figures.imbalance_bytes > 0 ? skipped_frees_text(device_state.figures) : "");
}

std::string balance_text(const DeviceFigures& figures) {
  if (figures.events == 0) return "No events in this file: it shows what is held, but not since when, nor the peak.";
  const std::string sum = sum_text(figures, "−");
  if (figures.balanced()) return fmt::format("Accounts balance: {} requested at the end.", sum);
  return fmt::format("Accounts do not balance: {}, but the blocks active at the end hold {} ({}).", sum,
                     format_bytes(figures.end_block_bytes), delta_text(figures.imbalance_bytes));
}

std::vector<Account> accounts_of(std::span<const DeviceState> devices) {
  if (devices.empty()) return {};
  if (mixes_host(devices)) return accounts_beside_host(devices);
  const DeviceFigures shown = shown_figures(devices);
  if (shown.events == 0) return {{balance_text(shown), true, false}};
  std::vector<Account> accounts;
  for (const DeviceState& device_state : devices) {
    if (device_state.figures.balanced()) continue;
    const std::string prefix = devices.size() == 1 ? "" : device_heading(device_state) + ": ";
    accounts.push_back({prefix + balance_text(device_state.figures), false, false});
  }
  if (!accounts.empty()) return accounts;
  // Accounts that begin with an estimate are incomplete.
  const bool is_whole = std::ranges::none_of(
      devices, [](const DeviceState& device_state) { return device_state.figures.may_have_lost_events; });
  return {{balance_text(sum_of(devices)), true, is_whole}}; // at the end, whatever moment is drawn
}

std::vector<std::string> missing_stack_notes(const std::vector<UserLine>& users, std::uint64_t requested_bytes) {
  std::vector<std::string> notes;
  for (const UserLine& user : users) {
    if (user.amount.bytes < requested_bytes / kWorthANote || user.amount.bytes == 0) continue;
    if (std::string note = missing_stack_note(user); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string recording_advice(const std::vector<UserLine>& users, std::uint64_t requested_bytes) {
  const auto user = std::ranges::find(users, NodeKey(Pseudo::history_off), &UserLine::key);
  if (user == users.end() || user->amount.bytes == 0 || user->amount.bytes < requested_bytes / 2) return "";
  return missing_stack_note(*user);
}

} // namespace memviz
