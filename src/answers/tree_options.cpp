#include "answers/tree_options.hpp"

#include "answers/choice.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

Choices<Level> level_choices() {
  return {{"device", Level::device},     {"pool", Level::pool},       {"stream", Level::stream},
          {"segment", Level::segment},   {"state", Level::state},     {"annotation", Level::annotation},
          {"metadata", Level::metadata}, {"compile", Level::compile}, {"kind", Level::kind},
          {"keeper", Level::keeper}};
}

std::vector<Level> levels_of(std::string_view list) {
  std::vector<Level> levels;
  while (true) {
    const std::size_t comma = list.find(',');
    const auto level = chosen<Level>("group", list.substr(0, comma), level_choices());
    if (std::ranges::find(levels, level) != levels.end())
      throw UsageError(fmt::format("--group names '{}' twice", list.substr(0, comma)));
    levels.push_back(level);
    if (comma == std::string_view::npos) return levels;
    list.remove_prefix(comma + 1);
  }
}

void refuse_both(const TreeChoice& choice) {
  if (choice.view && choice.group) throw UsageError("--group and --view exclude each other");
}

} // namespace

Option<TreeChoice> view_option(std::string help) {
  const Choices<TreeView> views{{"memory", TreeView::memory}, {"segments", TreeView::segments}};
  return {with_words({"view", '\0', "NAME", std::move(help)}, words_of(views)),
          [views](TreeChoice& choice, const std::string& word) {
            choice.view = chosen<TreeView>("view", word, views);
            refuse_both(choice);
          }};
}

Option<TreeChoice> by_option() {
  return one_of<TreeChoice, TreeBy, TreeBy>(
      {"by", '\0', "WHAT",
       "stack: by the stack that allocated memory (default); keeper: by the variable that refers to it, with its "
       "path in Python, at the end of a recording that has keepers (docs/keepers.md)"},
      &TreeChoice::by, {{"stack", TreeBy::stack}, {"keeper", TreeBy::keeper}});
}

OptionList<TreeChoice> tree_options() {
  return {
      {list_of(
           {"group", '\0', "LIST",
            "any other order of levels above the stacks: device, pool, stream, segment, state, annotation (the "
            "record_function that was open), metadata (what torch.cuda.memory._set_memory_metadata set), compile (the "
            "region of torch.compile), kind (parameter, gradient, activation, ...; docs/kinds.md), keeper (the "
            "variable "
            "that refers to it; docs/keepers.md), separated by commas; "
            "instead of --view. If the file has pinned host memory as well as GPUs, device comes first"},
           words_of(level_choices())),
       [](TreeChoice& choice, const std::string& word) {
         choice.group = levels_of(word);
         refuse_both(choice);
       }},
      one_of<TreeChoice, std::optional<FrameFilter>, FrameFilter>(
          {"frames", '\0', "SET",
           "which frames of a stack to keep. program (default): all except the interpreter's own and those that "
           "PyTorch's tools omit; filtered: all except those that PyTorch's tools omit; user: your own code; python; "
           "all"},
          &TreeChoice::frames,
          {{"program", FrameFilter::program},
           {"filtered", FrameFilter::filtered},
           {"user", FrameFilter::user},
           {"python", FrameFilter::python},
           {"all", FrameFilter::all}}),
      verbatim(
          {"focus", '\0', "RE", "only stacks with a frame that matches this regular expression; the rest is one box"},
          &TreeChoice::focus),
      rare(verbatim({"hide", '\0', "RE", "remove matching frames from their stacks"}, &TreeChoice::hide)),
  };
}

} // namespace memviz
