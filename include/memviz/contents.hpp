#pragma once

// A file -> the snapshots in it: the file itself, what it packs (gzip, xz, base64, ...), or the entries of an archive
// (zip, tar, torch.save). Layers may be inside each other. Nothing is unpacked to disk.

#include "memviz/input.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace memviz {

class Contents {
public:
  /// The most layers of packing inside each other.
  static constexpr std::size_t kMostLayers = 4;

  /// Opens `path`, or standard input for `-`. `options` hold for each layer. Throws the exceptions of read_input(), and
  /// Error for an archive that is damaged, or has no snapshot: the message says what it is instead.
  explicit Contents(const std::string& path, const InputOptions& options = {});
  /// Does the same with bytes in memory, which are not read again.
  explicit Contents(Input stored, const InputOptions& options = {});
  Contents(Contents&&) noexcept;
  Contents& operator=(Contents&&) noexcept;
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents();

  /// Returns the names of the entries that may be snapshots, in the order of the archive; one, "", for a file that
  /// packs only one.
  [[nodiscard]] const std::vector<std::string>& names() const;

  struct Snapshot {
    Input input;
    std::vector<std::string> layers; ///< from the outside: "gzip", "tar", ...
    std::string place;               ///< "'mem.pickle' in the zip archive", where byte offsets are in it; else ""
  };
  /// Returns an entry, unpacked; each may be taken once. Throws the exceptions of the constructor.
  [[nodiscard]] Snapshot take(std::size_t index);

private:
  class Layers;
  std::unique_ptr<Layers> layers_;
};

} // namespace memviz
