#pragma once

// Lives -> what a timeline calls them, and their colour.

#include "page/naming.hpp"
#include "timeline/timeline_palette.hpp"

#include "memviz/flame.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace memviz::render {

/// The user's own line of a stack, in words and in colour.
struct LineName {
  Label label;
  std::string text; ///< the label on one line
  const Paint* paint = nullptr;
};

class LineNames {
public:
  /// The lines of `holders`, largest first, get hues of their own.
  LineNames(const FrameTable& frames, const std::vector<Holder>& holders);

  [[nodiscard]] const LineName& of(StackId stack) const;
  [[nodiscard]] LineName of(const NodeKey& key) const;
  /// Of a stream and pool, in words.
  [[nodiscard]] LineName of_place(const std::string& place) const;

private:
  const FrameTable& frames_;
  LineHues hues_;
  mutable UserLineFinder finder_;
  mutable std::unordered_map<std::uint32_t, LineName> by_stack_;
};

/// "b7f064c000000_0"; a segment's begins with s.
[[nodiscard]] std::string address_name(const Band& band, bool is_segment);

/// "events 12 to 345 (333 events, 1.23 ms)", "from before the recording to event 3", "from event 12 to the end".
[[nodiscard]] std::string lifetime_text(const DeviceRecord& record, const Life& life);

/// "19.5 MiB (20,447,232 bytes)"
[[nodiscard]] std::string both_bytes(std::uint64_t bytes);

} // namespace memviz::render
