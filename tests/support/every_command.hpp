#pragma once

#include <string>
#include <vector>

namespace memviz::test {

using Command = std::vector<std::string>;

/// Returns each command that takes --redact, in every format, over a snapshot, and compared with `other`.
[[nodiscard]] inline std::vector<Command> every_command(const std::string& file, const std::string& other) {
  return {{"flame", file, "-o", "-"},
          {"flame", file, "-o", "-", "--view", "segments"},
          {"flame", file, "-o", "-", "--frames", "all", "--no-fold"},
          {"state", file, "-o", "-"},
          {"state", file, "--json", "-"},
          {"timeline", file, "-o", "-"},
          {"timeline", file, "--json", "-"},
          {"explain", file},
          {"explain", file, "-o", "-"},
          {"explain", file, "--json", "-"},
          {"compare", file, other},
          {"compare", file, other, "-o", "-"},
          {"compare", file, other, "--json", "-"},
          {"compare", file, other, "--markdown", "-"},
          {"stats", file},
          {"stats", file, "--json", "-"},
          {"ranks", file},
          {"ranks", file, "--json", "-"},
          {"leaks", file},
          {"leaks", file, "--json", "-"},
          {"trace", file, "--stacks"},
          {"trace", file, "--stacks", "--format", "ndjson"},
          {"trace", file, "--stacks", "--json", "-"},
          {"report", file, "--json", "-"},
          {"export", file, "--format", "json", "--frames", "all"},
          {"export", file, "--format", "folded"}};
}

} // namespace memviz::test
