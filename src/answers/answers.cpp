#include "memviz/answers.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/keeper_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace memviz {

FrameFilter frames_of(const TreeChoice& choice) {
  return choice.frames.value_or(FrameFilter::program);
}

bool needs_births(const TreeChoice& choice) {
  return choice.group && need_births(*choice.group);
}

bool needs_kinds(const TreeChoice& choice) {
  return choice.group && need_kinds(*choice.group);
}

bool needs_keepers(const TreeChoice& choice) {
  return choice.by == TreeBy::keeper || (choice.group && need_keepers(*choice.group));
}

MomentChoice moment_of(const Scope& scope, const TreeChoice& choice) {
  Scope at = scope;
  if (needs_keepers(choice) && at.at.kind == MomentKind::automatic) at.at.kind = MomentKind::end;
  return moment_of(at);
}

void check_has_keepers(const Recording& recording) {
  if (!recording.keepers.is_recorded)
    throw UsageError("the recording has no keepers, so it does not show which variables refer to its memory: record it "
                     "again with memviz run, memviz attach, memviz rehearse or memviz_torch.record(), which add them "
                     "(docs/keepers.md)");
}

void check_keepers(const TreeChoice& choice, const MemoryState& state) {
  if (!needs_keepers(choice)) return;
  check_has_keepers(*state.recording);
  for (const DeviceState& device : state.devices)
    if (!device.is_at_last_event())
      throw UsageError("keepers are known at the end of a recording, when its file was written: use --at end");
}

namespace {

/// Replaces stacks by keepers.
void set_keepers(TreeOptions& options) {
  std::erase(options.levels, Level::stream); // no variable belongs to one
  if (!need_keepers(options.levels)) options.levels.push_back(Level::keeper);
  options.has_frames = false;
}

/// Returns the first sentence about the keepers of the device that holds most; "" if no variable is worth one.
std::string keeper_sentence(const KeeperAnswers& keepers, const MemoryState& state, std::optional<DeviceId> device) {
  const auto devices = state.devices_of(device);
  const auto largest =
      std::ranges::max_element(devices, {}, [](const DeviceState& one) { return one.figures.requested_bytes; });
  if (largest == devices.end()) return "";
  const std::vector<std::string> sentences = keeper_sentences(state.frames(), keepers.of(largest->device));
  return sentences.empty() ? "" : sentences.front();
}

} // namespace

TreeOptions resolved(const TreeChoice& choice, const MemoryState& state, std::optional<DeviceId> device) {
  TreeOptions options;
  options.frames = frames_of(choice);
  options.focus = choice.focus.value_or("");
  options.hide = choice.hide.value_or("");
  options.device = device;
  options.lives = choice.lives;
  if (choice.group) {
    options.levels = *choice.group;
    // Pinned host memory is never added to what GPUs hold.
    const auto devices = state.recording->devices();
    const bool mixes_host = !device && devices.size() > 1 && is_host(devices.back());
    if (mixes_host && std::ranges::find(options.levels, Level::device) == options.levels.end())
      options.levels.insert(options.levels.begin(), Level::device);
    if (choice.by == TreeBy::keeper) set_keepers(options);
    return options;
  }
  options.levels = choice.view == TreeView::segments ? segment_levels(state) : memory_levels(state);
  // With one device chosen, a level for it would add nothing.
  if (device) std::erase(options.levels, Level::device);
  if (choice.by == TreeBy::keeper) set_keepers(options);
  return options;
}

Wants wants_of(const FlameQuestion& question) {
  return {.moment = moment_of(question.scope, question.tree),
          .births = needs_births(question.tree) || question.tree.view == TreeView::segments,
          .kinds = true};
}

FlameAnswer flame_answer(const FlameQuestion& question, Loaded loaded) {
  check_keepers(question.tree, loaded.state);
  std::shared_ptr<const KeeperAnswers> keepers;
  if (needs_keepers(question.tree)) keepers = std::make_shared<const KeeperAnswers>(*loaded.state.recording);
  TreeOptions options = resolved(question.tree, loaded.state, question.scope.device);
  if (keepers != nullptr) options.keepers = &keepers->paths();
  KindTree built = build_kind_tree(loaded.state, options);
  return {question, std::move(loaded), std::move(keepers), std::move(built)};
}

FlamePicture picture_of(const FlameAnswer& answer, bool shows_patterns) {
  const MemoryState& state = answer.loaded.state;
  const TreeChoice& tree = answer.question.tree;
  const std::optional<DeviceId> device = answer.question.scope.device;
  return {.file = picture_name(answer.loaded.name),
          .subject = memory_subject(state, device, resolved(tree, state, device)),
          .tree = answer.built.tree,
          .device = device,
          .kinds = answer.built.kinds,
          .filters = {.has_focus = tree.focus.has_value(),
                      .has_hide = tree.hide.has_value(),
                      .focus = shows_patterns ? tree.focus.value_or("") : "",
                      .hide = shows_patterns ? tree.hide.value_or("") : "",
                      .lives = tree.lives},
          .has_segments = tree.view == TreeView::segments,
          .keeper = answer.keepers == nullptr ? "" : keeper_sentence(*answer.keepers, state, device),
          .keepers = answer.keepers == nullptr ? KeeperLines{} : keeper_lines(*answer.keepers, state, device)};
}

TextSource json_of(const FlameAnswer& answer) {
  const MemoryState& state = answer.loaded.state;
  return tree_json_source(answer.loaded.name, state.frames(), answer.built.tree,
                          state.devices_of(answer.question.scope.device));
}

Wants wants_of(const StateQuestion& question) {
  return {.moment = moment_of(question.scope), .births = true, .kinds = question.kinds};
}

StatePicture picture_of(const StateAnswer& answer) {
  return {picture_name(answer.loaded.name), answer.loaded.state, answer.question.scope.device};
}

TextSource json_of(const StateAnswer& answer) {
  return state_json_source({answer.loaded.name, answer.loaded.state, answer.question.scope.device});
}

Wants wants_of(const StatsQuestion& question) {
  return {.moment = moment_of(question.scope), .kinds = true, .also = MomentKind::peak};
}

StatsAnswer stats_answer(const StatsQuestion& question, Loaded loaded) {
  const std::optional<DeviceId> device = question.scope.device;
  if (device) std::erase_if(loaded.state.devices, [&](const DeviceState& other) { return other.device != *device; });
  KindsByDevice peak_kinds = loaded.also ? kinds_by_device(*loaded.also) : KindsByDevice{};
  KeepersByDevice keepers = keepers_of(loaded.state);
  return {question, std::move(loaded), std::move(peak_kinds), std::move(keepers)};
}

std::string text_of(const StatsAnswer& answer) {
  return stats_text(answer.loaded.name, answer.loaded.state, answer.question.scope.device, answer.peak_kinds,
                    answer.keepers);
}

std::string json_of(const StatsAnswer& answer) {
  return stats_json(answer.loaded.name, answer.loaded.state, answer.peak_kinds, answer.keepers);
}

namespace {

/// A device's memory cannot be less than what PyTorch held plus what was free; any verdict would be wrong.
void check_capacity(const std::string& file, const std::vector<DeviceExplanation>& devices) {
  for (const DeviceExplanation& device : devices) {
    const MemoryLedger& ledger = device.ledger;
    const std::uint64_t known_bytes = ledger.reserved_bytes + ledger.device_free_bytes.value_or(0);
    if (!ledger.capacity_bytes || *ledger.capacity_bytes >= known_bytes) continue;
    throw UsageError(fmt::format("--capacity {} is too small for {}: {} had {} or more, of which PyTorch held {}",
                                 format_bytes(*ledger.capacity_bytes), file, device_name(device.device_state),
                                 format_bytes(known_bytes), format_bytes(ledger.reserved_bytes)));
  }
}

} // namespace

Wants wants_of(const ExplainQuestion& question) {
  return {.moment = moment_of(question.scope), .events = true, .kinds = true};
}

ExplainAnswer explain_answer(const ExplainQuestion& question, Loaded loaded) {
  auto devices = explain(loaded.state, {.capacity_bytes = question.capacity_bytes, .device = question.scope.device});
  check_capacity(loaded.name, devices);
  return {std::move(loaded), std::move(devices)};
}

ExplainReport report_of(const ExplainAnswer& answer) {
  return {answer.loaded.name, answer.loaded.state, answer.devices};
}

ExplainPicture picture_of(const ExplainAnswer& answer) {
  return {picture_name(answer.loaded.name), answer.loaded.state, answer.devices};
}

} // namespace memviz
