#include "base/wrap.hpp"
#include "cli/frame/command.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kColumns = 118;
constexpr std::size_t kIndent = 4;

constexpr std::string_view kHead = R"py("""One function for each command of the program that looks at snapshots.

Keyword arguments are the command's options, with ``_`` for ``-``; an option that is not given is the program's own
default. ``memviz help COMMAND`` says what each one means; the program checks them, and UsageError has its words.

MEMVIZ_BLESS=1 build/tests/memviz_tests -tc='*_api.py*' makes this file from the options of the program.

Keywords of most functions:

)py";

constexpr std::string_view kImports = R"py("""

from __future__ import annotations

import os
from typing import Any, Literal, Optional, Sequence, Union

from memviz_torch import _answers
from memviz_torch._program import Snapshot
from memviz_torch._results import Comparison, Explanation, Leaks, Page, Picture

Device = Union[int, str]
Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]
Folders = Union[Path, Sequence[Path]]
)py";

constexpr std::string_view kSnapshot =
    "snapshot: the path of a file, the bytes of one, or what ``torch.cuda.memory._snapshot()`` returns.";

struct Function {
  std::string_view name;
  std::string_view command;
  std::vector<std::string_view> snapshots;
  std::string_view result;
  std::string_view summary;                 ///< the first line
  std::vector<std::string_view> notes;      ///< before the options
  std::set<std::string_view> left_out = {}; ///< options of the command
};

std::vector<Function> functions() {
  return {
      {"flame",
       "flame",
       {"snapshot: Snapshot"},
       "Picture",
       "Draws who holds every reserved byte as a flame graph: the width of a box is bytes.",
       {kSnapshot}},
      {"timeline",
       "timeline",
       {"snapshot: Snapshot", "after: Optional[Snapshot] = None"},
       "Picture",
       "Draws live memory over the recording: its peak, and who held it.",
       {"after: the snapshot of a second run, whose live memory is drawn over the first."}},
      {"state",
       "state",
       {"snapshot: Snapshot"},
       "Picture",
       "Draws every segment to scale, with its blocks and holes, at a moment.",
       {}},
      {"explain",
       "explain",
       {"snapshot: Snapshot"},
       "Explanation",
       "Explains why memory ran out or is fragmented, and what would have helped.",
       {}},
      {"compare",
       "compare",
       {"before: Snapshot", "after: Snapshot"},
       "Comparison",
       "Shows what changed from one snapshot to another, in figures and as a flame graph of the difference.",
       {}},
      {"leaks",
       "leaks",
       {"snapshot: Snapshot"},
       "Leaks",
       "Finds stacks whose memory grows from step to step, and the number of steps left.",
       {}},
      {"stats",
       "stats",
       {"snapshot: Snapshot"},
       "dict[str, Any]",
       "Returns totals, accounts, largest users and settings of each device, as in ``memviz stats --json``.",
       {}},
      {"keepers",
       "stats",
       {"snapshot: Snapshot"},
       "list[dict[str, Any]]",
       "Returns who keeps the memory in use at the end of each GPU; an empty list if that is not recorded.",
       {"Each GPU has what ``keepers`` of ``memviz stats --json`` has, with the GPU as ``device``.",
        ">>> for kept in memviz_torch.keepers(\"oom.pickle\"):\n"
        "...     for variable in kept[\"variables\"]:\n"
        "...         print(variable[\"text\"], variable[\"own_bytes\"] + variable[\"graph_bytes\"])",
        "``account``: all bytes in use, by how they are kept; ``groups``: the largest paths; ``texts``: sentences.\n"
        "docs/keepers.md has the meaning of each figure."},
       {"at", "by", "steps", "kinds"}},
      {"view",
       "view",
       {"*snapshots: Snapshot"},
       "Page",
       "Makes one page to explore recordings event by event; without a snapshot, one onto which you drop files.",
       {}},
  };
}

/// Whether a function leaves the option out: its result is not a file, warnings are Python's, figures have all
/// addresses, and no function takes folders.
bool is_keyword(const OptionText& option) {
  static const std::set<std::string_view> others{"output", "json",   "text",        "markdown", "format",
                                                 "zoom",   "quiet",  "help",        "empty",    "addresses",
                                                 "step",   "strict", "rank-pattern"};
  return !others.contains(option.name);
}

/// Whether the beginning of the module describes the option, for all functions.
bool is_shared(const OptionText& option) {
  static const std::set<std::string_view> shared{"device", "kinds",      "max-memory", "rank",
                                                 "redact", "redact-key", "source",     "threads"};
  return shared.contains(option.name);
}

std::string keyword(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name == "from" ? name + "_" : name;
}

/// Returns the type of a value by the word that stands for it in the help; one of a few words is a Literal.
std::string type_of(const OptionText& option) {
  static const std::map<std::string_view, std::string_view> types{{"DIR", "Folders"},
                                                                  {"EVENT", "int"},
                                                                  {"FILE", "Path"},
                                                                  {"LIMIT", "Size"},
                                                                  {"LIST", "Union[str, Sequence[str]]"},
                                                                  {"MOMENT", "str"},
                                                                  {"N", "int"},
                                                                  {"P", "float"},
                                                                  {"R", "Union[int, str]"},
                                                                  {"RE", "str"},
                                                                  {"SIZE", "Size"},
                                                                  {"TEXT", "str"},
                                                                  {"N|host|all", "Device"}};
  if (const auto known = types.find(option.value); known != types.end()) return std::string(known->second);
  const auto is_whole = [](std::string_view word) { return !word.ends_with(':'); };
  if (option.words.empty()) throw std::out_of_range(fmt::format("--{} {}", option.name, option.value));
  if (!std::ranges::all_of(option.words, is_whole)) return "str";
  return fmt::format("Literal[\"{}\"]", fmt::join(option.words, "\", \""));
}

void replace_all(std::string& text, std::string_view before, std::string_view after) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size()))
    text.replace(at, before.size(), after);
}

/// Returns the help of an option in Python's terms, the first sentence if it is rare.
std::string words_of(const OptionText& option, const std::vector<OptionText>& options) {
  std::string text = option.is_rare ? option.text.substr(0, option.text.find(". ")) : option.text;
  for (const OptionText& other : options)
    replace_all(text, fmt::format("--{}", other.name), keyword(other.name));
  replace_all(text, "exit with code 3 if", "set ``exceeded`` if");
  replace_all(text, "\\", "\\\\");
  return text + (text.ends_with('.') ? "" : ".");
}

std::string signature(const Function& function, const std::vector<OptionText>& keywords) {
  std::string text = fmt::format("def {}(\n", function.name);
  for (const std::string_view snapshot : function.snapshots)
    text += fmt::format("    {},\n", snapshot);
  if (!function.snapshots.front().starts_with('*')) text += "    *,\n";
  for (const OptionText& option : keywords)
    text += option.value.empty() ? fmt::format("    {}: bool = False,\n", keyword(option.name))
                                 : fmt::format("    {}: Optional[{}] = None,\n", keyword(option.name), type_of(option));
  return text + fmt::format(") -> {}:\n", function.result);
}

std::string described(const OptionText& option, const std::vector<OptionText>& options, std::string_view indent) {
  return wrapped_text(fmt::format("{}: {}", keyword(option.name), words_of(option, options)), indent, kColumns);
}

std::string docstring(const Function& function, const std::vector<OptionText>& keywords,
                      const std::vector<OptionText>& options) {
  std::string text = fmt::format("    \"\"\"{}\n\n", function.summary);
  for (const std::string_view note : function.notes) {
    std::string lines(note);
    replace_all(lines, "\n", "\n    ");
    text += fmt::format("    {}\n{}", lines, note.starts_with("after:") || note.starts_with("snapshot:") ? "" : "\n");
  }
  std::vector<std::string> shared;
  for (const OptionText& option : keywords)
    if (is_shared(option))
      shared.push_back(keyword(option.name));
    else
      text += described(option, options, "        ").substr(kIndent); // the first line has less
  if (!shared.empty()) text += fmt::format("    {}: see ``help(memviz_torch._api)``.\n", fmt::join(shared, ", "));
  return text + fmt::format("\n    ``memviz help {}`` has the whole of it.\n    \"\"\"\n", function.command);
}

const cli::Command& command_of(const Function& function) {
  return *std::ranges::find(cli::commands(), function.command, [](const cli::Command& one) { return one.text.name; });
}

/// Returns the descriptions of options that have the same words in all commands. Throws std::logic_error if one has
/// not.
std::string shared_words() {
  std::map<std::string_view, std::string> words;
  for (const Function& function : functions())
    for (const OptionText& option : command_of(function).options)
      if (is_shared(option) &&
          words.emplace(option.name, described(option, {}, "    ")).first->second != described(option, {}, "    "))
        throw std::logic_error(fmt::format("--{} has other words in {}", option.name, function.command));
  std::string text;
  for (const auto& [name, description] : words)
    text += description.substr(kIndent);
  return text;
}

/// Returns a function for each command, whose keywords are its options, with their types and their words. Throws
/// std::out_of_range for an option with a value that has no type in Python yet.
std::string python_api() {
  std::string text = std::string(kHead) + shared_words() + std::string(kImports);
  for (const Function& function : functions()) {
    const std::vector<OptionText>& options = command_of(function).options;
    std::vector<OptionText> keywords = options;
    std::erase_if(keywords, [&](const OptionText& option) {
      return !is_keyword(option) || function.left_out.contains(option.name);
    });
    text += "\n\n" + signature(function, keywords) + docstring(function, keywords, options) +
            fmt::format("    return _answers.{}(locals())\n", function.name);
  }
  return text;
}

} // namespace

TEST_CASE("_api.py has the options of the program as keywords, with their types and their words") {
  const std::string path = (test::testdata().parent_path() / "python/memviz_torch/_api.py").string();
  const std::string made = python_api();
  if (std::getenv("MEMVIZ_BLESS") != nullptr) test::write_bytes(path, made);
  const bool is_equal = test::read_bytes(path) == made; // a check would print both
  CHECK_MESSAGE(is_equal, path, " is not what the options are; MEMVIZ_BLESS=1 writes it anew: read the difference");
}

} // namespace memviz
