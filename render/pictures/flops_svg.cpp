#include "memviz/svg.hpp"
#include "story/flops_words.hpp"

#include "graph/budget.hpp"
#include "graph/describe.hpp"
#include "graph/graph_view.hpp"
#include "page/header.hpp"
#include "page/legend.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/ranked_list.hpp"

#include "memviz/flops_modules.hpp"
#include "memviz/flops_tree.hpp"
#include "memviz/format.hpp"
#include "story/picture_words.hpp"

#include <fmt/format.h>

namespace memviz {
namespace render {
namespace {

std::vector<Figure> figures_of(const ModelFlops& model) {
  const std::uint64_t forward = model.flops.value.value_or(0);
  std::vector<Figure> figures{{"Forward", format_flops(forward)},
                              {"Backward", format_flops(2 * forward), FigureTone::plain, "twice forward"},
                              {"Parameters", format_bytes(model.parameter_bytes)}};
  if (model.saved_bytes.value)
    figures.push_back(
        {"Kept for backward", format_bytes(*model.saved_bytes.value), FigureTone::plain, "in addition to parameters"});
  return figures;
}

std::vector<LegendEntry> legend_of(const FlameGraph& graph) {
  std::vector<LegendEntry> entries{{&paint::kUser, "your modules"},
                                   {&paint::kTorch, "torch's modules"},
                                   {&paint::kCpp, "operators"},
                                   {&paint::kSmaller, "merged small boxes"}};
  std::erase_if(entries, [&](const LegendEntry& entry) {
    return std::ranges::none_of(graph.boxes, [&](const GraphBox& box) { return box.paint->name == entry.paint->name; });
  });
  return entries;
}

std::string name_of(const ModuleRow& row) {
  return row.path.empty() ? "the model itself" : row.path;
}

std::string title_of(const ModuleRow& row) {
  std::string title = fmt::format("{} {}\n{}", name_of(row), row.type, format_exact_flops(row.own_flops));
  if (row.count > 1) title += fmt::format("\n{}", format_counted(row.count, "module"));
  if (row.parameter_bytes > 0) title += fmt::format("\n{} of parameters", format_bytes(row.parameter_bytes));
  if (row.saved_bytes > 0) title += fmt::format("\n{} kept for backward", format_bytes(row.saved_bytes));
  return title;
}

/// Ranks by the operations directly in each module, so that nothing counts twice.
RankedList ranked_list(const ModelFlops& model) {
  std::vector<ModuleRow> rows = module_rows(model);
  std::erase_if(rows, [](const ModuleRow& row) { return row.own_flops == 0; });
  std::ranges::stable_sort(
      rows, [](const ModuleRow& left, const ModuleRow& right) { return left.own_flops > right.own_flops; });
  RankedList list;
  list.heading = "Most expensive modules, without their submodules";
  for (const ModuleRow& row : rows) {
    if (list.rows.size() == kRankedRows) break;
    RankedRow line{};
    line.value = format_flops(row.own_flops);
    line.bar_bytes = row.own_flops;
    line.share = format_percent(row.own_flops, model.flops.value.value_or(0));
    line.label = {.name = name_of(row), .place = row.type};
    line.note = row.saved_bytes > 0 ? format_bytes(row.saved_bytes) + " kept" : "";
    line.title = title_of(row);
    line.paint = row.is_torch ? &paint::kTorch : &paint::kUser;
    list.rows.push_back(std::move(line));
  }
  if (rows.size() > list.rows.size())
    list.rest = fmt::format("and {}", format_counted(rows.size() - list.rows.size(), "more module"));
  if (list.rows.empty()) list.rest = kNoProducts;
  return list;
}

/// The contents of the picture.
struct FlopsPicture {
  const std::string& file;
  const ModelFlops& model;
  const FlopsTree& tree;
  const FrameWords& words;
};

std::string draw(const FlopsPicture& picture, const SvgOptions& options, const Layout<Amount>& layout) {
  const ModelFlops& model = picture.model;
  const std::string headline = flops_headline(model);
  const std::string answer = flops_answer(model);
  Page page(options, fmt::format("{}: {}. {}", picture.file, headline, answer));
  double y = draw_headline(page, headline);
  if (!answer.empty()) y = draw_answer(page, y, answer);
  y = draw_facts(page, y, picture.file, flops_facts(model)) + 10;
  y = draw_figures(page, y, figures_of(model)) + 10;
  if (layout.units > 0) {
    FlameGraph graph = describe(picture.words, picture.tree.tree, layout);
    graph.boxes.front().label.name = "forward pass";
    y = draw_legend(page, y, legend_of(graph), "width = operations, modules above what they call");
    draw_narrow_head(page, y, {.headline = headline, .answer = answer});
    y = draw_graph(page, y, graph, options) + 22;
  } else {
    page.begin_below_graph();
  }
  add_rule(page.below_graph(), y);
  y = draw_ranked_list(page, y + 14, ranked_list(model));
  add_rule(page.below_graph(), y + 4);
  return page.finish(draw_signature(page, draw_notes(page, y + 14, flops_picture_notes(model))));
}

} // namespace
} // namespace render

std::string flops_svg(const std::string& file, const ModelFlops& model, const SvgOptions& options) {
  const FlopsTree tree = flops_tree(model);
  const render::FramePaints paints(tree.frames, tree.origins);
  const render::FrameWords words{tree.frames, tree.origins, paints, render::Quantity::work};
  return render::draw_within_budget(tree.tree, tree.frames, tree.origins, options,
                                    [&](const render::Layout<Amount>& layout) {
                                      return render::draw({file, model, tree, words}, options, layout);
                                    });
}

} // namespace memviz
