#include "memviz/pprof.hpp"

#include "analysis/tree/frame_selection.hpp"
#include "base/hash_map.hpp"
#include "base/printable.hpp"
#include "export/text_limit.hpp"
#include "formats/protobuf_writer.hpp"
#include "memviz/label.hpp"
#include "memviz/source_line.hpp"
#include "memviz/version.hpp"
#include "story/moment_words.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memviz {

namespace {

/// The field numbers in profile.proto.
namespace field {
constexpr std::uint32_t kSampleType = 1;
constexpr std::uint32_t kSample = 2;
constexpr std::uint32_t kLocation = 4;
constexpr std::uint32_t kFunction = 5;
constexpr std::uint32_t kStringTable = 6;
constexpr std::uint32_t kTimeNanos = 9;
constexpr std::uint32_t kPeriodType = 11;
constexpr std::uint32_t kPeriod = 12;
constexpr std::uint32_t kComment = 13;
constexpr std::uint32_t kDefaultSampleType = 14;
} // namespace field

constexpr std::uint64_t kNanosOfMicro = 1000;

/// Texts as profile.proto refers to them: by index in a table, in which "" is the first.
class StringTable {
public:
  explicit StringTable(const FrameTable& frames) : frames_(frames), of_frames_(frames.string_count()) {
    static_cast<void>(number(""));
  }

  /// The same for a text of frames, which is made safe once: all frames may share one of megabytes.
  [[nodiscard]] std::uint64_t number(StringId id) {
    std::optional<std::uint64_t>& known = of_frames_[id.value];
    if (!known) known = number(safe_line(frames_.text(id)));
    return *known;
  }

  [[nodiscard]] std::uint64_t number(std::string_view text) {
    const auto added = numbers_.add(std::string(text), texts_.size());
    if (added.is_new) texts_.emplace_back(text);
    return added.value;
  }
  void write(ProtobufWriter& profile) const {
    for (const std::string& text : texts_)
      profile.text(field::kStringTable, text);
  }

private:
  const FrameTable& frames_;
  std::vector<std::optional<std::uint64_t>> of_frames_; ///< by StringId
  HashMap<std::string, std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

/// Locations and functions, each written on first use. A location is a frame, or a node in place of one; each has a
/// separate function.
class Locations {
public:
  Locations(ProtobufWriter& profile, StringTable& strings, const FrameTable& frames)
      : profile_(profile), strings_(strings), frames_(frames), by_frame_(frames.frame_count()) {}

  [[nodiscard]] std::uint64_t of(FrameId id) {
    std::uint64_t& known = by_frame_[id.value];
    if (known != 0) return known;
    const Frame& frame = frames_.frame(id);
    const std::uint64_t line = is_line(frame.line) ? static_cast<std::uint64_t>(frame.line) : 0;
    return known = add(strings_.number(frame.name), strings_.number(frame.filename), line);
  }
  /// A function that runs, or ran, is one of the profile; other steps of a path are their labels.
  [[nodiscard]] std::uint64_t of(const KeeperStep& step) {
    const bool is_function = step.part == KeeperPart::running || step.part == KeeperPart::traceback;
    std::uint64_t& known = by_step_[step];
    if (known != 0) return known;
    const std::uint64_t name =
        is_function ? strings_.number(step.text) : strings_.number(safe_line(node_label(frames_, step)));
    return known = add(name, strings_.number(step.file), step.line);
  }
  [[nodiscard]] std::uint64_t of(std::string_view word) {
    const auto added = by_word_.add(std::string(word), 0);
    if (added.is_new) added.value = add(strings_.number(word), strings_.number(kEmptyString), 0);
    return added.value;
  }

private:
  /// `name`, `file`: their numbers in the table of texts.
  [[nodiscard]] std::uint64_t add(std::uint64_t name, std::uint64_t file, std::uint64_t line) {
    const std::uint64_t id = ++count_;
    profile_.message(field::kFunction, ProtobufWriter().number(1, id).number(2, name).number(3, name).number(4, file));
    profile_.message(field::kLocation,
                     ProtobufWriter().number(1, id).message(4, ProtobufWriter().number(1, id).number(2, line)));
    return id;
  }

  ProtobufWriter& profile_;
  StringTable& strings_;
  const FrameTable& frames_;
  std::vector<std::uint64_t> by_frame_; ///< 0: not used yet
  HashMap<std::string, std::uint64_t> by_word_;
  std::map<KeeperStep, std::uint64_t> by_step_;
  std::uint64_t count_ = 0;
};

/// A sample: the stack, innermost first, its four values and its labels.
struct Sample {
  std::vector<std::uint64_t> locations = {};
  Amount in_use = {};
  Amount allocated = {};
  std::vector<std::pair<std::string_view, std::string>> labels = {};
};

class Profile {
public:
  explicit Profile(const PprofSubject& subject)
      : subject_(subject), frames_(subject.state.frames()), strings_(frames_), locations_(profile_, strings_, frames_),
        limit_(subject.state.recording->origin.size_bytes, "--frames user or --hide write less"),
        has_allocations_(!need_keepers(subject.options.levels)) {}

  [[nodiscard]] std::string written() {
    write_types();
    write_in_use(build_frame_tree(subject_.state, subject_.options));
    if (has_allocations_) write_allocations();
    write_comments();
    strings_.write(profile_);
    return profile_.bytes();
  }

private:
  void write_type(std::uint32_t number, std::string_view type, std::string_view unit) {
    profile_.message(number, ProtobufWriter().number(1, strings_.number(type)).number(2, strings_.number(unit)));
  }

  void write_types() {
    constexpr std::string_view kCount = "count";
    constexpr std::string_view kBytes = "bytes";
    write_type(field::kSampleType, "inuse_objects", kCount);
    write_type(field::kSampleType, "inuse_space", kBytes);
    if (has_allocations_) write_type(field::kSampleType, "alloc_objects", kCount);
    if (has_allocations_) write_type(field::kSampleType, "alloc_space", kBytes);
    write_type(field::kPeriodType, "space", kBytes);
    profile_.number(field::kPeriod, 1).number(field::kDefaultSampleType, strings_.number("inuse_space"));
  }

  void write(Sample& sample) {
    const auto& recorded = subject_.state.recording->origin.rank;
    if (const auto& rank = recorded ? recorded : subject_.rank)
      sample.labels.emplace_back("rank", std::to_string(*rank));
    ProtobufWriter body;
    body.packed(1, sample.locations);
    std::vector<std::uint64_t> values{sample.in_use.blocks, sample.in_use.bytes};
    if (has_allocations_) values.insert(values.end(), {sample.allocated.blocks, sample.allocated.bytes});
    body.packed(2, values);
    for (const auto& [key, value] : sample.labels)
      body.message(3, ProtobufWriter().number(1, strings_.number(key)).number(2, strings_.number(value)));
    limit_.add(body.bytes().size());
    profile_.message(field::kSample, body);
  }

  /// Each node at which bytes end is a sample.
  void write_in_use(const FrameTree& tree) {
    for (const auto& node : tree.nodes) {
      if (node.self == Amount{}) continue;
      Sample sample{.in_use = node.self};
      for (const auto* at = &node;; at = &tree[at->parent]) {
        add_key(sample, at->key);
        if (at->parent == kNoNode) break;
      }
      // Free memory has a state and no stack.
      if (sample.locations.empty()) sample.locations.push_back(locations_.of(node_label(frames_, node.key)));
      write(sample);
    }
  }

  void add_key(Sample& sample, const NodeKey& key) {
    if (const auto* const frame = std::get_if<FrameId>(&key)) sample.locations.push_back(locations_.of(*frame));
    if (const auto* const step = std::get_if<KeeperStep>(&key)) sample.locations.push_back(locations_.of(*step));
    if (std::holds_alternative<Pseudo>(key)) sample.locations.push_back(locations_.of(node_label(frames_, key)));
    if (std::holds_alternative<DeviceKey>(key)) sample.labels.emplace_back("device", node_label(frames_, key));
    if (std::holds_alternative<BlockState>(key)) sample.labels.emplace_back("state", node_label(frames_, key));
    if (std::holds_alternative<MemoryKind>(key)) sample.labels.emplace_back("kind", node_label(frames_, key));
  }

  void write_allocations() {
    FrameSelection selection(frames_, subject_.options);
    for (const auto& [key, amount] : subject_.allocations.sums()) {
      const auto& [device, stack] = key;
      if (subject_.options.device && device != *subject_.options.device) continue;
      Sample sample{.allocated = amount};
      const auto kept = selection.is_in_focus(stack) ? selection.selected(stack) : std::span<const FrameId>();
      for (std::size_t i = kept.size(); i > 0; --i)
        sample.locations.push_back(locations_.of(kept[i - 1]));
      if (kept.empty()) sample.locations.push_back(locations_.of(pseudo_label(reason(selection, stack))));
      sample.labels.emplace_back("device", device_name(device, subject_.state.recording->origin.kind_of(device)));
      write(sample);
    }
  }

  /// The reason why a stack has no frames in the profile.
  [[nodiscard]] Pseudo reason(FrameSelection& selection, StackId stack) const {
    if (!selection.is_in_focus(stack)) return Pseudo::not_focused;
    return frames_.stack(stack).empty() ? Pseudo::without_stack : Pseudo::filtered;
  }

  void write_comments() {
    const Recording& recording = *subject_.state.recording;
    const auto comment = [&](const std::string& text) {
      profile_.number(field::kComment, strings_.number(safe_line(text)));
    };
    comment("memviz " + std::string(version()) + ": " + subject_.file);
    if (recording.origin.rehearsal) comment(rehearsal_text(*recording.origin.rehearsal));
    std::optional<std::int64_t> last_us;
    for (const DeviceState& device : subject_.state.devices_of(subject_.options.device)) {
      comment("in use: " + device_name(device) + " " + moment_text(device));
      if (device.figures.last_time_us) last_us = std::max(last_us.value_or(0), *device.figures.last_time_us);
    }
    if (last_us) profile_.number(field::kTimeNanos, static_cast<std::uint64_t>(*last_us) * kNanosOfMicro);
  }

  const PprofSubject& subject_;
  const FrameTable& frames_;
  ProtobufWriter profile_;
  StringTable strings_;
  Locations locations_;
  TextLimit limit_;
  bool has_allocations_; ///< earlier allocations have stacks, and no keepers
};

} // namespace

void AllocationCounter::take(DeviceId device, std::span<const Event> events) {
  for (const Event& event : events)
    if (event.action == Action::alloc) sums_[{device, event.stack}] += {event.size_bytes, 1};
}

std::vector<Level> pprof_levels() {
  return {Level::device, Level::state, Level::kind};
}

std::string pprof_profile(const PprofSubject& subject) {
  return Profile(subject).written();
}

} // namespace memviz
