#pragma once

// The texts that were hidden -> whether one of them is somewhere after all. In a text that comes from the file that
// is looked for in full: what looks like no one else's anywhere, plain words as whole words. An output has memviz's own
// words, too, so there it is paths, which no word is. One pass over the text, however many were hidden.

#include "base/hash_map.hpp"
#include "redact/needle_index.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace memviz {

class LeakSearch {
public:
  void hide(std::string_view text);
  /// A text that was not hidden: what was hidden elsewhere and is in it, too, is not looked for, nor are its words.
  void keep(std::string_view text);
  /// Adds the pseudonym of a hidden text: nothing is found in its first word, though it may begin like a hidden one
  /// ("func_1").
  void add_pseudonym(std::string_view text);

  /// Number of places in a text that comes from the file. The first call of this or count_paths() after hide() or
  /// keep() sorts what was hidden.
  [[nodiscard]] std::size_t count(std::string_view text) const;
  /// Number of places in an output where a path begins that was hidden, alone or in a text: three '/' or
  /// more, or two and the ending of a file.
  [[nodiscard]] std::size_t count_paths(std::string_view output) const;

private:
  using Texts = HashSet<std::string>;

  void prepare() const;
  /// Indexes those of `hidden` that are in no kept text.
  void index(const Texts& hidden, NeedleIndex& needles) const;
  [[nodiscard]] std::size_t count_words(std::string_view text) const;
  [[nodiscard]] std::size_t count_needles(std::string_view text) const;

  Texts hidden_;
  Texts hidden_paths_;
  Texts hidden_words_;
  Texts kept_;
  Texts kept_words_;
  Texts pseudonyms_;
  // The results of prepare().
  mutable bool is_prepared_ = false;
  mutable NeedleIndex needles_;
  mutable NeedleIndex paths_;
  mutable Texts words_;
};

} // namespace memviz
