#include "analysis/tree/no_stack_account.hpp"
#include "base/capitalized.hpp"
#include "base/font_columns.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "story/accounts.hpp"
#include "story/holders.hpp"
#include "story/kind_totals.hpp"
#include "story/kind_words.hpp"
#include "story/moment_words.hpp"
#include "story/no_stack_words.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace memviz {
namespace {

/// A largest user with less than this share is one of many: 1/50.
constexpr std::uint64_t kStandsOut = 50;
/// Columns of a name in the answer.
constexpr std::size_t kUserColumns = 40;

std::string in_use_text(std::uint64_t bytes, const DeviceFigures& sum) {
  return fmt::format("{} ({} of requested memory)", format_bytes(bytes), format_percent(bytes, sum.requested_bytes));
}

std::string line_text(const FrameTable& frames, const NodeKey& key) {
  const Label label = line_label(frames, key);
  std::string text = cut_name(label.name, kUserColumns);
  if (!label.place.empty()) text += ' ' + cut_start(label.place, kUserColumns);
  return label.note.empty() ? text : fmt::format("{} ({})", text, label.note);
}

/// Returns what a sentence is about: the leading device, else all.
std::string owner_text(const MemorySubject& subject) {
  const DeviceState* const leading = leading_device(subject.devices);
  return leading == nullptr ? devices_text(subject.devices) : device_name(*leading);
}

/// Returns the first device that is drawn at its out-of-memory error; null if none is.
const DeviceState* failed_device(const MemorySubject& subject) {
  const auto failed = std::ranges::find_if(subject.devices, [](const DeviceState& device_state) {
    return device_state.moment.kind == MomentKind::oom && device_state.moment.asked_bytes > 0;
  });
  return failed == subject.devices.end() ? nullptr : &*failed;
}

std::string in_use_percent(const MemoryTotals& device_state) {
  return format_percent(device_state.allocated_bytes, device_state.reserved_bytes);
}

/// Returns the kind of the memory without a stack, if a rule covers nine tenths of it: " Sizes and lifetimes suggest
/// parameters."
std::string no_stack_kind(const MemorySubject& subject) {
  KindShares shares;
  for (const UserLine& user : subject.users)
    if (!is_frame(user.key)) add_shares(shares, user.kinds);
  const auto kind = main_kind(shares, shared_bytes(shares));
  if (!kind || *kind == MemoryKind::unknown) return "";
  return fmt::format(" Sizes and lifetimes suggest {}.", kind_words(*kind));
}

std::string largest_user_text(const MemorySubject& subject, const DeviceFigures& sum) {
  const FrameTable& frames = subject.state.frames();
  const UserLine& first = subject.users.front();
  const NoStackAccount no_stack = no_stack_account(subject.users);
  const auto known = std::ranges::find_if(subject.users, [](const UserLine& line) { return is_frame(line.key); });
  if (is_frame(first.key) && first.amount.bytes >= no_stack.total.bytes) {
    const bool stands_out = first.amount.bytes >= sum.requested_bytes / kStandsOut;
    return fmt::format(
        "{}, {}, holds {}.",
        stands_out ? "The largest user"
                   : fmt::format("No line of code stands out: the largest of {}", format_count(subject.users.size())),
        line_text(frames, first.key), in_use_text(first.amount.bytes, sum));
  }
  std::string text =
      no_stack.total.bytes > 0
          ? fmt::format("{} has {}.", in_use_text(no_stack.total.bytes, sum), no_stack_text(no_stack))
          : fmt::format("{} has no stack: {}.", in_use_text(first.amount.bytes, sum), reason_text(first.key));
  text += no_stack_kind(subject);
  if (known != subject.users.end())
    text += fmt::format(" The largest user with one, {}, holds {}.", line_text(frames, known->key),
                        format_bytes(known->amount.bytes));
  return text;
}

std::string largest_focused_text(const MemorySubject& subject, const DeviceFigures& sum) {
  if (subject.focused->empty()) return std::string(kNothingInFocus);
  const UserLine& first = subject.focused->front();
  if (is_frame(first.key))
    return fmt::format("In focus, the largest user, {}, holds {}.", line_text(subject.state.frames(), first.key),
                       in_use_text(first.amount.bytes, sum));
  return fmt::format("In focus, {} has no stack: {}.", in_use_text(first.amount.bytes, sum), reason_text(first.key));
}

/// Returns the moment with its device, if others are at other moments.
std::string moment_fact(const MemorySubject& subject) {
  const DeviceState* const leading = leading_device(subject.devices);
  if (leading == nullptr) return subject.moment;
  return fmt::format("{} {}", device_heading(*leading), moment_text(*leading));
}

/// Returns the memory at the moments that are not drawn.
std::string other_moments_of(const MemorySubject& subject) {
  const DeviceState* const device = shown_device(subject.devices);
  if (device == nullptr) return "";
  return other_moments_text("flame", *device, subject.devices.size() == 1 ? "" : owner_text(subject));
}

std::string headline(const MemorySubject& subject, const DeviceFigures& sum) {
  if (const DeviceState* const failed = failed_device(subject))
    return fmt::format("{} ran out of memory: {} asked for, {} reserved", device_name(*failed),
                       format_bytes(failed->moment.asked_bytes), format_bytes(failed->figures.reserved_bytes));
  if (sum.reserved_bytes == 0) return "No memory is reserved in this snapshot";
  const std::string owner = owner_text(subject);
  return sum.events == 0
             ? fmt::format("{} reserved on {}, {} in use", format_bytes(sum.reserved_bytes), owner, in_use_percent(sum))
             : fmt::format("{} {}: {}", capitalized(owner), short_moment_text(shown_moment(subject.devices)),
                           use_text(sum));
}

std::string answer(const MemorySubject& subject, const DeviceFigures& sum) {
  std::string answer;
  if (const DeviceState* const failed = failed_device(subject);
      failed != nullptr && failed->figures.reserved_bytes > 0) {
    answer = fmt::format("{} of its reserved memory was in use.", in_use_percent(failed->figures));
  }
  if (subject.users.empty() || sum.requested_bytes == 0) return answer;
  return answer + (answer.empty() ? "" : " ") +
         (subject.focused ? largest_focused_text(subject, sum) : largest_user_text(subject, sum));
}

std::vector<std::string> facts(const MemorySubject& subject, const DeviceFigures& sum) {
  std::vector<std::string> facts{moment_fact(subject)};
  if (!subject.state.recording->origin.generation.empty()) facts.push_back(subject.state.recording->origin.generation);
  const std::vector<std::string> counts = count_facts(sum);
  facts.insert(facts.end(), counts.begin(), counts.end());
  if (const std::string others = other_moments_of(subject); !others.empty()) facts.push_back(others);
  return facts;
}

std::string alert(const MemorySubject& subject, const DeviceFigures& sum) {
  std::string rehearsed = rehearsal_alert(subject.state.recording->origin.rehearsal);
  if (sum.ooms == 0 || (sum.ooms == 1 && failed_device(subject) != nullptr)) return rehearsed;
  return fmt::format("{}{}ran out of memory {}", rehearsed, rehearsed.empty() ? "" : "; ",
                     sum.ooms == 1 ? "once" : format_count(sum.ooms) + " times");
}

} // namespace

std::string devices_text(std::span<const DeviceState> devices) {
  if (devices.empty()) return "no GPU";
  if (devices.size() == 1) return device_name(devices.front());
  if (!mixes_host(devices)) return fmt::format("{} GPUs", devices.size());
  return fmt::format("{} and host memory", devices_text(devices.first(devices.size() - 1)));
}

MemorySubject memory_subject(const MemoryState& state, std::optional<DeviceId> device, const TreeOptions& tree) {
  const std::span<const DeviceState> devices = state.devices_of(device);
  const DeviceState* const leading = leading_device(devices);
  const std::optional<DeviceId> leader = leading == nullptr ? device : leading->device;
  MemorySubject subject{
      .state = state, .devices = devices, .users = rank_user_lines(state, leader), .moment = moments_text(devices)};
  if (!tree.focus.empty() || tree.lives.of != LivesOf::all) subject.focused = rank_user_lines(state, leader, tree);
  return subject;
}

Story flame_story(const MemorySubject& subject) {
  const DeviceFigures sum = shown_figures(subject.devices);
  Story story;
  story.headline = headline(subject, sum);
  story.answer = answer(subject, sum);
  story.alert = alert(subject, sum);
  story.facts = facts(subject, sum);
  story.notes = missing_stack_notes(subject.users, sum.requested_bytes);
  if (std::string kinds = hardly_known_note(subject); !kinds.empty()) story.notes.push_back(std::move(kinds));
  story.accounts = accounts_of(subject.devices);
  return story;
}

} // namespace memviz
