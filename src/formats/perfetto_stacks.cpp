#include "memviz/perfetto.hpp"

#include "base/hash_map.hpp"
#include "base/printable.hpp"
#include "export/text_limit.hpp"
#include "formats/perfetto_time.hpp"
#include "formats/protobuf_writer.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kPacketBytes = std::size_t{1} << 16U; ///< of a packet: a trace has many small ones

/// A name without quotes and colons: Perfetto's page puts it into SQL.
std::string_view heap_name(MomentKind kind) {
  if (kind == MomentKind::peak) return "live at the peak";
  return kind == MomentKind::oom ? "live at the out-of-memory error" : "live at the end";
}

/// Returns a process for each moment of each device. Perfetto has one heap profile of a process, of which a later dump
/// adds to an earlier one. Linux numbers processes up to 2^22: no trace that is merged with this one has a process of
/// these numbers.
std::uint64_t process_of(std::size_t device_index, MomentKind kind) {
  constexpr std::uint64_t kFirst = 10'000'000;
  constexpr std::uint64_t kMoments = 4;
  return kFirst + kMoments * device_index + static_cast<std::uint64_t>(kind);
}

/// Returns when a device's moment is, on the axis of its counters, on which events without times are a microsecond
/// each.
std::int64_t time_of(const DeviceState& device) {
  if (device.moment.time_us) return *device.moment.time_us;
  const DeviceFigures& figures = device.figures;
  if (figures.first_time_us) return device.moment.is_end() ? *figures.last_time_us : *figures.first_time_us;
  const std::uint64_t events = device.moment.is_end() ? figures.events : device.moment.event.count();
  return static_cast<std::int64_t>(events == 0 ? 0 : events - 1);
}

/// Frames, their functions and files, each written on first use: fields of InternedData, with numbers from 1.
class InternedFrames {
public:
  InternedFrames(const FrameTable& frames, TextLimit& limit)
      : frames_(frames), limit_(limit), by_frame_(frames.frame_count()) {}

  [[nodiscard]] std::uint64_t of(FrameId id) {
    std::uint64_t& known = by_frame_[id.value];
    const std::string_view file = frames_.filename(id);
    if (known == 0) known = add(node_label(frames_, id), file == "??" ? "" : safe_line(file));
    return known;
  }
  [[nodiscard]] std::uint64_t of(Pseudo reason) {
    const auto added = by_reason_.add(reason, 0);
    if (added.is_new) added.value = add(node_label(frames_, reason), "");
    return added.value;
  }
  /// Returns the number of a stack of frames, outermost first.
  [[nodiscard]] std::uint64_t add_stack(const std::vector<std::uint64_t>& outermost_first) {
    ProtobufWriter stack;
    stack.number(1, ++stacks_);
    for (const std::uint64_t frame : outermost_first)
      stack.number(2, frame);
    write(7, stack);
    return stacks_;
  }

  [[nodiscard]] std::size_t size() const { return written_.bytes().size(); }
  [[nodiscard]] ProtobufWriter take() { return std::exchange(written_, {}); }

private:
  /// A frame's address is its number, so that no two are one.
  [[nodiscard]] std::uint64_t add(std::string_view function, std::string_view file) {
    const std::uint64_t id = ++count_;
    write(5, ProtobufWriter().number(1, id).text(2, function));
    write(6, ProtobufWriter().number(1, id).number(2, id).number(3, mapping_of(file)).number(4, id));
    return id;
  }
  /// Perfetto has no file of a frame, but that of the code in memory, whose path it begins with a slash.
  [[nodiscard]] std::uint64_t mapping_of(std::string_view file) {
    const auto added = mappings_.add(std::string(file), mappings_.size() + 1);
    if (!added.is_new) return added.value;
    ProtobufWriter mapping;
    mapping.number(1, added.value);
    if (!file.empty()) {
      write(17, ProtobufWriter().number(1, added.value).text(2, file.substr(file.starts_with('/') ? 1 : 0)));
      mapping.number(7, added.value);
    }
    write(19, mapping);
    return added.value;
  }
  void write(std::uint32_t field, const ProtobufWriter& message) {
    limit_.add(message.bytes().size());
    written_.message(field, message);
  }

  const FrameTable& frames_;
  TextLimit& limit_;
  std::vector<std::uint64_t> by_frame_; ///< 0: not used yet
  HashMap<Pseudo, std::uint64_t> by_reason_;
  HashMap<std::string, std::uint64_t> mappings_;
  std::uint64_t count_ = 0;
  std::uint64_t stacks_ = 0;
  ProtobufWriter written_;
};

/// The stacks of one moment, as a sequence of packets.
class StackPackets {
public:
  StackPackets(const PerfettoStacks& subject, const TextSink& write)
      : subject_(subject), write_(write), limit_(subject.state.recording->origin.size_bytes, kAdvice),
        frames_(subject.state.frames(), limit_) {}

  void write() {
    TreeOptions options = subject_.options;
    options.levels = {Level::device, Level::state};
    const FrameTree tree = build_frame_tree(subject_.state, options);
    const std::span<const DeviceState> devices = subject_.state.devices_of(options.device);
    for (const DeviceState& device : devices)
      if (device.moment.kind == subject_.kind) last_ns_ = std::max(last_ns_, perfetto_nanos(time_of(device)));
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (devices[i].moment.kind == subject_.kind) write_device(devices[i], i, tree);
    if (packets_ != 0) write_packet(ProtobufWriter()); // the last one, which is not continued
  }

private:
  static constexpr std::string_view kAdvice = "--frames user or --hide write less";

  void write_device(const DeviceState& device, std::size_t index, const FrameTree& tree) {
    const std::uint64_t process = process_of(index, subject_.kind);
    write_process(process, device_name(device) + ", " + std::string(heap_name(subject_.kind)));
    const auto head = [&] {
      return ProtobufWriter()
          .number(1, process)
          .number(9, perfetto_nanos(time_of(device)))
          .text(11, heap_name(subject_.kind))
          .number(12, 1);
    };
    ProtobufWriter dump = head();
    const std::vector<bool> is_live = live_nodes(tree, device.device);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Amount& self = tree.nodes[i].self;
      if (!is_live[i] || self.bytes == 0) continue;
      dump.message(2, ProtobufWriter()
                          .number(1, frames_.add_stack(path_to(tree, i)))
                          .number(2, self.bytes)
                          .number(5, std::max<std::uint64_t>(self.blocks, 1)));
      if (dump.bytes().size() + frames_.size() < kPacketBytes) continue;
      write_packet(ProtobufWriter().message(5, dump).number(6, 1));
      dump = head();
    }
    write_packet(ProtobufWriter().message(5, dump).number(6, 1));
  }

  /// Names a process, by a track of its number.
  void write_process(std::uint64_t process, std::string_view name) {
    const ProtobufWriter track =
        ProtobufWriter().number(1, process).message(3, ProtobufWriter().number(1, process).text(6, name));
    write_(ProtobufWriter().message(1, ProtobufWriter().number(10, 1).message(60, track)).bytes());
  }

  /// Returns the nodes of a device at which requested bytes end: neither free memory nor rounding.
  [[nodiscard]] static std::vector<bool> live_nodes(const FrameTree& tree, DeviceId device) {
    std::vector<bool> is_live(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const auto& node = tree.nodes[i];
      if (const auto* const of = std::get_if<DeviceKey>(&node.key)) {
        is_live[i] = of->device == device;
        continue;
      }
      const bool is_free = node.key == NodeKey(BlockState::inactive) || node.key == NodeKey(Pseudo::gaps) ||
                           node.key == NodeKey(Pseudo::unaccounted);
      is_live[i] = !is_free && node.parent != kNoNode && is_live[node.parent.value];
    }
    return is_live;
  }

  [[nodiscard]] std::vector<std::uint64_t> path_to(const FrameTree& tree, std::size_t node) {
    std::vector<std::uint64_t> path;
    for (NodeId id{static_cast<std::uint32_t>(node)}; id != kNoNode; id = tree[id].parent) {
      if (const auto* const frame = std::get_if<FrameId>(&tree[id].key)) path.push_back(frames_.of(*frame));
      if (const auto* const reason = std::get_if<Pseudo>(&tree[id].key)) path.push_back(frames_.of(*reason));
      // The names of one stack can be long.
      if (frames_.size() > kPacketBytes) write_packet(ProtobufWriter().number(6, 1));
    }
    std::ranges::reverse(path);
    return path;
  }

  /// Writes a part of the profile after the frames that it needs. Perfetto sorts packets by their times, so those of a
  /// sequence have one.
  void write_packet(ProtobufWriter profile) {
    constexpr std::uint64_t kFirstOfSequence = 1;
    constexpr std::uint64_t kNeedsThoseBefore = 2;
    const std::uint64_t flags = packets_ == 0 ? kFirstOfSequence | kNeedsThoseBefore : kNeedsThoseBefore;
    ProtobufWriter packet;
    packet.number(8, last_ns_)
        .number(10, 2 + static_cast<std::uint64_t>(subject_.kind)) // 1 has the counters
        .message(12, frames_.take())
        .number(13, flags)
        .message(37, profile.number(7, packets_++));
    write_(ProtobufWriter().message(1, packet).bytes());
  }

  const PerfettoStacks& subject_;
  const TextSink& write_;
  TextLimit limit_;
  InternedFrames frames_;
  std::uint64_t last_ns_ = 0; ///< of the devices' moments
  std::uint64_t packets_ = 0;
};

} // namespace

void write_perfetto_stacks(const PerfettoStacks& subject, const TextSink& write) {
  StackPackets(subject, write).write();
}

} // namespace memviz
