#include "options.hpp"

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace memviz::inject {

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

} // namespace

Options read_options(const std::function<const char*(const char*)>& variable) {
  Options options;
  const auto read_size = [&](const char* name, std::size_t& target) {
    const char* value = variable(name);
    if (value == nullptr || *value == '\0') return;
    if (const std::optional<std::uint64_t> number = parse_number(value)) {
      target = *number;
    } else {
      options.warnings.push_back(std::string(name) + "='" + value + "' is not a number");
    }
  };
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
  return options;
}

std::filesystem::path snapshot_path(const Options& options, int process, const std::string& reason,
                                    std::size_t number) {
  std::error_code error;
  std::filesystem::path path = options.out;
  if (!path.has_filename() || std::filesystem::is_directory(path, error)) path /= "memviz_%p_%r.pickle";
  std::string name = path.filename().string();
  replace_all(name, "%p", std::to_string(process));
  replace_all(name, "%r", reason);
  path.replace_filename(name);
  if (number > 0) {
    path.replace_filename(path.stem().string() + "_" + std::to_string(number) + path.extension().string());
  }
  return path;
}

} // namespace memviz::inject
