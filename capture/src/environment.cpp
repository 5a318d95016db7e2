#include "environment.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memviz::capture {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int> parse_signal(std::string_view text) {
  if (text.substr(0, 3) == "SIG") text.remove_prefix(3);
  constexpr std::pair<std::string_view, int> kNames[] = {
      {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP},     {"URG", SIGURG},
      {"IO", SIGIO},     {"PWR", SIGPWR},   {"WINCH", SIGWINCH},
  };
  for (const auto& [name, number] : kNames) {
    if (text == name) return number;
  }
  // A handler that returns from one of these would hang the program or hide its crash.
  constexpr int kRefused[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number == 0 || *number > static_cast<std::uint64_t>(SIGRTMAX)) return std::nullopt;
  for (const int refused : kRefused) {
    if (static_cast<int>(*number) == refused) return std::nullopt;
  }
  return static_cast<int>(*number);
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Returns the time as 20261120T134501Z.
std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

} // namespace

EnvironmentOptions read_environment(const Variable& variable, EnvironmentOptions options) {
  const auto read_size = [&](const char* name, std::size_t& target) {
    const char* value = variable(name);
    if (value == nullptr || *value == '\0') return;
    if (const std::optional<std::uint64_t> number = parse_number(value)) {
      target = *number;
    } else {
      options.warnings.push_back(std::string(name) + "='" + value + "' is not a number");
    }
  };
  if (const char* on = variable("MEMVIZ_RECORD"); on != nullptr && *on != '\0') {
    options.is_on = on == std::string_view("1");
    if (!options.is_on && on != std::string_view("0")) {
      options.warnings.push_back(std::string("MEMVIZ_RECORD='") + on + "' is neither 0 nor 1");
    }
  }
  read_size("MEMVIZ_MAX_ENTRIES", options.max_entries);
  read_size("MEMVIZ_MAX_BYTES", options.max_bytes);
  read_size("MEMVIZ_STACK_DEPTH", options.stack_depth);
  read_size("MEMVIZ_OOM_DUMPS", options.oom_dumps);
  if (options.stack_depth > kMaxStackDepth) options.stack_depth = kMaxStackDepth;
  if (const char* out = variable("MEMVIZ_OUT"); out != nullptr && *out != '\0') options.out = out;
  if (const char* signal = variable("MEMVIZ_SIGNAL"); signal != nullptr && *signal != '\0') {
    if (const std::optional<int> number = parse_signal(signal)) {
      options.signal = *number;
    } else {
      options.warnings.push_back(std::string("MEMVIZ_SIGNAL='") + signal + "' is no signal that can be used");
    }
  }
  options.rank = find_rank(variable);
  options.host = host_name();
  return options;
}

std::filesystem::path snapshot_path(const EnvironmentOptions& options, int process, const std::string& reason,
                                    std::size_t number) {
  std::error_code error;
  std::filesystem::path path = options.out;
  if (!path.has_filename() || std::filesystem::is_directory(path, error)) {
    path /= options.rank ? "memviz_rank%n_%h_%p_%r.pickle" : "memviz_%h_%p_%r.pickle";
  }
  std::string name = path.filename().string();
  replace_all(name, "%n", options.rank.value_or("0"));
  replace_all(name, "%h", options.host);
  replace_all(name, "%p", std::to_string(process));
  replace_all(name, "%r", reason);
  if (name.find("%t") != std::string::npos) replace_all(name, "%t", utc_time());
  path.replace_filename(name);
  if (number > 0) {
    path.replace_filename(path.stem().string() + "_" + std::to_string(number) + path.extension().string());
  }
  return path;
}

std::filesystem::path reserve_snapshot_path(const EnvironmentOptions& options, int process, const std::string& reason) {
  constexpr std::size_t max_number = 10'000;
  for (std::size_t number = 0; number < max_number; ++number) {
    std::filesystem::path path = snapshot_path(options, process, reason, number);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) {
      ::close(file);
      return path;
    }
    if (errno != EEXIST) throw std::runtime_error(path.string() + ": " + std::generic_category().message(errno));
  }
  throw std::runtime_error(snapshot_path(options, process, reason, 0).string() + ": too many snapshots");
}

} // namespace memviz::capture
