#include "same_snapshot.hpp"

#include <algorithm>
#include <map>

namespace memviz::fuzz {
namespace {

class Comparer {
public:
  Comparer(const Recording& one, const Recording& other) : one_(one), other_(other) {}

  [[nodiscard]] bool same(StringId left, StringId right) const {
    return one_.frames.text(left) == other_.frames.text(right);
  }

  bool same(StackId left, StackId right) {
    const auto [entry, is_new] = stacks_.try_emplace({left, right}, false);
    if (is_new) entry->second = is_same_stack(left, right);
    return entry->second;
  }

  bool same(const Block& left, const Block& right) {
    return left.address == right.address && left.size_bytes == right.size_bytes &&
           left.requested_bytes == right.requested_bytes && left.state == right.state && same(left.stack, right.stack);
  }

  bool same(const Segment& left, const Segment& right) {
    return left.device == right.device && left.address == right.address && left.total_bytes == right.total_bytes &&
           left.stream == right.stream && left.pool == right.pool && left.is_expandable == right.is_expandable &&
           left.is_large == right.is_large && left.first_block == right.first_block &&
           left.block_count == right.block_count && left.uncovered_bytes == right.uncovered_bytes &&
           same(left.stack, right.stack);
  }

  bool same(const Event& left, const Event& right) {
    return left.action == right.action && left.address == right.address && left.size_bytes == right.size_bytes &&
           left.stream == right.stream && left.time_us == right.time_us && left.pool == right.pool &&
           same(left.action_text, right.action_text) && same(left.compile_context, right.compile_context) &&
           same(left.user_metadata, right.user_metadata) && same(left.stack, right.stack) &&
           same(left.forward_stack, right.forward_stack);
  }

  [[nodiscard]] bool same(const std::pair<StringId, StringId>& left, const std::pair<StringId, StringId>& right) const {
    return same(left.first, right.first) && same(left.second, right.second);
  }

  bool same(const Annotation& left, const Annotation& right) {
    return same(left.name, right.name) && same(left.stage, right.stage) && left.device == right.device &&
           left.time_us == right.time_us && all_same(left.metadata, right.metadata);
  }

  [[nodiscard]] bool same(const DeclaredMemory& left, const DeclaredMemory& right) const {
    return left.device == right.device && left.address == right.address && left.size_bytes == right.size_bytes &&
           left.kind == right.kind && same(left.name, right.name);
  }

  [[nodiscard]] bool same(const KeeperObject& left, const KeeperObject& right) const {
    return left.kind == right.kind && left.line == right.line && left.items == right.items &&
           left.hidden_tensors == right.hidden_tensors && same(left.name, right.name) && same(left.file, right.file);
  }

  [[nodiscard]] bool same(const KeeperReference& left, const KeeperReference& right) const {
    return left.from == right.from && left.to == right.to && left.how == right.how && left.index == right.index &&
           same(left.label, right.label);
  }

  [[nodiscard]] bool same(const CodePlace& left, const CodePlace& right) const {
    return left.root == right.root && left.how == right.how && left.line == right.line &&
           same(left.variable, right.variable) && same(left.function, right.function) && same(left.file, right.file);
  }

  [[nodiscard]] bool same(const KeeperGraph& left, const KeeperGraph& right) {
    return left.is_recorded == right.is_recorded && left.limit == right.limit && left.walk_ms == right.walk_ms &&
           left.walked_objects == right.walked_objects && left.unreadable_objects == right.unreadable_objects &&
           left.roots == right.roots && left.storages == right.storages && all_same(left.objects, right.objects) &&
           all_same(left.references, right.references) && all_same(left.places, right.places);
  }

  template <class Items, class OtherItems> bool all_same(const Items& left, const OtherItems& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!same(left[i], right[i])) return false;
    }
    return true;
  }

private:
  [[nodiscard]] bool is_same_stack(StackId left, StackId right) const {
    // Two of them are special, and both are empty.
    if ((left == kNoContext) != (right == kNoContext)) return false;
    const auto frames = one_.frames.stack(left);
    const auto others = other_.frames.stack(right);
    return std::equal(frames.begin(), frames.end(), others.begin(), others.end(),
                      [&](FrameId frame, FrameId other) { return is_same_frame(frame, other); });
  }

  [[nodiscard]] bool is_same_frame(FrameId left, FrameId right) const {
    const FxInfo* fx = one_.frames.fx(left);
    const FxInfo* other_fx = other_.frames.fx(right);
    if ((fx == nullptr) != (other_fx == nullptr)) return false;
    if (fx != nullptr &&
        !(same(fx->node_op, other_fx->node_op) && same(fx->node_name, other_fx->node_name) &&
          same(fx->node_target, other_fx->node_target) && same(fx->original_trace, other_fx->original_trace)))
      return false;
    const Frame& frame = one_.frames.frame(left);
    const Frame& other_frame = other_.frames.frame(right);
    return same(frame.name, other_frame.name) && same(frame.filename, other_frame.filename) &&
           frame.line == other_frame.line;
  }

  const Recording& one_;
  const Recording& other_;
  std::map<std::pair<StackId, StackId>, bool> stacks_;
};

} // namespace

std::string difference(const Recording& one, const Recording& other) {
  Comparer comparer(one, other);
  if (!comparer.all_same(one.end.segments, other.end.segments)) return "segments";
  if (!comparer.all_same(one.end.blocks, other.end.blocks)) return "blocks";
  if (!comparer.all_same(one.annotations, other.annotations)) return "annotations";
  if (!comparer.all_same(one.settings, other.settings)) return "settings";
  if (one.event_counts != other.event_counts) return "event counts";
  if (one.trace_overflowed != other.trace_overflowed) return "trace_overflowed";
  if (one.trace_max_entries != other.trace_max_entries) return "trace_max_entries";
  if (one.origin.encoding != other.origin.encoding) return "encoding";
  if (one.origin.generation != other.origin.generation) return "generation";
  if (one.origin.signs.is_list != other.origin.signs.is_list || one.origin.device_kind != other.origin.device_kind)
    return "origin";
  if (one.origin.rehearsal.has_value() != other.origin.rehearsal.has_value()) return "rehearsal";
  if (one.origin.rehearsal && one.origin.rehearsal->total_bytes != other.origin.rehearsal->total_bytes)
    return "total bytes of the rehearsal"; // its other words are in the warnings
  if (!comparer.all_same(one.declared, other.declared)) return "declared memory";
  if (!std::ranges::equal(one.measured, other.measured)) return "measured devices";
  if (!comparer.same(one.keepers, other.keepers)) return "keepers";
  if (one.warnings != other.warnings) return "warnings";
  return {};
}

std::string difference(const Recording& reference, const Recording& streamed,
                       const ByDevice<std::vector<Event>>& events) {
  if (std::string found = difference(reference, streamed); !found.empty()) return found;
  Comparer comparer(reference, streamed);
  if (events.size() != reference.traces.size()) return "number of devices with events";
  for (const auto& [device, stored] : reference.traces) {
    const std::vector<Event>* const taken = events.find(device);
    if (taken == nullptr || stored.size() != taken->size())
      return "number of events of device " + std::to_string(device.value);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (!comparer.same(stored[i], (*taken)[i]))
        return "event " + std::to_string(i) + " of device " + std::to_string(device.value);
    }
  }
  return {};
}

} // namespace memviz::fuzz
