#include "memviz/svg.hpp"

#include "web/embedded.hpp"

namespace memviz {

std::vector<std::string_view> fixed_texts() {
  return {render::kFlameScript, render::kPageScript, render::kStateScript,  render::kTimelineScript,
          render::kPageStyle,   render::kStateStyle, render::kTimelineStyle};
}

} // namespace memviz
