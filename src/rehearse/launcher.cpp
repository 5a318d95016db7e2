#include "rehearse/launcher.hpp"

#include "base/whole_number.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace memviz::rehearse {

namespace {

using Words = std::vector<std::string>;

/// A launcher's options: which take no value, and which have the ranks.
struct Grammar {
  std::string_view launcher;
  std::string_view flags; ///< with a space on both sides of each
  std::string_view nodes; ///< the same, in order of precedence
  std::string_view node_ranks;
  std::string_view ranks;
};

// Dashes for underscores, as each of them takes both.
constexpr std::array<Grammar, 4> kGrammars{{
    // torch 2.13, torch/distributed/run.py, and launch.py of before
    {.launcher = "torchrun",
     .flags = " h help standalone m module no-python run-path use-env virtual-local-rank ",
     .nodes = " nnodes ",
     .node_ranks = " nproc-per-node ",
     .ranks = ""},
    // accelerate 1.15, commands/launch.py
    {.launcher = "accelerate",
     .flags =
         " h help q quiet cpu multi-gpu tpu ipex use-xpu use-deepspeed use-fsdp use-megatron-lm use-parallelism-config "
         "debug m module no-python same-network enable-cpu-affinity dynamo-use-fullgraph dynamo-use-dynamic "
         "dynamo-use-regional-compilation downcast-bf16 tpu-cluster no-tpu-cluster tpu-use-sudo ",
     .nodes = " num-machines ",
     .node_ranks = "",
     .ranks = " num-processes "},
    // DeepSpeed 0.19, launcher/runner.py
    {.launcher = "deepspeed",
     .flags = " h help module no-python no-local-rank no-ssh no-ssh-check force-multi save-pid enable-each-rank-log "
              "bind-cores-to-rank elastic-training ",
     .nodes = " num-nodes ",
     .node_ranks = " num-gpus ",
     .ranks = ""},
    // Slurm 24.05; an optional value of a long option is after "="
    {.launcher = "srun",
     .flags =
         " h help usage u unbuffered l label v verbose q quiet Q pty k no-kill K kill-on-bad-exit exclusive exact "
         "overlap "
         "contiguous X disable-status multi-prog O overcommit s oversubscribe E preserve-env H hold spread-job reboot "
         "propagate test-only use-min-nodes I immediate Z no-allocate ",
     .nodes = " nodes N ",
     .node_ranks = " ntasks-per-node ",
     .ranks = " ntasks n "},
}};

bool has(std::string_view names, const std::string& name) {
  return names.find(' ' + name + ' ') != std::string_view::npos;
}

std::string_view file_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

struct Option {
  std::string name;
  std::optional<std::string> value = {};
};

/// Splits "--nproc_per_node=8" and "-N64" into a name and a value; the value may be the next word.
Option option_of(std::string_view word) {
  const bool is_long = word.starts_with("--");
  word.remove_prefix(is_long ? 2 : 1);
  const std::size_t equals = word.find('=');
  Option option{std::string(word.substr(0, equals))};
  if (equals != std::string_view::npos) {
    option.value = word.substr(equals + 1);
  } else if (!is_long && word.size() > 1) {
    option.name = word.substr(0, 1);
    option.value = word.substr(1);
  }
  std::replace(option.name.begin(), option.name.end(), '_', '-');
  return option;
}

struct Parsed {
  std::map<std::string, std::string> values;
  std::size_t program = 0; ///< the word after the options
};

Parsed parsed_options(const Grammar& grammar, const Words& words, std::size_t at) {
  Parsed parsed;
  for (; at < words.size() && words[at].size() > 1 && words[at].front() == '-'; ++at) {
    Option option = option_of(words[at]);
    if (!option.value && !has(grammar.flags, option.name) && at + 1 < words.size()) option.value = words[++at];
    if (option.value) parsed.values.insert_or_assign(std::move(option.name), std::move(*option.value));
  }
  parsed.program = at;
  return parsed;
}

/// Returns the number that one of these options has, the last of a range such as 1:4.
std::optional<std::uint64_t> number_of(const Parsed& parsed, std::string_view names) {
  for (const auto& [name, value] : parsed.values)
    if (has(names, name)) return whole_number<std::uint64_t>(std::string_view(value).substr(value.rfind(':') + 1));
  return std::nullopt;
}

const Grammar* grammar_of(std::string_view launcher) {
  const auto* const found = std::find_if(kGrammars.begin(), kGrammars.end(),
                                         [&](const Grammar& grammar) { return grammar.launcher == launcher; });
  return found == kGrammars.end() ? nullptr : found;
}

struct Start {
  const Grammar* grammar = nullptr;
  std::string name = {};
  std::size_t options = 0; ///< the first word of them
};

/// Finds the launcher that `python -m NAME` runs.
Start module_start(const Words& words) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kModules{{
      {"torch.distributed.run", "torchrun"},
      {"torch.distributed.launch", "torchrun"},
      {"accelerate.commands.launch", "accelerate"},
      {"deepspeed.launcher.runner", "deepspeed"},
      {"deepspeed", "deepspeed"},
  }};
  const auto option = std::find(words.begin(), words.end(), "-m");
  const bool is_first =
      std::all_of(words.begin() + 1, option, [](const std::string& word) { return word.starts_with('-'); });
  if (option == words.end() || option + 1 == words.end() || !is_first) return {};
  for (const auto& [module, launcher] : kModules)
    if (option[1] == module)
      return {grammar_of(launcher), option[1], static_cast<std::size_t>(option - words.begin()) + 2};
  return {};
}

Start start_of(const Words& words) {
  if (words.empty()) return {};
  const std::string_view program = file_of(words.front());
  if (program.starts_with("python")) return module_start(words);
  if (program != "accelerate") return {grammar_of(program), std::string(program), 1};
  if (words.size() < 2 || words[1] != "launch") return {};
  return {grammar_of(program), "accelerate launch", 2};
}

} // namespace

std::optional<Launch> launch_of(const std::vector<std::string>& words) {
  const Start start = start_of(words);
  if (start.grammar == nullptr) return std::nullopt;
  const Parsed parsed = parsed_options(*start.grammar, words, start.options);
  Launch launch{.launcher = start.name, .nodes = number_of(parsed, start.grammar->nodes).value_or(1), .words = words};
  launch.node_ranks = number_of(parsed, start.grammar->node_ranks);
  if (const auto ranks = number_of(parsed, start.grammar->ranks); ranks && launch.nodes > 0 && !launch.node_ranks)
    launch.node_ranks = (*ranks + launch.nodes - 1) / launch.nodes;
  if (start.name != "srun") return launch;
  launch.words.erase(launch.words.begin(), launch.words.begin() + static_cast<std::ptrdiff_t>(parsed.program));
  if (auto inner = launch_of(launch.words)) return inner;
  return launch;
}

} // namespace memviz::rehearse
