#include "redact/leak_search.hpp"

#include "base/hash.hpp"
#include "redact/ascii.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace memviz {
namespace {

/// Shorter texts stand everywhere.
constexpr std::size_t kShortest = 6;
/// Of longer ones the beginning is enough, and keeps the search linear.
constexpr std::size_t kLongest = 64;

/// Characters that no format escapes and no picture breaks.
bool is_plain(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == ':';
}

/// A plain word ("memory", "Segment") may be a part of others; "SecretModel", "train_step" and "a/b.py" stand alone.
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

/// The part of a text to look for: its longest run of plain characters. "" where that would be found everywhere.
std::string needle_of(std::string_view text) {
  std::string_view longest;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_plain(text[end]))
      ++end;
    if (end - begin > longest.size()) longest = text.substr(begin, end - begin);
    begin = end + 1;
  }
  if (longest.size() < kShortest || !is_distinctive(longest)) return "";
  return std::string(longest.substr(0, kLongest));
}

bool is_word_character(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// Calls visit(word) for each word with a letter in it that is long enough to tell something.
template <class Visit> void for_each_word(std::string_view text, Visit visit) {
  constexpr std::size_t kShortestWord = 4;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_word_character(text[end]))
      ++end;
    const std::string_view word = text.substr(begin, end - begin);
    if (word.size() >= kShortestWord && !std::all_of(word.begin(), word.end(), is_digit)) visit(word);
    begin = end + 1;
  }
}

std::string in_lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::size_t hash_of_beginning(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, kShortest);
  return mixed(hash_secret(), word);
}

/// Only those that begin with no other one: whoever finds that one has found them.
std::vector<std::string> without_longer_ones(const std::vector<std::string>& sorted) {
  std::vector<std::string> result;
  for (const std::string& text : sorted)
    if (result.empty() || !text.starts_with(result.back())) result.push_back(text);
  return result;
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
  if (needle.empty() || !hidden_.add(needle).is_new) return;
  is_prepared_ = false;
}

void LeakSearch::keep(std::string_view text) {
  const bool is_long = text.size() >= kShortest;
  if (is_long && !kept_.add(text).is_new) return;
  bool is_new = is_long;
  for_each_word(text, [&](std::string_view word) { is_new |= kept_words_.add(in_lower_case(word)).is_new; });
  if (is_new) is_prepared_ = false;
}

bool LeakSearch::is_kept(std::string_view word) const {
  std::string lower = in_lower_case(word);
  if (kept_words_.contains(lower)) return true;
  return lower.ends_with('s') && kept_words_.contains(lower.substr(0, lower.size() - 1));
}

void LeakSearch::index(const std::vector<std::string>& needles) const {
  constexpr std::size_t kBitsPerNeedle = 16;
  needles_ = without_longer_ones(needles);
  beginnings_.assign(std::bit_ceil(needles_.size() * kBitsPerNeedle + 1), false);
  for (const std::string& needle : needles_)
    beginnings_[hash_of_beginning(needle.data()) & (beginnings_.size() - 1)] = true;
}

const std::string* LeakSearch::needle_at(std::string_view text) const {
  if (!beginnings_[hash_of_beginning(text.data()) & (beginnings_.size() - 1)]) return nullptr;
  // What `text` begins with stands right before the place of `text` itself, since no needle begins another one.
  const auto after = std::upper_bound(needles_.begin(), needles_.end(), text.substr(0, kLongest));
  if (after == needles_.begin()) return nullptr;
  const std::string& candidate = *(after - 1);
  return text.starts_with(candidate) ? &candidate : nullptr;
}

void LeakSearch::prepare() const {
  std::vector<std::string> needles;
  hidden_.for_each([&](const std::string& needle, NoValue) { needles.push_back(needle); });
  std::sort(needles.begin(), needles.end());
  // A needle that is dropped may have hidden longer ones, so this is done again until nothing is dropped: at most once
  // for each length.
  for (std::size_t dropped = 1; dropped > 0;) {
    index(needles);
    Texts is_public;
    kept_.for_each([&](std::string_view text, NoValue) {
      for (std::size_t i = 0; i + kShortest <= text.size(); ++i)
        if (const std::string* needle = needle_at(text.substr(i))) is_public.add(*needle);
    });
    dropped = std::erase_if(needles, [&](const std::string& needle) { return is_public.contains(needle); });
  }
  words_.clear();
  hidden_words_.for_each([&](const std::string& word, NoValue) {
    if (!is_kept(word)) words_.add(word);
  });
  is_prepared_ = true;
}

std::size_t LeakSearch::count_words(std::string_view output) const {
  if (words_.empty()) return 0;
  std::size_t places = 0;
  for_each_word(output, [&](std::string_view word) {
    if (words_.contains(word)) ++places;
  });
  return places;
}

std::size_t LeakSearch::count(std::string_view output) const {
  if (!is_prepared_) prepare();
  std::size_t places = count_words(output);
  for (std::size_t i = 0; i + kShortest <= output.size(); ++i)
    if (needle_at(output.substr(i)) != nullptr) ++places;
  return places;
}

} // namespace memviz
