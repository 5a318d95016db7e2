#pragma once

// Snapshots -> one HTML page to explore them: a cover that is complete without scripts, the snapshots, and the engine
// that answers in the browser. Nothing is loaded from elsewhere, and the page's own policy forbids it.

#include <span>
#include <string>
#include <vector>

namespace memviz {

/// A snapshot in a page.
struct PageSnapshot {
  std::string name;
  std::string bytes; ///< the file or its columns, uncompressed
};

/// The part of a page that is visible immediately, and without scripts.
struct PageCover {
  std::string headline;
  std::string answer;
  std::vector<std::string> pictures; ///< SVG without scripts, one below the other
  bool is_of_job = false;            ///< whether the snapshots are the ranks of a job, of which none is open at first
};

/// Whether this program has the engine; `./run page` builds it.
[[nodiscard]] bool has_page_engine();

/// Returns the page; without snapshots, one on which they can be dropped. Throws Error if the program has no engine.
[[nodiscard]] std::string view_page(std::span<const PageSnapshot> snapshots, const PageCover& cover);

} // namespace memviz
