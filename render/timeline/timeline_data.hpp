#pragma once

// The data of a timeline that its script needs in addition to the drawing: exact numbers of every slice, and the
// stacks. Numbers are differences from the previous one, which are short.

#include "base/hash_map.hpp"
#include "page/keeper_texts.hpp"
#include "page/naming.hpp"
#include "page/shown_frames.hpp"
#include "page/xml_writer.hpp"
#include "timeline/timeline_panel.hpp"
#include "timeline/timeline_scale.hpp"

#include "memviz/timeline.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::render {

/// The stacks of a picture, each stack and each frame once.
class StackTable {
public:
  explicit StackTable(const FrameTable& frames) : shown_(frames), labels_(frames), frame_origins_(origins_of(frames)) {}

  /// Returns its index in the table, which has only the shown frames, up to the maximum depth.
  std::uint32_t place_of(StackId stack);
  /// Writes the elements "frame-names", one line per frame, with one letter per frame for its origin (u: the user's),
  /// and "stacks", one line per stack: indices of frames, innermost first.
  void write(XmlElement parent) const;

private:
  ShownFrames shown_;
  FrameLabels labels_;
  std::vector<CodeOrigin> frame_origins_; ///< by FrameId
  HashMap<std::uint32_t, std::uint32_t> stack_places_;
  HashMap<std::uint32_t, std::uint32_t> frame_places_;
  std::string frame_names_;
  std::string origins_; ///< one letter per frame
  std::string stacks_;
};

/// The texts about the keepers of bands, each once.
class BandKeepers {
public:
  /// Both must outlive this object.
  BandKeepers(const FrameTable& frames, const EndKeepers& keepers)
      : frames_(frames), keepers_(keepers), texts_(frames, keepers.table()) {}

  /// Returns the number of the text about a life, and item_numbers(): "5:3".
  [[nodiscard]] std::string numbers_of(DeviceId device, const Life& life);
  /// Writes the element "keepers": the texts, with a blank line between two.
  void write(XmlElement parent) const;

private:
  const FrameTable& frames_;
  const EndKeepers& keepers_;
  KeeperTexts texts_;
};

/// Writes the scales and slices of one panel, `top` pixels below that of the page, and reserved bytes as far as they
/// are known.
void write_panel_data(XmlElement panel, const PanelData& data, double top);

} // namespace memviz::render
