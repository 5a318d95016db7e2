#include "memviz/svg.hpp"

#include "script/embedded.hpp"

namespace memviz {

std::vector<std::string_view> fixed_texts() {
  return {render::kScript,        render::kStyle,       render::kPageScript, render::kTimelineScript,
          render::kTimelineStyle, render::kStateScript, render::kStateStyle};
}

} // namespace memviz
