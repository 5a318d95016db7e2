#include "redact/code_names.hpp"

#include "memviz/label.hpp"
#include "redact/public_names.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.hpp"

namespace memviz {
namespace {

bool begins_word(char c) {
  return may_be_letter(c) || c == '_' || c == '$';
}

bool continues_word(char c) {
  return begins_word(c) || is_digit(c);
}

/// Returns the length of the word or number at the beginning of `text`.
std::size_t word_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && continues_word(text[size]))
    ++size;
  return size;
}

/// Prefixes by which the ranking of lines recognises a C function of a library.
bool looks_like_library(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kBeginnings{
      "__", "_Py", "Py", "builtin_", "pthread_", "clone", "cfunction_", "start_thread", "type_call"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view part) { return word.starts_with(part); });
}

/// Returns the beginning of a pseudonym that trees and rankings treat as the same kind of function.
std::string_view prefix_of(std::string_view name) {
  if (is_interpreter(name, "")) return "_Py_func_";
  return looks_like_library(name) ? "__func_" : "func_";
}

/// Walks over a C++ name; brackets nest, and each level has a separate path ("at::native::add").
class CppName {
public:
  CppName(std::string_view name, const Hiding& hiding) : rest_(name), hiding_(hiding) {}

  [[nodiscard]] std::string hidden() {
    while (!rest_.empty()) {
      if (begins_word(rest_.front()))
        word();
      else if (is_digit(rest_.front()))
        take(word_size(rest_)); // "128ul"
      else
        mark();
    }
    return std::move(result_);
  }

private:
  void take(std::size_t count) {
    result_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  void word() {
    const std::size_t size = word_size(rest_);
    const std::string_view word = rest_.substr(0, size);
    if (!is_in_path_) is_public_path_ = is_public_namespace(word);
    is_in_path_ = true;
    if (word == "operator") return take_operator();
    if (is_public_path_ || is_public_symbol(word)) return take(size);
    result_ += hidden_function(word, hiding_);
    rest_.remove_prefix(size);
  }

  /// `operator<`, `operator()`: these are not brackets.
  void take_operator() {
    take(std::string_view("operator").size());
    static constexpr std::string_view kMarks = "<>=!+-*/%^&|~,";
    if (rest_.starts_with("()") || rest_.starts_with("[]")) return take(2);
    std::size_t size = 0;
    while (size < 3 && size < rest_.size() && kMarks.find(rest_[size]) != std::string_view::npos)
      ++size;
    take(size);
  }

  void mark() {
    static constexpr std::string_view kOpen = "<([{";
    static constexpr std::string_view kClose = ">)]}";
    const char c = rest_.front();
    if (rest_.starts_with("::")) return take(2);
    if (rest_.starts_with("->")) {
      end_path();
      return take(2);
    }
    // A path continues after its arguments: `std::vector<int>::size`, `at::(anonymous namespace)::run`.
    const bool goes_on = closes_into_path(c);
    if (kOpen.find(c) != std::string_view::npos) {
      levels_.push_back(is_in_path_ && is_public_path_);
      end_path();
    } else if (kClose.find(c) != std::string_view::npos && !levels_.empty()) {
      is_public_path_ = levels_.back();
      is_in_path_ = goes_on;
      levels_.pop_back();
    } else {
      end_path();
    }
    take(1);
  }

  [[nodiscard]] bool closes_into_path(char c) const {
    const std::string_view next = rest_.substr(1);
    if (c == '>' && next.starts_with('(')) return true;
    return (c == '>' || c == ')' || c == ']' || c == '}') && next.starts_with("::");
  }

  void end_path() {
    is_in_path_ = false;
    is_public_path_ = false;
  }

  std::string_view rest_;
  const Hiding& hiding_;
  std::string result_;
  std::vector<bool> levels_; ///< for each open bracket, whether a public path precedes it
  bool is_in_path_ = false;
  bool is_public_path_ = false;
};

} // namespace

std::string hidden_function(std::string_view name, const Hiding& hiding) {
  hiding.search.hide(name);
  std::string omitted;
  for (const std::string_view part : omitted_names()) {
    if (name.find(part) == std::string_view::npos) continue;
    hiding.search.keep(part);
    omitted += part;
  }
  return hiding.pseudonym(prefix_of(name), name, omitted);
}

std::string hidden_cpp_name(std::string_view name, const Hiding& hiding) {
  std::string hidden = CppName(name, hiding).hidden();
  hiding.search.keep(hidden); // its public parts may be hidden elsewhere
  return hidden;
}

} // namespace memviz
