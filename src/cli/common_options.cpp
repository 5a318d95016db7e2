#include "cli/common_options.hpp"

#include "cli/choice.hpp"
#include "cli/numbers.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace memviz::cli {

namespace {

Level level_of(std::string_view word) {
  return chosen<Level>("group", word,
                       {{"device", Level::device},
                        {"pool", Level::pool},
                        {"stream", Level::stream},
                        {"segment", Level::segment},
                        {"state", Level::state}});
}

std::vector<Level> levels_of(std::string_view list) {
  std::vector<Level> levels;
  while (true) {
    const std::size_t comma = list.find(',');
    const Level level = level_of(list.substr(0, comma));
    if (std::find(levels.begin(), levels.end(), level) != levels.end())
      throw UsageError(fmt::format("--group names '{}' twice", list.substr(0, comma)));
    levels.push_back(level);
    if (comma == std::string_view::npos) return levels;
    list.remove_prefix(comma + 1);
  }
}

FrameFilter frames_of(const Arguments& arguments) {
  return chosen<FrameFilter>("frames", arguments.value("frames").value_or("filtered"),
                             {{"filtered", FrameFilter::filtered},
                              {"user", FrameFilter::user},
                              {"python", FrameFilter::python},
                              {"all", FrameFilter::all}});
}

} // namespace

Option device_option() {
  return {"device", '\0', "N|all", "only this device (default: all)"};
}

Option size_option(std::string_view how) {
  return {"max-size", '\0', "SIZE",
          fmt::format("{} until the file is no larger, for example 500K or 1MiB (default: 2M)", how)};
}

std::vector<Option> tree_options() {
  return {
      {"group", '\0', "LIST",
       "any other order of levels above the stacks: device, pool, stream, segment, state, "
       "separated by commas; instead of --view"},
      {"frames", '\0', "SET",
       "which frames of a stack to keep. filtered: all but what PyTorch's own tools leave out "
       "(default); user: your own code; python; all"},
      {"focus", '\0', "RE", "only stacks with a frame that matches this regular expression; the rest is one box"},
      {"hide", '\0', "RE", "leave frames that match out of their stacks"},
  };
}

std::vector<Option> picture_options() {
  return joined(
      {picture_format_options(),
       {
           {"upward", '\0', "", "root at the bottom, stacks growing up"},
           {"no-fold", '\0', "",
            "draw every frame as its own box; by default runs of frames that are not your own are "
            "folded into one (--frames all never folds)"},
           size_option("merge small boxes"),
           {"min-percent", '\0', "P", "merge boxes narrower than P percent of the picture into one for each parent"},
       }});
}

std::vector<Option> redact_options() {
  return {
      {"redact", '\0', "WHAT",
       "hide what the snapshot says of your code, so that the result can be published. paths: folders and files; "
       "names: functions, classes, modules, annotations and metadata; all: both, free text in settings, and the "
       "snapshot's own name; everything: also what only looks public. Pseudonyms are the same in every run. Up to all, "
       "Python, torch and widely known packages keep their names, and so does what looks like them: forks inside of "
       "site-packages/torch or megatron, files below lib/python3.N, /torch/csrc/ or /usr/include/, C++ inside of at, "
       "torch, cuda, jit or std, special methods, metadata without letters. Not hidden: sizes, times, addresses, "
       "counts, line numbers, the shape of stacks. Regular expressions "
       "see pseudonyms"},
      {"redact-key", '\0', "TEXT",
       "makes the pseudonyms depend on this text, too; without it, whoever guesses a name can check the guess"},
  };
}

std::vector<Option> general_options() {
  return {
      {"threads", '\0', "N", "threads that decode the file (default: the processors there are, at most 4)"},
      {"max-memory", '\0', "SIZE",
       "fail cleanly instead of taking more memory than this, for example 500M or 2GiB; the snapshot itself, where it "
       "is a plain file, does not count (default: no limit)"},
      {"quiet", 'q', "", "no warnings, hints and progress on standard error"},
      {"help", 'h', "", "this text"},
  };
}

std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists) {
  std::vector<Option> all;
  for (const auto& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

TreeChoice tree_choice(const Arguments& arguments) {
  TreeChoice choice;
  choice.view = view_of(arguments);
  if (const auto group = arguments.value("group")) choice.group = levels_of(*group);
  if (choice.view && choice.group) throw UsageError("--group and --view exclude each other");
  choice.frames = frames_of(arguments);
  choice.focus = arguments.value("focus").value_or("");
  choice.hide = arguments.value("hide").value_or("");
  choice.device = device_of(arguments);
  return choice;
}

SvgOptions svg_options(const Arguments& arguments, const TreeChoice& choice) {
  SvgOptions options;
  options.upward = arguments.has("upward");
  options.fold = !arguments.has("no-fold") && choice.frames != FrameFilter::all;
  if (const auto size = arguments.value("max-size")) options.max_bytes = parse_bytes("max-size", *size);
  if (const auto percent = arguments.value("min-percent")) options.min_percent = parse_percent("min-percent", *percent);
  return options;
}

std::optional<View> view_of(const Arguments& arguments) {
  const auto word = arguments.value("view");
  if (!word) return std::nullopt;
  return chosen<View>("view", *word, {{"memory", View::memory}, {"segments", View::segments}});
}

std::optional<std::uint32_t> device_of(const Arguments& arguments) {
  const std::string word = arguments.value("device").value_or("all");
  if (word == "all") return std::nullopt;
  const auto device = whole_number<std::uint32_t>(word);
  if (!device) throw UsageError(fmt::format("--device must be a number or all, not '{}'", word));
  return device;
}

unsigned threads_of(const Arguments& arguments) {
  constexpr unsigned kMostUseful = 4; // more wait for the replay, which is one
  constexpr unsigned kMost = 64;
  const auto word = arguments.value("threads");
  if (!word) return std::clamp(std::thread::hardware_concurrency(), 1U, kMostUseful);
  const auto threads = whole_number<unsigned>(*word);
  if (!threads || *threads == 0 || *threads > kMost)
    throw UsageError(fmt::format("--threads must be a number from 1 to {}, not '{}'", kMost, *word));
  return *threads;
}

std::optional<std::uint64_t> max_memory_of(const Arguments& arguments) {
  constexpr std::uint64_t kLeast = 16'000'000; // the program itself, and room to say what went wrong
  const auto word = arguments.value("max-memory");
  if (!word) return std::nullopt;
  const std::uint64_t bytes = parse_bytes("max-memory", *word);
  if (bytes < kLeast) throw UsageError(fmt::format("--max-memory must be at least 16M, not '{}'", *word));
  return bytes;
}

std::shared_ptr<Redactor> redactor_of(const Arguments& arguments) {
  const auto word = arguments.value("redact");
  const auto key = arguments.value("redact-key");
  if (key && !word) throw UsageError("--redact-key needs --redact paths, names, all or everything");
  if (!word) return nullptr;
  const auto what = chosen<Redact>(
      "redact", *word,
      {{"paths", Redact::paths}, {"names", Redact::names}, {"all", Redact::all}, {"everything", Redact::everything}});
  return std::make_shared<Redactor>(RedactOptions{what, key.value_or("")});
}

TreeOptions resolved(const TreeChoice& choice, const MemoryState& state) {
  TreeOptions options;
  options.frames = choice.frames;
  options.focus = choice.focus;
  options.hide = choice.hide;
  options.device = choice.device;
  if (choice.group) {
    options.levels = *choice.group;
    return options;
  }
  options.levels = choice.view == View::segments ? segment_levels(state) : memory_levels(state);
  // With one device chosen, a level for it says nothing.
  if (choice.device) std::erase(options.levels, Level::device);
  return options;
}

} // namespace memviz::cli
