#pragma once

// The data of a timeline that its script needs in addition to the drawing: exact numbers of every slice, and the
// stacks. Numbers are differences from the one before, which are short.

#include "base/hash_map.hpp"
#include "page/naming.hpp"
#include "page/xml_writer.hpp"
#include "timeline/timeline_panel.hpp"
#include "timeline/timeline_scale.hpp"

#include "memviz/timeline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

/// The stacks of a picture, each one and each frame once.
class StackTable {
public:
  explicit StackTable(const FrameTable& frames)
      : frames_(frames), labels_(frames), frame_origins_(origins_of(frames)), has_omitted_name_(frames.string_count()),
        has_omitted_file_(has_omitted_name_) {}

  /// Its place in the table. Frames that PyTorch's own tools leave out are left out, and what lies far outside.
  std::uint32_t place_of(StackId stack);
  /// Elements "frame-names", a line a frame, with a letter a frame for whose code it is (u: the user's), and "stacks",
  /// a line a stack: places of frames, innermost first.
  void write(XmlElement parent) const;

private:
  /// Looks at each text once: a file may give one name of megabytes to all its frames.
  [[nodiscard]] bool is_left_out(FrameId frame);

  const FrameTable& frames_;
  FrameLabels labels_;
  std::vector<CodeOrigin> frame_origins_;             ///< by FrameId
  std::vector<std::optional<bool>> has_omitted_name_; ///< by StringId
  std::vector<std::optional<bool>> has_omitted_file_;
  HashMap<std::uint32_t, std::uint32_t> stack_places_;
  HashMap<std::uint32_t, std::uint32_t> frame_places_;
  std::string frame_names_;
  std::string origins_; ///< a letter a frame
  std::string stacks_;
};

/// The scales and slices of one panel, `top` pixels below that of the page, and reserved bytes as far as they are
/// known.
void write_panel_data(XmlElement panel, const PanelData& data, double top);

} // namespace memviz::render
