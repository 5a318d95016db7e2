#pragma once

// Lives and strips -> their names and colours in a timeline.

#include "page/line_hues.hpp"
#include "page/naming.hpp"
#include "timeline/timeline_layout.hpp"
#include "timeline/timeline_palette.hpp"

#include "memviz/timeline.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memviz::render {

struct Chart;

/// The user's own line of code, or a kind of memory, in words and in colour.
struct LineName {
  Label label;
  std::string text;      ///< the label on one line
  std::size_t index = 0; ///< of all drawn lines
  const Paint* paint = &paint::kNoStack;
};

/// A chart and the shapes that it is drawn as.
struct DrawnStack {
  const Chart& chart;
  const StackShapes& shapes;
};

/// Returns the lines that the charts draw, each with its area in half pixels times columns, the largest first.
[[nodiscard]] std::vector<std::pair<NodeKey, double>> lines_by_area(const std::vector<DrawnStack>& charts,
                                                                    const LifeLines& lines);
/// Returns the area of a shape, in half pixels times columns.
[[nodiscard]] double area_of(const TimelineShape& shape);

class LineNames {
public:
  /// Assigns names and hues. By kind, lines have no hues. Otherwise the chosen lines, or those above the main chart and
  /// the largest of those drawn, get a hue each; no line shares it.
  LineNames(const FrameTable& frames, const LifeLines& lines, const std::vector<DrawnStack>& charts,
            const ColourChoice& choice);

  /// Returns the name of a line that the charts draw, or that is one of the first kRankedRows holders of a chart; other
  /// lines have no colour.
  [[nodiscard]] const LineName& of(const NodeKey& line) const;
  /// Whether any line has this colour.
  [[nodiscard]] bool has_paint(const Paint& paint) const;
  /// Returns the labels of one list of lines, as from line_labels().
  [[nodiscard]] std::vector<Label> row_labels(const std::vector<NodeKey>& lines) const;
  [[nodiscard]] const LineName& of(DeviceId device, const Life& life) const { return of(lines_.line_of(device, life)); }

private:
  [[nodiscard]] Label label_of(const NodeKey& line);
  void add(const NodeKey& line);
  /// Returns the hues of the lines above the main chart and of the largest of those drawn.
  [[nodiscard]] LineHues own_hues(const std::vector<DrawnStack>& charts) const;
  void add_hues(const LineHues& hues);
  void add_origins();

  const LifeLines& lines_;
  FrameLabels labels_;
  const FrameTable& frames_;
  std::map<NodeKey, LineName> names_;
  std::vector<NodeKey> ranked_; ///< by LineName::index
};

/// "b7f064c000000_0"; a segment's begins with s.
[[nodiscard]] std::string address_name(const Band& band, bool is_segment);

/// "events 12 to 345 (333 events, 1.23 ms)", "from before the recording to event 3", "from event 12 to the end".
[[nodiscard]] std::string lifetime_text(const DeviceRecord& record, const Life& life);

} // namespace memviz::render
