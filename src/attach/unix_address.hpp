#pragma once

// The path of a Unix socket -> its address.

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace memviz::attach {

/// Returns nullopt for a path that is too long for a socket.
[[nodiscard]] inline std::optional<sockaddr_un> unix_address(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = path.native();
  if (name.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, name.data(), name.size());
  return address;
}

} // namespace memviz::attach
