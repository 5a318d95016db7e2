#include "redact/leak_search.hpp"

#include "base/ascii.hpp"
#include "base/hash.hpp"
#include "redact/file_endings.hpp"

#include <algorithm>
#include <vector>

namespace memviz {
namespace {

/// Whether a character occurs in the names of a path, or between them.
bool belongs_to_path(char c) {
  return is_lower(c) || c == '/' || c == '_' || c == '.' || is_digit(c) || is_upper(c) || c == '-';
}

/// Characters that no format escapes and no picture breaks.
bool is_plain(char c) {
  return belongs_to_path(c) || c == ':';
}

/// Whether words in a text contain a character.
bool is_word_character(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// Calls visit(run) for each longest run of characters that satisfy `belongs`.
template <class Belongs, class Visit> void for_each_run(std::string_view text, Belongs belongs, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && belongs(text[end]))
      ++end;
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Calls visit(word) for each word that contains a letter and is long enough to be significant.
template <class Visit> void for_each_word(std::string_view text, Visit visit) {
  constexpr std::size_t kShortestWord = 4;
  for_each_run(text, is_word_character, [&](std::string_view word) {
    if (word.size() >= kShortestWord && !std::ranges::all_of(word, is_digit)) visit(word);
  });
}

/// A plain word ("memory", "Segment") may be part of others; "SecretModel", "train_step" and "a/b.py" are unambiguous.
bool is_distinctive(std::string_view text) {
  bool has_letter = false;
  bool has_mark = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    has_letter = has_letter || is_upper(text[i]) || is_lower(text[i]);
    has_mark = has_mark || !(is_upper(text[i]) || is_lower(text[i]));
    has_mark = has_mark || (i > 0 && is_upper(text[i]) && is_lower(text[i - 1]));
  }
  return has_letter && has_mark;
}

/// Returns the part of a text to search for: its longest run of plain characters. "" if that would occur everywhere.
std::string needle_of(std::string_view text) {
  std::string_view longest;
  for_each_run(text, is_plain, [&](std::string_view run) {
    if (run.size() > longest.size()) longest = run;
  });
  if (longest.size() < kShortestNeedle || !is_distinctive(longest)) return "";
  return std::string(longest.substr(0, kLongestNeedle));
}

/// Returns the part of a path to search for in outputs; "" for text that may be memviz's own: words with a '/' between
/// them, a regular expression of a script ("/page/g"), or the rest of a URL.
std::string_view path_needle_of(std::string_view run) {
  if (run.ends_with('/')) run.remove_suffix(1);
  const auto separators = std::ranges::count(run, '/');
  const bool is_path = separators > 2 || (separators == 2 && !known_extension(run).empty());
  const std::string_view needle = run.substr(0, kLongestNeedle);
  if (!is_path || needle.size() < kShortestNeedle || needle.starts_with("//") || !is_distinctive(needle)) return {};
  return needle;
}

} // namespace

void LeakSearch::hide(std::string_view text) {
  const std::string needle = needle_of(text);
  for_each_word(text, [&](std::string_view word) {
    const bool is_found_with_needle = needle.find(word) != std::string::npos;
    if (is_found_with_needle || hidden_words_.contains(word)) return;
    hidden_words_.add(word);
    is_prepared_ = false;
  });
  for_each_run(text, belongs_to_path, [&](std::string_view run) {
    const std::string_view path = path_needle_of(run);
    if (path.empty() || hidden_paths_.contains(path)) return;
    hidden_paths_.add(path);
    is_prepared_ = false;
  });
  if (needle.empty() || !hidden_.add(needle).is_new) return;
  is_prepared_ = false;
}

void LeakSearch::keep(std::string_view text) {
  const bool is_long = text.size() >= kShortestNeedle;
  if (is_long && !kept_.add(text).is_new) return;
  bool is_new = is_long;
  for_each_word(text, [&](std::string_view word) { is_new |= kept_words_.add(word).is_new; });
  if (is_new) is_prepared_ = false;
}

void LeakSearch::add_pseudonym(std::string_view text) {
  const std::string_view::const_iterator end = std::ranges::find_if_not(text, is_word_character);
  pseudonyms_.add(std::string_view(text.begin(), end));
}

void LeakSearch::index(const Texts& hidden, NeedleIndex& needles) const {
  std::vector<std::string> wanted;
  hidden.for_each([&](const std::string& needle, NoValue) { wanted.push_back(needle); });
  std::ranges::sort(wanted);
  // Dropping one may reveal longer ones that it covered, so this is repeated until nothing is dropped: at most once for
  // each length.
  for (std::size_t dropped = 1; dropped > 0;) {
    needles.assign(wanted);
    Texts is_public;
    kept_.for_each([&](std::string_view text, NoValue) {
      for (std::size_t i = 0; i + kShortestNeedle <= text.size(); ++i)
        if (const std::string* needle = needles.at(text.substr(i))) is_public.add(*needle);
    });
    dropped = std::erase_if(wanted, [&](const std::string& needle) { return is_public.contains(needle); });
  }
}

void LeakSearch::prepare() const {
  index(hidden_, needles_);
  index(hidden_paths_, paths_);
  words_.clear();
  hidden_words_.for_each([&](const std::string& word, NoValue) {
    if (!kept_words_.contains(word)) words_.add(word);
  });
  is_prepared_ = true;
}

std::size_t LeakSearch::count_words(std::string_view text) const {
  if (words_.empty()) return 0;
  std::size_t places = 0;
  for_each_word(text, [&](std::string_view word) {
    if (words_.contains(word)) ++places;
  });
  return places;
}

std::size_t LeakSearch::count_needles(std::string_view text) const {
  std::size_t places = 0;
  for (std::size_t i = 0; i + kShortestNeedle <= text.size(); ++i)
    if (needles_.at(text.substr(i)) != nullptr) ++places;
  return places;
}

std::size_t LeakSearch::count(std::string_view text) const {
  if (!is_prepared_) prepare();
  std::size_t places = count_words(text);
  std::size_t behind_pseudonym = 0;
  for_each_word(text, [&](std::string_view word) {
    if (!pseudonyms_.contains(word)) return;
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    places += count_needles(text.substr(behind_pseudonym, begin - behind_pseudonym));
    behind_pseudonym = begin + word.size();
  });
  return places + count_needles(text.substr(behind_pseudonym));
}

std::size_t LeakSearch::count_paths(std::string_view output) const {
  if (!is_prepared_) prepare();
  std::size_t places = 0;
  if (paths_.empty()) return places;
  for_each_run(output, belongs_to_path, [&](std::string_view run) {
    if (run.size() >= kShortestNeedle && paths_.at(run) != nullptr) ++places;
  });
  return places;
}

} // namespace memviz
