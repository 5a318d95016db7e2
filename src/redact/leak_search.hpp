#pragma once

// Hidden texts -> whether one of them occurs somewhere after all. Texts from the file are searched for all of them:
// distinctive ones anywhere, plain words as whole words. An output also contains memviz's own words, so there only
// paths are searched for, which are not words. One pass over the text, however many were hidden.

#include "base/hash_map.hpp"
#include "redact/needle_index.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

class LeakSearch {
public:
  void hide(std::string_view text);
  /// Records a text that was not hidden: hidden texts that it contains, and their words, are not searched for.
  void keep(std::string_view text);
  /// Records the pseudonym of a hidden text: nothing is found in its first word, although it may begin like a hidden
  /// one ("func_1").
  void add_pseudonym(std::string_view text);

  /// Returns the number of places in a text from the file. The first call of this or count_paths() after hide() or
  /// keep() sorts the hidden texts.
  [[nodiscard]] std::size_t count(std::string_view text) const;
  /// Returns the number of places in an output where a hidden path begins, or a path that was in a hidden text: one
  /// with at least three '/', or two and a file ending.
  [[nodiscard]] std::size_t count_paths(std::string_view output) const;

private:
  using Texts = HashSet<std::string>;

  void prepare() const;
  /// Indexes those of `hidden` that occur in no kept text.
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
