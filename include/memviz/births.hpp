#pragma once

// Blocks of a state -> how each came to be: when it was allocated, how often its address was used before, and what the
// program said of it. A replay keeps only which event that was, so that it needs little memory; this looks at the
// events once more, for a picture that tells of every block.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

struct BlockBirth {
  std::uint64_t earlier_uses = 0;      ///< of its address, in the recording: the number in "b7f064c000000_0"
  std::optional<std::int64_t> time_us; ///< of the event that allocated it; absent where it is not recorded or has none
  StringId user_metadata;              ///< of that event
  StringId compile_context;
  StackId forward_stack = kNoFrames; ///< as in Event
  StringId internal_metadata = {};
  /// The texts of the `annotate` events of this allocation, in the order of the file: each once, and at most
  /// kMostAnnotations. Those after the moment count, too: they say what it is.
  std::vector<StringId> annotations = {};

  static constexpr std::size_t kMostAnnotations = 8;
};

/// Takes all events of the file whose state this is. Memory proportional to the blocks of that state.
class BirthFinder final : public EventSink {
public:
  /// `snapshot` has the blocks that `replay` tells the events of; both must outlive this object.
  BirthFinder(const MemoryState& state);
  ~BirthFinder() override;
  BirthFinder(const BirthFinder&) = delete;
  BirthFinder& operator=(const BirthFinder&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// By block index. A block without a recorded alloc is the first use of its address. Throws Error where a text is
  /// none of the recording: the events were others than those that it was made of.
  [[nodiscard]] const std::vector<BlockBirth>& births() const;

private:
  struct OfDevice;
  void take(OfDevice& of_device, std::uint64_t index, const Event& event, std::uint64_t block);

  const MemoryState& state_;
  ByDevice<std::unique_ptr<OfDevice>> devices_; ///< those with a block that has a recorded alloc
  std::vector<BlockBirth> births_;
  std::vector<bool> is_alive_; ///< by block index: whether the events are within its life
};

} // namespace memviz
