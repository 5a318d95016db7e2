#pragma once

// The texts that were hidden -> whether one of them stands in an output after all: what looks like nobody else's
// anywhere, plain words as whole words. One pass over the output, however many texts there are.

#include "base/hash_map.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

class LeakSearch {
public:
  void hide(std::string_view text);
  /// A text that outputs may hold: what was hidden elsewhere and stands in it, too, is not looked for, nor are its
  /// words in any case of letters, and with an s.
  void keep(std::string_view text);

  /// Number of places in `output`; the first call after hide() or keep() sorts what was hidden.
  [[nodiscard]] std::size_t count(std::string_view output) const;

private:
  using Texts = HashSet<std::string>;

  void prepare() const;
  [[nodiscard]] bool is_kept(std::string_view word) const;
  [[nodiscard]] std::size_t count_words(std::string_view output) const;
  void index(const std::vector<std::string>& needles) const;
  /// The needle that `text` begins with, or nullptr.
  [[nodiscard]] const std::string* needle_at(std::string_view text) const;

  Texts hidden_;
  Texts kept_;
  Texts hidden_words_;
  Texts kept_words_; ///< in lower case
  // What prepare() makes of them.
  mutable bool is_prepared_ = false;
  mutable std::vector<std::string> needles_; ///< sorted; none is the beginning of another one
  mutable std::vector<bool> beginnings_;     ///< by hash of a needle's first bytes
  mutable Texts words_;                      ///< hidden ones that are not kept
};

} // namespace memviz
