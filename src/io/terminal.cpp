#include "io/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace memviz {

std::optional<std::size_t> error_terminal_columns() {
  constexpr std::size_t kUsual = 80;
  const char* const kind = std::getenv("TERM");
  if (kind == nullptr || std::string_view(kind).empty() || std::string_view(kind) == "dumb") return std::nullopt;
  if (::isatty(STDERR_FILENO) == 0) return std::nullopt;
  const pid_t foreground = ::tcgetpgrp(STDERR_FILENO);
  if (foreground > 0 && foreground != ::getpgrp()) return std::nullopt; // somebody types there meanwhile
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

std::optional<std::size_t> output_terminal_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

} // namespace memviz
