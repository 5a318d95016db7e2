// Files made to need as much memory and time as they can, a shape at a time: what every command takes for each of them,
// held against what SECURITY.md promises. Time is that of the processor; of what takes some, a file of twice the size
// shows whether it grows with the square. usage: worst_memory MEMVIZ [--bytes N] [--without SHAPE]... [SHAPE...]

#include "hostile_shapes.hpp"
#include "measured_commands.hpp"
#include "measured_run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace memviz;
using fuzz::MeasuredRun;

namespace {

constexpr std::uint64_t kBytesPerByte = 80;
constexpr std::uint64_t kFixedBytes = std::uint64_t{64} << 20U;
/// A build without optimisation takes several times as long as one with it.
constexpr double kSecondsPerMegabyte = 6;
constexpr double kMostGrowth = 2.3; ///< of the time for twice the bytes
/// The minimum time that is compared: about as much as starting the program and drawing an empty page take.
constexpr double kFewSeconds = 0.4;
/// The maximum number of warnings for a file, however large it is.
constexpr std::uint64_t kMostErrorBytes = 32768;

/// A folder that is removed by the destructor.
class Folder {
public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "worst_memory_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for the files");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Its path.
  [[nodiscard]] std::string with(std::string_view name, const std::string& bytes) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

private:
  std::filesystem::path path_;
};

struct File {
  std::string path;
  std::size_t size = 0;
};

class Checker {
public:
  explicit Checker(std::string memviz) : memviz_(std::move(memviz)) {}

  /// Returns how many steps break a promise.
  [[nodiscard]] int check(const fuzz::HostileShape& shape, std::size_t shape_number, std::size_t size) const {
    const File file = made(shape, size);
    int broken = 0;
    for (const fuzz::MeasuredStep& step : fuzz::measured_steps(shape.kind, shape_number)) {
      const MeasuredRun run = run_of(step, file);
      std::string breach = breach_of(step, file, run);
      if (breach.empty() && run.user_seconds > kFewSeconds) breach = growth_of(step, shape, file);
      broken += breach.empty() ? 0 : 1;
      print(shape, step, file, run, breach);
    }
    return broken;
  }

private:
  [[nodiscard]] File made(const fuzz::HostileShape& shape, std::size_t size) const {
    const std::string bytes = shape.make(size);
    return {folder_.with(fmt::format("{}.pickle", size), bytes), bytes.size()};
  }

  [[nodiscard]] MeasuredRun run_of(const fuzz::MeasuredStep& step, const File& file) const {
    std::vector<std::string> words{memviz_};
    for (const std::string& word : step.words)
      words.push_back(word == "FILE" ? file.path : word);
    return fuzz::measured_run(words);
  }

  [[nodiscard]] static std::string breach_of(const fuzz::MeasuredStep& step, const File& file, const MeasuredRun& run) {
    const std::size_t size = step.files * file.size;
    // Most shapes have no keepers: the option for these is then refused.
    if (run.exit_code != 0 && run.exit_code != 1 && !(run.exit_code == 2 && needs_keepers(step)))
      return "NO ERROR OF OURS";
    if (run.peak_bytes > kFixedBytes + kBytesPerByte * size) return "TOO MUCH MEMORY";
    if (run.user_seconds > kSecondsPerMegabyte * std::max(static_cast<double>(size) / 1e6, 0.1)) return "TOO SLOW";
    if (run.error_bytes > kMostErrorBytes) return "TOO MANY MESSAGES";
    return "";
  }

  /// Compares the best of several runs, in turns, because other load only adds time.
  [[nodiscard]] std::string growth_of(const fuzz::MeasuredStep& step, const fuzz::HostileShape& shape,
                                      const File& file) const {
    constexpr int kMostRounds = 6;
    const File larger = made(shape, 2 * file.size);
    double once = run_of(step, file).user_seconds;
    double twice = run_of(step, larger).user_seconds;
    for (int round = 1; round < kMostRounds && twice > kMostGrowth * once; ++round) {
      once = std::min(once, run_of(step, file).user_seconds);
      twice = std::min(twice, run_of(step, larger).user_seconds);
    }
    const bool is_known = once > kFewSeconds / 2;
    return is_known && twice > kMostGrowth * once ? fmt::format("TWICE THE BYTES, {:.2f} TIMES THE TIME", twice / once)
                                                  : "";
  }

  static void print(const fuzz::HostileShape& shape, const fuzz::MeasuredStep& step, const File& file,
                    const MeasuredRun& run, const std::string& breach) {
    constexpr std::size_t kErrorColumns = 100;
    const auto size = static_cast<double>(step.files * file.size);
    const double above = static_cast<double>(run.peak_bytes) - static_cast<double>(kFixedBytes);
    fmt::print("{:8} {:32} {:22} {:6.2f} MB {:8.1f} MiB {:6.1f} x {:7.2f} s  {} {}\n", breach.empty() ? "" : "BROKEN",
               shape.name, step.name, static_cast<double>(file.size) / 1e6,
               static_cast<double>(run.peak_bytes) / (1U << 20U), std::max(above, 0.0) / size, run.user_seconds, breach,
               run.error.substr(0, std::min(run.error.find('\n'), kErrorColumns)));
    std::fflush(stdout);
  }

  std::string memviz_;
  Folder folder_;
};

struct Words {
  std::string memviz;
  std::size_t size = std::size_t{2} << 20U;
  std::vector<std::string> names;
  std::vector<std::string> left_out;
};

Words parsed(const std::vector<std::string>& words) {
  Words parsed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--bytes" && i + 1 < words.size())
      parsed.size = std::stoull(words[++i]);
    else if (words[i] == "--without" && i + 1 < words.size())
      parsed.left_out.push_back(words[++i]);
    else if (parsed.memviz.empty())
      parsed.memviz = words[i];
    else
      parsed.names.push_back(words[i]);
  }
  if (access(parsed.memviz.c_str(), X_OK) != 0) throw std::runtime_error("the first word must be the program memviz");
  return parsed;
}

int run(const Words& words) {
  const Checker checker(words.memviz);
  int broken = 0;
  int checked = 0;
  std::size_t number = 0;
  for (const fuzz::HostileShape& shape : fuzz::hostile_shapes()) {
    ++number;
    const auto is_in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), shape.name) != list.end();
    };
    if (is_in(words.left_out) || (!words.names.empty() && !is_in(words.names))) continue;
    broken += checker.check(shape, number, words.size);
    ++checked;
  }
  fmt::print("{} shapes, {} measurements above the promise\n", checked, broken);
  return broken > 0 || checked == 0 ? 1 : 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return run(parsed({words + 1, words + count}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worst_memory: %s\n", error.what());
    return 1;
  }
}
