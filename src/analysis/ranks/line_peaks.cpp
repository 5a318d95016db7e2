#include "memviz/line_peaks.hpp"

#include "analysis/kinds/stack_class.hpp"
#include "base/number_map.hpp"
#include "memviz/flame.hpp"

#include <algorithm>
#include <vector>

namespace memviz {

struct LinePeaks::Known {
  explicit Known(const FrameTable& frames) : finder(frames), classes(frames) {}

  /// An allocation's line and size are found by its number.
  struct Live {
    std::uint32_t line = 0;
    std::uint64_t size_bytes = 0;
  };
  struct Line {
    std::uint64_t live_bytes = 0;
    std::uint64_t peak_bytes = 0;
  };
  struct OfDevice {
    NumberMap by_address; ///< an index of `live`
    std::vector<Live> live;
    std::vector<std::uint64_t> unused; ///< indices of `live`
    std::vector<Line> lines;           ///< by number of the line

    void add(std::uint64_t address, const Live& made);
    void remove(std::uint64_t address);
    void end(std::uint64_t index);
  };

  [[nodiscard]] std::uint32_t number_of(StackId stack);

  UserLineFinder finder;
  StackClasses classes;
  std::map<NodeKey, std::uint32_t> numbers;
  std::vector<bool> are_communication; ///< by number of the line
  std::vector<std::uint32_t> by_stack; ///< the number plus one; 0: not looked up
  std::map<DeviceId, OfDevice> devices;
};

void LinePeaks::Known::OfDevice::end(std::uint64_t index) {
  const Live& gone = live[static_cast<std::size_t>(index)];
  lines[gone.line].live_bytes -= gone.size_bytes;
  unused.push_back(index);
}

void LinePeaks::Known::OfDevice::add(std::uint64_t address, const Live& made) {
  if (made.line >= lines.size()) lines.resize(made.line + std::size_t{1});
  std::uint64_t index = live.size();
  if (unused.empty()) {
    live.push_back(made);
  } else {
    index = unused.back();
    unused.pop_back();
    live[static_cast<std::size_t>(index)] = made;
  }
  // A second alloc at a live address: the free in between is not in the trace.
  if (const auto lost = by_address.insert(address, index)) end(*lost);
  Line& line = lines[made.line];
  line.live_bytes += made.size_bytes;
  line.peak_bytes = std::max(line.peak_bytes, line.live_bytes);
}

void LinePeaks::Known::OfDevice::remove(std::uint64_t address) {
  if (const auto index = by_address.remove(address)) end(*index);
}

std::uint32_t LinePeaks::Known::number_of(StackId stack) {
  if (stack.value >= by_stack.size()) by_stack.resize(stack.value + std::size_t{1});
  std::uint32_t& known = by_stack[stack.value];
  if (known != 0) return known - 1;
  const auto [entry, is_new] = numbers.try_emplace(finder.line_of(stack), static_cast<std::uint32_t>(numbers.size()));
  if (is_new) {
    const StackClass its_class = classes.of(stack);
    are_communication.push_back(its_class == StackClass::communication || its_class == StackClass::bucket);
  }
  known = entry->second + 1;
  return entry->second;
}

LinePeaks::LinePeaks() = default;
LinePeaks::~LinePeaks() = default;

void LinePeaks::begin(const FrameTable& frames) {
  known_ = std::make_unique<Known>(frames);
}

void LinePeaks::restart() {
  if (known_ != nullptr) known_->devices.clear();
}

void LinePeaks::take(DeviceId device, std::span<const Event> events) {
  Known::OfDevice& own = known_->devices[device];
  for (const Event& event : events) {
    if (event.action == Action::alloc)
      own.add(event.address, {known_->number_of(event.stack), event.size_bytes});
    else if (event.action == Action::free_completed)
      own.remove(event.address);
  }
}

std::map<NodeKey, LinePeak> LinePeaks::of(DeviceId device) const {
  std::map<NodeKey, LinePeak> peaks;
  if (known_ == nullptr) return peaks;
  const auto own = known_->devices.find(device);
  if (own == known_->devices.end()) return peaks;
  for (const auto& [line, number] : known_->numbers)
    if (number < own->second.lines.size())
      peaks.emplace(line, LinePeak{own->second.lines[number].peak_bytes, known_->are_communication[number]});
  return peaks;
}

} // namespace memviz
