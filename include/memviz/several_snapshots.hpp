#pragma once

// A file that holds several snapshots -> the one that is wanted: an archive, or a pickle with a snapshot for each rank.

#include "memviz/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// A file has several snapshots, and none was chosen.
class SeveralSnapshots : public Error {
public:
  explicit SeveralSnapshots(std::vector<std::string> names);
  /// The same, with the name of the file before its message.
  SeveralSnapshots(const std::string& file, const SeveralSnapshots& error);
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

private:
  std::vector<std::string> names_;
};

/// Returns the index of the only snapshot, or of the one that `rank` names: by its name, by its number, or by the rank
/// in its name. Throws SeveralSnapshots if there are several and none is named, UsageError if there is none of that
/// name.
[[nodiscard]] std::size_t chosen_snapshot(const std::vector<std::string>& names,
                                          const std::optional<std::string>& rank);

} // namespace memviz
