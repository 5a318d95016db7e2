#pragma once

// The error for a file that holds several snapshots, where one is wanted: an archive, or a pickle with a snapshot for
// each rank.

#include "memviz/error.hpp"

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

/// "'job/rank0.pickle', 'job/rank1.pickle', ..."
[[nodiscard]] std::string listed_snapshots(const std::vector<std::string>& names);

} // namespace memviz
