#include "io/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memviz {

namespace {

bool is_simple_terminal() {
  const char* const kind = std::getenv("TERM");
  return kind == nullptr || std::string_view(kind).empty() || std::string_view(kind) == "dumb";
}

bool takes_color(int descriptor) {
  const char* const refusal = std::getenv("NO_COLOR");
  const bool is_refused = refusal != nullptr && *refusal != '\0';
  return !is_refused && !is_simple_terminal() && ::isatty(descriptor) != 0;
}

} // namespace

std::optional<std::size_t> error_terminal_columns() {
  constexpr std::size_t kUsual = 80;
  if (is_simple_terminal()) return std::nullopt;
  if (::isatty(STDERR_FILENO) == 0) return std::nullopt;
  const pid_t foreground = ::tcgetpgrp(STDERR_FILENO);
  if (foreground > 0 && foreground != ::getpgrp()) return std::nullopt; // the user may be typing there
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

bool output_is_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

bool error_is_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

bool output_and_error_are_one() {
  struct stat output {};
  struct stat error {};
  if (::fstat(STDOUT_FILENO, &output) != 0 || ::fstat(STDERR_FILENO, &error) != 0) return false;
  // Two pipes, or two terminals, have different numbers.
  return output.st_dev == error.st_dev && output.st_ino == error.st_ino && output.st_rdev == error.st_rdev;
}

std::optional<std::size_t> output_terminal_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

bool output_takes_color() {
  return takes_color(STDOUT_FILENO);
}

bool error_takes_color() {
  return takes_color(STDERR_FILENO);
}

} // namespace memviz
