#include "attach/proc_files.hpp"

#include "io/descriptor.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace memviz::attach {

std::string proc_path(pid_t id, std::string_view name) {
  return fmt::format("/proc/{}/{}", id, name);
}

std::optional<std::string> proc_text(pid_t id, std::string_view name) {
  constexpr std::size_t kMostBytes = 16U << 20U;
  const Descriptor file(::open(proc_path(id, name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::string text;
  std::array<char, 1U << 16U> piece{};
  while (text.size() < kMostBytes) {
    const ssize_t got = ::read(file.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::string proc_link(pid_t id, std::string_view name) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(proc_path(id, name), error);
  return error ? "" : target.string();
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator at(folder, error); !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

std::string status_field(pid_t id, std::string_view name) {
  const std::string text = proc_text(id, "status").value_or("");
  const std::string key = fmt::format("\n{}:", name);
  std::size_t at = text.find(key);
  if (at == std::string::npos) return "";
  at = text.find_first_not_of(" \t", at + key.size());
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

} // namespace memviz::attach
