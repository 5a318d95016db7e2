// Files made to need as much memory as they can, a shape at a time: what reading, drawing and exporting each of them
// takes, held against what README promises. Each runs in a process of its own, whose resident memory is measured.
// usage: worst_memory [--bytes N] [--without SHAPE]... [SHAPE...]

#include "hostile_shapes.hpp"
#include "memviz/compare.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/svg.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kBytesPerByte = 80;
constexpr std::uint64_t kFixedBytes = std::uint64_t{64} << 20U;

struct Step {
  std::string_view name;
  std::size_t (*run)(std::string_view bytes);
  std::size_t files = 1; ///< how often it reads them
};

std::size_t stats(std::string_view bytes) {
  Accounts accounts;
  const Snapshot snapshot = read_snapshot(bytes, {.sink = &accounts, .on_progress = {}});
  return stats_json("file", snapshot, accounts.finish(snapshot)).size();
}

std::size_t flame(std::string_view bytes, std::vector<Level> (*levels)(const Snapshot&)) {
  Accounts accounts;
  const Snapshot snapshot = read_snapshot(bytes, {.sink = &accounts, .on_progress = {}});
  const Replay replayed = accounts.finish(snapshot);
  const FrameTree tree =
      build_frame_tree(snapshot, replayed, {.levels = levels(snapshot), .focus = {}, .hide = {}, .device = {}});
  return flame_svg({.file = "file",
                    .snapshot = snapshot,
                    .tree = tree,
                    .devices = replayed.devices,
                    .users = rank_user_lines(snapshot, replayed, {}),
                    .warnings = snapshot.warnings},
                   {})
      .size();
}

std::size_t flame_by_memory(std::string_view bytes) {
  return flame(bytes, memory_levels);
}

std::size_t flame_by_segment(std::string_view bytes) {
  return flame(bytes, segment_levels);
}

std::size_t size_of(const TextSource& source) {
  std::size_t size = 0;
  source([&](std::string_view piece) { size += piece.size(); });
  return size;
}

std::size_t folded(std::string_view bytes) {
  const Snapshot snapshot = read_snapshot(bytes);
  return size_of(folded_source(snapshot, FoldedView::segments, {}));
}

std::size_t json(std::string_view bytes) {
  Accounts accounts;
  const Snapshot snapshot = read_snapshot(bytes, {.sink = &accounts, .on_progress = {}});
  const FrameTree tree = build_frame_tree(snapshot, accounts.finish(snapshot),
                                          {.levels = segment_levels(snapshot), .focus = {}, .hide = {}, .device = {}});
  return size_of(tree_json_source("file", snapshot.frames, tree, {}));
}

/// Of a file with itself.
std::size_t compare(std::string_view bytes) {
  Accounts before_accounts;
  const Snapshot before = read_snapshot(bytes, {.sink = &before_accounts, .on_progress = {}});
  const Replay before_replayed = before_accounts.finish(before);
  Accounts after_accounts;
  const Snapshot after = read_snapshot(bytes, {.sink = &after_accounts, .on_progress = {}});
  const Replay after_replayed = after_accounts.finish(after);
  CompareOptions options;
  options.tree.levels = memory_levels(before);
  const Comparison comparison = compare_snapshots({before, before_replayed}, {after, after_replayed}, options);
  return compare_svg({"before", "after", comparison, {}}, {}).size() + segment_lists(comparison).size();
}

constexpr std::array<Step, 6> kSteps{{{"stats", stats},
                                      {"flame", flame_by_memory},
                                      {"flame --view segments", flame_by_segment},
                                      {"compare", compare, 2},
                                      {"folded", folded},
                                      {"json", json}}};

/// A line "NAME: N kB" of /proc/self/status, in bytes.
std::uint64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) << 10U;
  }
  return 0;
}

struct Measured {
  std::uint64_t peak_bytes = 0;
  double cpu_seconds = 0;
  std::array<char, 160> answer{};
};

void answer(Measured& measured, const std::string& text) {
  std::copy_n(text.begin(), std::min(text.size(), measured.answer.size() - 1), measured.answer.begin());
}

/// In a process of its own, which ends here.
[[noreturn]] void measure(const Step& step, std::string_view bytes, int out) {
  Measured measured;
  // Forgets the peak of before; proc(5).
  std::ofstream("/proc/self/clear_refs") << "5";
  const std::uint64_t before_bytes = status_bytes("VmRSS");
  try {
    answer(measured, fmt::format("{} bytes of output", step.run(bytes)));
  } catch (const Error& error) {
    answer(measured, fmt::format("error: {}", error.what()));
  } catch (const std::exception& error) {
    answer(measured, fmt::format("NO ERROR OF OURS: {}", error.what()));
  }
  measured.peak_bytes = status_bytes("VmHWM") - before_bytes;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  measured.cpu_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  const bool is_told = write(out, &measured, sizeof measured) == sizeof measured;
  _exit(is_told ? 0 : 1);
}

Measured measured_apart(const Step& step, std::string_view bytes) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    // What runs away ends here instead of taking the machine with it.
    const rlimit limit{std::uint64_t{6} << 30U, std::uint64_t{6} << 30U};
    setrlimit(RLIMIT_AS, &limit);
    measure(step, bytes, ends[1]);
  }
  close(ends[1]);
  Measured measured;
  const bool is_told = read(ends[0], &measured, sizeof measured) == sizeof measured;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!is_told) answer(measured, fmt::format("NO ANSWER: ended with status {:#x}", status));
  return measured;
}

bool is_kept(const Measured& measured, std::size_t size) {
  const std::string_view text(measured.answer.data());
  return measured.peak_bytes <= kFixedBytes + kBytesPerByte * size && !text.starts_with("NO ");
}

/// Returns how many steps break the promise.
int check(const fuzz::HostileShape& shape, std::size_t size) {
  const std::string bytes = shape.make(size);
  int broken = 0;
  for (const Step& step : kSteps) {
    const Measured measured = measured_apart(step, bytes);
    const bool kept = is_kept(measured, step.files * bytes.size());
    broken += kept ? 0 : 1;
    fmt::print("{:8} {:32} {:22} {:6.2f} MB {:8.1f} MiB {:6.1f} x {:7.2f} s  {}\n", kept ? "" : "BROKEN", shape.name,
               step.name, static_cast<double>(bytes.size()) / 1e6,
               static_cast<double>(measured.peak_bytes) / (1U << 20U),
               static_cast<double>(measured.peak_bytes) / static_cast<double>(step.files * bytes.size()),
               measured.cpu_seconds, measured.answer.data());
    std::fflush(stdout);
  }
  return broken;
}

int run(const std::vector<std::string>& words) {
  std::size_t size = std::size_t{2} << 20U;
  std::vector<std::string> names;
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--bytes" && i + 1 < words.size())
      size = std::stoull(words[++i]);
    else if (words[i] == "--without" && i + 1 < words.size())
      left_out.push_back(words[++i]);
    else
      names.push_back(words[i]);
  }
  int broken = 0;
  int checked = 0;
  for (const fuzz::HostileShape& shape : fuzz::hostile_shapes()) {
    const auto is_in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), shape.name) != list.end();
    };
    if (is_in(left_out) || (!names.empty() && !is_in(names))) continue;
    broken += check(shape, size);
    ++checked;
  }
  fmt::print("{} shapes, {} measurements above the promise\n", checked, broken);
  return broken > 0 || checked == 0 ? 1 : 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worst_memory: %s\n", error.what());
    return 1;
  }
}
