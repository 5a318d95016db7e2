#include "run/run_facts.hpp"

#include "io/file_bytes.hpp"
#include "memviz/error.hpp"
#include "run/json_members.hpp"
#include "run/server_facts.hpp"
#include "verdict/fit_doubt_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace memviz::rehearse {

namespace {

// The program can write to both files, and replace them.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostTexts = 100;
constexpr std::size_t kMostProcesses = 10'000;

/// Returns its first kMostBytes; "" if it is not a readable file.
std::string content_of(const std::filesystem::path& path) try {
  FileBytes file(path.string(), true);
  std::string content(std::min(file.total_bytes(), kMostBytes), '\0');
  std::size_t size = 0;
  while (const std::size_t got = size < content.size() ? file.read(std::span(content).subspan(size)) : 0)
    size += got;
  content.resize(size);
  return content;
} catch (const Error&) {
  return "";
}

/// Calls `take` with the object of each line; skips lines that are truncated, too long or not an object.
template <class Take> void for_each_object(const std::filesystem::path& path, Take take) {
  const std::string content = content_of(path);
  for (std::string_view rest = content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.size() > kMostLineBytes) continue;
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_object()) take(object);
  }
}

std::optional<std::int64_t> rank_of(const nlohmann::json& object) {
  const auto found = object.find("rank");
  return found != object.end() && found->is_number_integer() ? std::optional(found->get<std::int64_t>()) : std::nullopt;
}

/// Returns the note of a GPU for which the rehearsed build of PyTorch has no kernels. GPUs of machines with ARM
/// processors run another build.
std::string no_kernels_note(const nlohmann::json& line) {
  const std::string version = text(line, "version");
  const std::string capability = text(line, "capability");
  if (flag(line, "is_arm"))
    return fmt::format("PyTorch {} for x86-64 was built without kernels for compute capability {}. Such a GPU is in a "
                       "machine with an ARM processor, whose builds of PyTorch have other kernels: whether these are "
                       "among them, torch.cuda.get_arch_list() shows there.",
                       version, capability);
  return fmt::format(
      "{}PyTorch {} was built without any for compute capability {}, so a real GPU refuses the first. The "
      "figures are those of a build that has them.",
      kNoKernels, version, capability);
}

/// Returns the elements of an array that are objects.
std::vector<nlohmann::json> objects(const nlohmann::json& object, const char* key) {
  std::vector<nlohmann::json> result;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return result;
  std::ranges::copy_if(*found, std::back_inserter(result), [](const nlohmann::json& one) { return one.is_object(); });
  return result;
}

void add_once(std::vector<std::string>& list, const std::string& one) {
  if (one.empty() || list.size() == kMostTexts) return;
  if (std::ranges::find(list, one) == list.end()) list.push_back(one);
}

class Reader {
public:
  void add_report(const nlohmann::json& line) {
    reported_.insert(pid_of(line));
    facts_.host_reads += number(line, "host_reads");
    facts_.kernel_launches += number(line, "kernel_launches");
    facts_.convolutions += number(line, "convolutions");
    facts_.host_peak_bytes += number(line, "host_peak_bytes");
    if (const auto notes = line.find("notes"); notes != line.end() && notes->is_array())
      for (const nlohmann::json& note : *notes)
        if (note.is_string()) add_once(facts_.notes, note.get<std::string>());
    for (const nlohmann::json& device : objects(line, "devices")) {
      facts_.most_other_bytes = std::max(facts_.most_other_bytes, number(device, "most_other_bytes"));
      facts_.handle_bytes = std::max(facts_.handle_bytes, number(device, "peak_handle_bytes"));
      if (number(device, "peak_used_bytes") == 0) continue;
      DeviceUse& use = use_of(line, device);
      use.total_bytes = number(device, "total_bytes");
      use.context_bytes = number(device, "context_bytes");
      use.outside_bytes = number(device, "outside_bytes");
      add_refusal(number(device, "refused_bytes"));
      use.peak_bytes = use.context_bytes + number(device, "peak_used_bytes");
      use.peak_all_bytes = number(device, "peak_all_bytes");
      facts_.used_cuda = true;
    }
  }

  void add_refusal(std::uint64_t asked_bytes) {
    if (asked_bytes == 0) return;
    ++facts_.oom_count;
    facts_.library_asked_bytes = std::max(facts_.library_asked_bytes, asked_bytes);
  }

  /// Adds the line that a process wrote while it ran, if that process has not reached its end.
  void add_live_report(const nlohmann::json& line) {
    if (!reported_.contains(pid_of(line))) add_report(line);
  }

  void add_event(const nlohmann::json& line) {
    const std::string event = text(line, "event");
    if (const auto rank = rank_of(line)) ranks_[pid_of(line)] = *rank;
    if (event == "torch") {
      add_once(facts_.torches, text(line, "version"));
      facts_.has_cuda_torch = facts_.has_cuda_torch || !text(line, "cuda").empty();
    } else if (event == "cuda") {
      facts_.used_cuda = true;
    } else if (event == "no_kernels") {
      add_once(facts_.notes, no_kernels_note(line));
    } else if (event == "oom") {
      ++facts_.oom_count;
      facts_.ooms.push_back({pid_of(line), rank_of(line), DeviceId{static_cast<std::uint32_t>(number(line, "device"))},
                             number(line, "asked_bytes"), text(line, "file"), number(line, "free_bytes")});
    } else if (event == "failure") {
      add_failure(line);
    } else if (event == "error") {
      if (facts_.error.empty()) facts_.error = text(line, "text");
    } else if (event == "refusal") {
      add_once(facts_.refusals, text(line, "text"));
    } else if (event == "needs") {
      add_needed(line);
    } else if (event == "server") {
      add_server_event(facts_.server, line);
    } else if (event == "reads") {
      add_reads(reads_, line);
    } else if (event == "decisions") {
      add_reads(decisions_, line);
    } else if (event == "waits") {
      facts_.waits_at = ReadLine{text(line, "line"), number(line, "count"), number(line, "count")};
    } else if (event == "end") {
      add_end(line);
    }
  }

  [[nodiscard]] RunFacts finish() {
    for (auto& [place, use] : uses_) {
      if (const auto rank = ranks_.find(use.pid); rank != ranks_.end()) use.rank = rank->second;
      facts_.uses.push_back(use);
    }
    std::ranges::stable_sort(facts_.uses, [](const DeviceUse& one, const DeviceUse& other) {
      return std::tuple(one.rank, one.pid, one.device) < std::tuple(other.rank, other.pid, other.device);
    });
    for (const auto& [place, count] : failures_)
      facts_.failure_counts[place.second] += count;
    facts_.reads = sum_of(reads_);
    facts_.decisions = sum_of(decisions_);
    if (facts_.server && facts_.server->name.empty())
      facts_.server.reset(); // another program that uses the server's code
    return std::move(facts_);
  }

private:
  static std::int64_t pid_of(const nlohmann::json& line) { return static_cast<std::int64_t>(number(line, "pid")); }

  DeviceUse& use_of(const nlohmann::json& line, const nlohmann::json& device) {
    const std::pair place{pid_of(line), DeviceId{static_cast<std::uint32_t>(number(device, "device"))}};
    DeviceUse& use = uses_[place];
    use.pid = place.first;
    use.device = place.second;
    return use;
  }

  /// A process writes the count of a failure again when it has grown.
  void add_failure(const nlohmann::json& line) {
    const std::string what = text(line, "text");
    add_once(facts_.failures, what);
    if (std::ranges::find(facts_.failures, what) == facts_.failures.end()) return;
    std::uint64_t& count = failures_[{pid_of(line), what}];
    count = std::max({count, number(line, "count"), std::uint64_t{1}});
  }

  void add_needed(const nlohmann::json& line) {
    const auto ranks = line.find("ranks");
    if (ranks == line.end() || !ranks->is_array()) return;
    for (const nlohmann::json& rank : *ranks)
      if (rank.is_number_unsigned()) facts_.needed_ranks.push_back(rank.get<std::uint64_t>());
  }

  using ReadsOfProcesses = std::map<std::int64_t, std::map<std::string, ReadLine>>;

  /// A process writes its counts again when they have grown.
  static void add_reads(ReadsOfProcesses& all, const nlohmann::json& line) {
    std::map<std::string, ReadLine>& counts = all[pid_of(line)];
    for (const nlohmann::json& read : objects(line, "lines")) {
      const std::string place = text(read, "line");
      if (counts.size() < kMostTexts)
        counts.insert_or_assign(place, ReadLine{place, number(read, "count"), number(read, "unknown"),
                                                number(read, "made_up"), number(read, "guessed")});
    }
  }

  static std::vector<ReadLine> sum_of(const ReadsOfProcesses& all) {
    constexpr std::size_t kMostReads = 5;
    std::map<std::string, ReadLine> sums;
    for (const auto& [pid, counts] : all)
      for (const auto& [place, read] : counts) {
        ReadLine& sum = sums.try_emplace(place, ReadLine{place}).first->second;
        sum.count += read.count;
        sum.unknown_count += read.unknown_count;
        sum.made_up_count += read.made_up_count;
        sum.guessed_count += read.guessed_count;
      }
    std::vector<ReadLine> lines;
    for (const auto& [place, sum] : sums)
      lines.push_back(sum);
    // Lines that make an answer unsure come first, because only a few are kept.
    std::ranges::stable_sort(lines, std::ranges::greater(), [](const ReadLine& line) {
      return std::tuple(line.unknown_count > 0, line.guessed_count > 0, line.count);
    });
    lines.resize(std::min(lines.size(), kMostReads));
    return lines;
  }

  void add_end(const nlohmann::json& line) {
    if (facts_.interrupted_at.empty()) facts_.interrupted_at = text(line, "interrupted_at");
    facts_.steps = std::max(facts_.steps, number(line, "steps"));
    facts_.other_reads += number(line, "other_reads");
    facts_.compiled_frames += number(line, "compiled_frames");
    facts_.is_left_uncompiled = facts_.is_left_uncompiled || flag(line, "left_uncompiled");
    facts_.is_stopped = facts_.is_stopped || flag(line, "stopped");
    facts_.has_own_recorder = facts_.has_own_recorder || flag(line, "own_recorder");
    if (number(line, "ooms") == 0 && flag(line, "uncaught_oom")) ++facts_.oom_count;
    if (const std::string file = text(line, "file"); !file.empty()) facts_.files.push_back({pid_of(line), file});
    for (const nlohmann::json& device : objects(line, "devices")) {
      DeviceUse& use = use_of(line, device);
      use.peak_reserved_bytes = number(device, "peak_reserved_bytes");
      use.peak_allocated_bytes = number(device, "peak_allocated_bytes");
      use.retries = number(device, "retries");
      // For processes without a line of the made-up GPU. PyTorch also counts memory that a sleeping server has
      // released.
      if (use.total_bytes == 0) use.peak_bytes = std::max(use.peak_bytes, *use.peak_reserved_bytes);
    }
  }

  RunFacts facts_;
  std::map<std::pair<std::int64_t, DeviceId>, DeviceUse> uses_;
  std::map<std::int64_t, std::int64_t> ranks_;
  std::map<std::pair<std::int64_t, std::string>, std::uint64_t> failures_; ///< by process and text
  ReadsOfProcesses reads_;
  ReadsOfProcesses decisions_;
  std::set<std::int64_t> reported_; ///< the processes with a line of their end
};

/// Returns the files of processes that may not have reached their end, by name: REPORT.live-PID.
std::vector<std::filesystem::path> live_reports(const std::filesystem::path& report) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(report.parent_path(), error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with(report.filename().string() + ".live-"))
      files.push_back(entry->path());
  std::ranges::sort(files);
  files.resize(std::min(files.size(), kMostProcesses));
  return files;
}

} // namespace

RunFacts read_facts(const std::filesystem::path& report, const std::filesystem::path& log) {
  Reader reader;
  for_each_object(report, [&](const nlohmann::json& line) { reader.add_report(line); });
  for (const std::filesystem::path& live : live_reports(report))
    for_each_object(live, [&](const nlohmann::json& line) { reader.add_live_report(line); });
  for_each_object(log, [&](const nlohmann::json& line) { reader.add_event(line); });
  return reader.finish();
}

} // namespace memviz::rehearse
