#include "run/launcher.hpp"

#include "base/whole_number.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace memviz::rehearse {

namespace {

using Words = std::vector<std::string>;

/// A launcher's options: which take no value or two values, and which give the ranks.
struct Grammar {
  std::string_view launcher;
  std::string_view flags; ///< with a space on both sides of each
  std::string_view nodes; ///< the same
  std::string_view node_ranks;
  std::string_view ranks;
  std::optional<std::uint64_t> default_nodes = 1;       ///< nullopt if the cluster decides
  std::optional<std::uint64_t> default_node_ranks = {}; ///< nullopt if there are as many as GPUs
  std::string_view hosts = {};                          ///< the options whose value names nodes, separated by commas
  std::string_view pairs = {};                          ///< the options with two values
  bool has_long_names_after_one_dash = false;
};

// Replaces underscores with dashes, because launchers accept both.
constexpr std::array<Grammar, 6> kGrammars{{
    // torch 2.13, torch/distributed/run.py, and launch.py of before
    {.launcher = "torchrun",
     .flags = " h help standalone m module no-python run-path use-env virtual-local-rank ",
     .nodes = " nnodes ",
     .node_ranks = " nproc-per-node ",
     .ranks = "",
     .default_node_ranks = 1},
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
     .ranks = " ntasks n ",
     .default_nodes = std::nullopt},
    // Open MPI 4.1 and 5.0; MPICH 4.2 and Intel MPI 2021 (Hydra)
    {.launcher = "mpirun",
     .flags =
         " h help V version v verbose q quiet info allow-run-as-root oversubscribe nooversubscribe nolocal pernode "
         "tag-output timestamp-output merge-stderr-to-stdout report-bindings display-map display-devel-map "
         "display-allocation display-topo display-comm do-not-launch do-not-resolve use-hwthread-cpus bynode byslot "
         "bycore "
         "novm noprefix s preload-binary enable-recovery leave-session-attached index-argv-by-rank debug-daemons "
         "get-stack-traces genvall genvnone envall envnone l prepend-rank print-rank-map print-all-exitcodes rr ",
     .nodes = "",
     .node_ranks = " N npernode ppn perhost ",
     .ranks = " np n c ",
     .default_nodes = std::nullopt,
     .hosts = " H host hosts ",
     .pairs = " mca gmca pmixmca prtemca genv env ",
     .has_long_names_after_one_dash = true},
    // Lightning 2.6, lightning/fabric/cli.py; it calls torchrun
    {.launcher = "fabric",
     .flags = " help ",
     .nodes = " num-nodes ",
     .node_ranks = " devices ",
     .ranks = "",
     .default_node_ranks = 1},
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
Option option_of(const Grammar& grammar, std::string_view word) {
  const bool has_two_dashes = word.starts_with("--");
  const bool is_long = has_two_dashes || grammar.has_long_names_after_one_dash;
  word.remove_prefix(has_two_dashes ? 2 : 1);
  const std::size_t equals = word.find('=');
  Option option{std::string(word.substr(0, equals))};
  if (equals != std::string_view::npos) {
    option.value = word.substr(equals + 1);
  } else if (!is_long && word.size() > 1) {
    option.name = word.substr(0, 1);
    option.value = word.substr(1);
  }
  std::ranges::replace(option.name, '_', '-');
  return option;
}

struct Parsed {
  std::map<std::string, std::string> values;
  std::size_t program = 0; ///< the word after the options
};

Parsed parsed_options(const Grammar& grammar, const Words& words, std::size_t at) {
  Parsed parsed;
  for (; at < words.size() && words[at].size() > 1 && words[at].front() == '-'; ++at) {
    Option option = option_of(grammar, words[at]);
    if (!option.value && !has(grammar.flags, option.name) && at + 1 < words.size()) option.value = words[++at];
    const bool is_half =
        has(grammar.pairs, option.name) && option.value && option.value->find('=') == std::string::npos;
    if (is_half && at + 1 < words.size()) ++at;
    if (option.value) parsed.values.insert_or_assign(std::move(option.name), std::move(*option.value));
  }
  parsed.program = at;
  return parsed;
}

/// Returns the number given by one of these options, the last of a range such as 1:4.
std::optional<std::uint64_t> number_of(const Parsed& parsed, std::string_view names) {
  for (const auto& [name, value] : parsed.values)
    if (has(names, name)) return whole_number<std::uint64_t>(std::string_view(value).substr(value.rfind(':') + 1));
  return std::nullopt;
}

bool is_given(const Parsed& parsed, std::string_view names) {
  return std::ranges::any_of(parsed.values, [&](const auto& option) { return has(names, option.first); });
}

/// Returns N of Open MPI's --map-by ppr:N:node.
std::optional<std::uint64_t> mapped_node_ranks(const Parsed& parsed) {
  constexpr std::string_view kStart = "ppr:";
  const auto found = parsed.values.find("map-by");
  if (found == parsed.values.end() || !found->second.starts_with(kStart)) return std::nullopt;
  const std::string_view rest = std::string_view(found->second).substr(kStart.size());
  const std::size_t end = rest.find(":node");
  return end == std::string_view::npos ? std::nullopt : whole_number<std::uint64_t>(rest.substr(0, end));
}

/// Returns how many nodes one of these options names.
std::optional<std::uint64_t> number_of_hosts(const Parsed& parsed, std::string_view names) {
  for (const auto& [name, value] : parsed.values)
    if (has(names, name)) return static_cast<std::uint64_t>(std::ranges::count(value, ',')) + 1;
  return std::nullopt;
}

const Grammar* grammar_of(std::string_view launcher) {
  if (launcher == "mpiexec" || launcher == "orterun" || launcher == "mpiexec.hydra") launcher = "mpirun";
  const auto* const found =
      std::ranges::find_if(kGrammars, [&](const Grammar& grammar) { return grammar.launcher == launcher; });
  return found == kGrammars.end() ? nullptr : found;
}

struct Start {
  const Grammar* grammar = nullptr;
  std::string name = {};
  std::size_t options = 0; ///< the first word of them
};

/// Returns the launcher that `python -m NAME` runs.
Start module_start(const Words& words) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kModules{{
      {"torch.distributed.run", "torchrun"},
      {"torch.distributed.launch", "torchrun"},
      {"accelerate.commands.launch", "accelerate"},
      {"deepspeed.launcher.runner", "deepspeed"},
      {"deepspeed", "deepspeed"},
  }};
  const auto option = std::ranges::find(words, "-m");
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
  const bool has_word = words.size() > 1;
  if (program == "accelerate")
    return has_word && words[1] == "launch" ? Start{grammar_of(program), "accelerate launch", 2} : Start{};
  if (program == "fabric" || program == "lightning") {
    // "lightning run model" before Lightning 2.3, "fabric run model" in some of them
    const std::size_t options = words.size() > 2 && words[2] == "model" ? 3 : 2;
    return has_word && words[1] == "run" ? Start{grammar_of("fabric"), std::string(program) + " run", options}
                                         : Start{};
  }
  return {grammar_of(program), std::string(program), 1};
}

/// Whether the launcher is not run for a rehearsed rank, because a machine without a cluster may lack it.
bool is_taken_off(const Grammar& grammar) {
  return grammar.launcher == "srun" || grammar.launcher == "mpirun";
}

Launch launch_of(const Start& start, const Parsed& parsed, const Words& words) {
  const Grammar& grammar = *start.grammar;
  Launch launch{.launcher = start.name, .words = words};
  launch.nodes = number_of(parsed, grammar.nodes);
  if (!launch.nodes) launch.nodes = grammar.default_nodes;
  launch.node_ranks = number_of(parsed, grammar.node_ranks);
  if (!launch.node_ranks) launch.node_ranks = mapped_node_ranks(parsed);
  if (!launch.node_ranks && !is_given(parsed, grammar.node_ranks)) launch.node_ranks = grammar.default_node_ranks;
  launch.ranks = number_of(parsed, grammar.ranks);
  // Given only hosts, mpirun starts as many ranks as they have slots.
  if (!launch.nodes && (launch.ranks || launch.node_ranks)) launch.nodes = number_of_hosts(parsed, grammar.hosts);
  launch.needs_cluster = grammar.launcher == "srun";
  return launch;
}

} // namespace

std::optional<Launch> launch_of(const std::vector<std::string>& words) {
  const Start start = start_of(words);
  if (start.grammar == nullptr) return std::nullopt;
  const Parsed parsed = parsed_options(*start.grammar, words, start.options);
  Launch launch = launch_of(start, parsed, words);
  if (!is_taken_off(*start.grammar)) return launch;
  launch.words.erase(launch.words.begin(), launch.words.begin() + static_cast<std::ptrdiff_t>(parsed.program));
  launch.has_several_programs = std::ranges::find(launch.words, ":") != launch.words.end();
  if (auto inner = launch_of(launch.words)) {
    inner->needs_cluster = inner->needs_cluster || launch.needs_cluster;
    return inner;
  }
  return launch;
}

std::optional<LaunchSize> size_of(const Launch& launch, std::uint64_t default_node_ranks) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (launch.ranks) {
    const std::uint64_t ranks = *launch.ranks;
    if (launch.node_ranks) return LaunchSize{ranks, std::min(ranks, *launch.node_ranks)};
    if (launch.nodes && *launch.nodes > 0)
      return LaunchSize{ranks, ranks / *launch.nodes + (ranks % *launch.nodes != 0)};
    return LaunchSize{ranks, std::min(ranks, default_node_ranks)};
  }
  if (!launch.nodes) return std::nullopt;
  const std::uint64_t node_ranks = launch.node_ranks.value_or(default_node_ranks);
  const bool is_countable = node_ranks == 0 || *launch.nodes <= kMost / node_ranks;
  return LaunchSize{is_countable ? *launch.nodes * node_ranks : kMost, node_ranks};
}

} // namespace memviz::rehearse
