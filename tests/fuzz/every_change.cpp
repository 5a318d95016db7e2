// Every prefix and every change of one byte of real snapshots: each gives a result or a clear error, within the memory
// that README promises. Prints what came out; the exit code is 1 where something broke the promise.
// usage: every_change [--sample N] [--seed S] FILE...      (one input of N, chosen by the seed; default: all)

#include "heap_meter.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

constexpr std::size_t kBytesPerByte = 64;
constexpr std::size_t kFixedBytes = std::size_t{64} << 20U;

struct Request {
  std::uint64_t sample = 1;
  std::uint64_t seed = 1;
  std::vector<std::string> files;
};

struct Counts {
  std::uint64_t results = 0;
  std::uint64_t parse_errors = 0;
  std::uint64_t other_errors = 0;
  std::uint64_t broken = 0;
  double worst_seconds = 0;
  std::string slowest;
  std::size_t worst_bytes = 0;
  std::string largest;

  [[nodiscard]] std::uint64_t all() const { return results + parse_errors + other_errors + broken; }
};

/// Returns the time of this thread alone, so that other load does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Checker {
public:
  Counts counts;

  /// `name` describes the input; called only if it is printed.
  template <class Name> void check(std::string_view bytes, Name name) {
    const double start = cpu_seconds();
    fuzz::start_heap_meter();
    run(bytes, name);
    const std::size_t used_bytes = fuzz::heap_peak_bytes();
    const double seconds = cpu_seconds() - start;
    if (seconds > counts.worst_seconds) {
      counts.worst_seconds = seconds;
      counts.slowest = name();
    }
    if (used_bytes > counts.worst_bytes) {
      counts.worst_bytes = used_bytes;
      counts.largest = name();
    }
    if (used_bytes > kFixedBytes + kBytesPerByte * bytes.size()) broken(name(), fmt::format("{} bytes", used_bytes));
  }

private:
  template <class Name> void run(std::string_view bytes, Name name) {
    try {
      Accounts accounts;
      Recording recording = read_snapshot(bytes, {.sink = &accounts, .on_progress = {}});
      const std::string text = stats_json("file", accounts.state_of(std::move(recording)));
      if (text.empty()) return broken(name(), "no figures");
      ++counts.results;
    } catch (const ParseError& error) {
      if (error.offset() > bytes.size()) return broken(name(), error.what());
      ++counts.parse_errors;
      check_message(error, name);
    } catch (const Error& error) {
      ++counts.other_errors;
      check_message(error, name);
    } catch (const std::exception& error) {
      broken(name(), fmt::format("an exception that is no Error: {}", error.what()));
    }
  }

  template <class Name> void check_message(const Error& error, Name name) {
    constexpr std::size_t kLeast = 10;
    if (std::string_view(error.what()).size() < kLeast) broken(name(), "an error that says nothing");
  }

  void broken(const std::string& name, const std::string& why) {
    ++counts.broken;
    fmt::print("BROKEN {}: {}\n", name, why);
  }
};

class Chooser {
public:
  explicit Chooser(const Request& request) : left_(request.sample), sample_(request.sample), random_(request.seed) {}
  bool is_chosen() {
    if (--left_ > 0) return false;
    left_ = sample_ == 1 ? 1 : 1 + random_() % (2 * sample_ - 1); // on average one of `sample_`
    return true;
  }

private:
  std::uint64_t left_;
  std::uint64_t sample_;
  std::mt19937_64 random_;
};

Counts check_file(const std::string& file, const Request& request) {
  std::ifstream in(file, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  if (whole.empty()) throw std::runtime_error(file + ": cannot be read");
  Checker checker;
  Chooser chooser(request);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A separate copy, so that the sanitizer sees reads beyond its end.
    if (chooser.is_chosen()) {
      const std::string prefix = whole.substr(0, size);
      checker.check(prefix, [&] { return fmt::format("{} cut at {}", file, size); });
    }
  }
  std::string changed = whole;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned change = 1; change < 256; ++change) {
      if (!chooser.is_chosen()) continue;
      changed[at] = static_cast<char>(static_cast<unsigned char>(whole[at]) ^ change);
      checker.check(changed, [&] { return fmt::format("{} with byte {} ^ {:#04x}", file, at, change); });
    }
    changed[at] = whole[at];
  }
  return checker.counts;
}

Request request_of(const std::vector<std::string>& words) {
  Request request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--sample" && i + 1 < words.size())
      request.sample = std::max<std::uint64_t>(1, std::stoull(words[++i]));
    else if (words[i] == "--seed" && i + 1 < words.size())
      request.seed = std::stoull(words[++i]);
    else
      request.files.push_back(words[i]);
  }
  return request;
}

void print(const std::string& file, std::size_t size, const Counts& counts) {
  fmt::print(
      "{}: {} bytes, {} inputs: {} results, {} errors with an offset, {} others, {} broken; worst {:.1f} ms ({}), "
      "{} KiB of heap ({})\n",
      file, size, counts.all(), counts.results, counts.parse_errors, counts.other_errors, counts.broken,
      counts.worst_seconds * 1e3, counts.slowest, counts.worst_bytes >> 10U, counts.largest);
  std::fflush(stdout);
}

int run(const Request& request) {
  std::uint64_t all = 0;
  std::uint64_t broken = 0;
  for (const std::string& file : request.files) {
    const Counts counts = check_file(file, request);
    const auto size = static_cast<std::size_t>(std::ifstream(file, std::ios::binary | std::ios::ate).tellg());
    print(file, size, counts);
    all += counts.all();
    broken += counts.broken;
  }
  fmt::print("{} inputs, {} broken\n", all, broken);
  // An empty sample checks nothing.
  return broken > 0 || all == 0 ? 1 : 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return run(request_of({words + 1, words + count}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "every_change: %s\n", error.what());
    return 1;
  }
}
