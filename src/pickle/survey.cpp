#include "pickle/survey.hpp"

#include "base/utf8.hpp"
#include "memviz/error.hpp"
#include "pickle/cursor.hpp"
#include "pickle/opcode_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace memviz::pickle {

namespace {

/// The stack of a pickle machine that records only how deeply containers are nested. If a file takes more from it than
/// there is, which the decoder reports, nothing happens.
class SurveyStack {
public:
  void apply(const OpcodeInfo& info) {
    switch (info.effect) {
    case Effect::nothing:
    case Effect::memoize: break;
    case Effect::push_leaf: stack_.push_back(0); break;
    case Effect::push_container: push_container(1); break;
    case Effect::push_mark: marks_.push_back(stack_.size()); break;
    case Effect::wrap: push_container(around(pop(info.popped))); break;
    case Effect::wrap_to_mark: push_container(around(pop_to_mark())); break;
    case Effect::fill: fill(pop(info.popped)); break;
    case Effect::fill_to_mark: fill(pop_to_mark()); break;
    case Effect::drop: drop(); break;
    case Effect::drop_to_mark: static_cast<void>(pop_to_mark()); break;
    case Effect::duplicate: stack_.push_back(stack_.empty() ? 0 : stack_.back()); break;
    case Effect::replace:
      static_cast<void>(pop(info.popped));
      stack_.push_back(0);
      break;
    case Effect::replace_to_mark:
      static_cast<void>(pop_to_mark());
      stack_.push_back(0);
      break;
    }
  }

  /// Returns the maximum depth of containers so far.
  [[nodiscard]] std::uint64_t deepest() const { return deepest_; }

private:
  /// Returns the depth of containers below a value of the stack, including itself: 0 for a leaf.
  using Depth = std::uint32_t;

  static std::optional<Depth> max_of(std::optional<Depth> deepest, Depth depth) {
    return std::max(deepest.value_or(0), depth);
  }
  static Depth around(std::optional<Depth> items) {
    return std::min(items.value_or(0), std::numeric_limits<Depth>::max() - 1) + 1;
  }

  void push_container(Depth depth) {
    deepest_ = std::max(deepest_, depth);
    stack_.push_back(depth);
  }

  /// Returns the maximum depth of the topmost values, and removes them; 0 if there are none.
  std::optional<Depth> pop(std::size_t values) {
    std::optional<Depth> deepest;
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    for (; values > 0 && stack_.size() > floor; --values) {
      deepest = max_of(deepest, stack_.back());
      stack_.pop_back();
    }
    return deepest;
  }

  std::optional<Depth> pop_to_mark() {
    if (marks_.empty()) return std::nullopt;
    const auto deepest = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return deepest;
  }

  void fill(std::optional<Depth> items) {
    if (!items || stack_.empty()) return;
    stack_.back() = std::max(stack_.back(), around(items));
    deepest_ = std::max(deepest_, stack_.back());
  }

  void drop() {
    if (!marks_.empty() && marks_.back() == stack_.size())
      marks_.pop_back();
    else
      static_cast<void>(pop(1));
  }

  std::vector<Depth> stack_;
  std::vector<std::size_t> marks_;
  Depth deepest_ = 0;
};

class Surveyor {
public:
  explicit Surveyor(std::string_view bytes) : bytes_(bytes), cursor_(bytes) {}

  /// Reads one opcode; returns false at the end of the survey.
  bool step() {
    opcode_offset_ = cursor_.offset();
    if (cursor_.left() == 0) return end(SurveyEnd::truncated, opcode_offset_);
    const std::uint8_t opcode = cursor_.opcode();
    const OpcodeInfo& info = kOpcodeTable[opcode];
    if (info.name.empty()) return end(SurveyEnd::unknown_opcode, opcode_offset_);
    try {
      take_argument(info);
    } catch (const ParseError&) {
      return end(SurveyEnd::truncated, opcode_offset_);
    }
    count(opcode, info);
    stack_.apply(info);
    if (info.effect == Effect::memoize) memoize();
    remember_text(info);
    previous_ = static_cast<Opcode>(opcode);
    return previous_ != Opcode::stop || end(SurveyEnd::stop, cursor_.offset());
  }

  [[nodiscard]] std::size_t offset() const { return cursor_.offset(); }
  [[nodiscard]] Survey result() && {
    result_.deepest_nesting = stack_.deepest();
    return std::move(result_);
  }

private:
  bool end(SurveyEnd how, std::size_t offset) {
    result_.end = how;
    result_.end_offset = offset;
    return false;
  }

  // Arguments: argument_ is the bytes after the opcode, without a length before them or a newline after them.

  void take_argument(const OpcodeInfo& info) {
    if (info.argument == OpcodeArgument::two_lines) module_ = cursor_.line();
    if (info.argument == OpcodeArgument::one_line || info.argument == OpcodeArgument::two_lines) {
      argument_ = cursor_.line();
      return;
    }
    argument_ = cursor_.take(number_bytes(info.argument));
    // A negative length is treated as one of more than 2^31, which the decoder refuses as well.
    if (!argument_.empty() && !is_number(info.argument)) argument_ = cursor_.take(argument_number<std::uint64_t>());
  }

  /// Little-endian, of at most the available bytes.
  template <class Number> [[nodiscard]] Number argument_number() const {
    Number number = 0;
    std::memcpy(&number, argument_.data(), std::min(sizeof number, argument_.size()));
    return number;
  }

  // Counts.

  void count(std::uint8_t number, const OpcodeInfo& info) {
    const auto opcode = static_cast<Opcode>(number);
    ++result_.opcodes;
    ++result_.counts[number];
    if (opcode == Opcode::proto) result_.protocol = argument_number<std::uint8_t>();
    if (opcode == Opcode::frame) ++result_.frames;
    if (info.is_text)
      result_.longest_text_bytes = std::max<std::uint64_t>(result_.longest_text_bytes, argument_.size());
    if (!info.refused_purpose.empty()) count_refused(opcode);
  }

  void count_refused(Opcode opcode) {
    ++result_.refused_count;
    if (result_.refused.size() == kMostRefused) return;
    result_.refused.push_back({opcode_offset_, opcode, target(opcode)});
  }

  [[nodiscard]] std::string target(Opcode opcode) const {
    if (opcode == Opcode::global || opcode == Opcode::inst) return dotted(module_, argument_);
    if (opcode == Opcode::stack_global && is_known(text_) && is_known(text_below_)) return dotted(text_below_, text_);
    if (opcode == Opcode::persid) return to_valid_utf8(argument_.substr(0, kLongestName));
    return "";
  }

  static std::string dotted(std::string_view module, std::string_view name) {
    return to_valid_utf8(module.substr(0, kLongestName)) + '.' + to_valid_utf8(name.substr(0, kLongestName));
  }

  // The memo, and the two topmost texts of the stack, which STACK_GLOBAL imports. They point into the file, or are
  // empty.

  static bool is_known(std::string_view text) { return text.data() != nullptr; }

  void memoize() {
    const Effect filled = opcode_info(previous_).effect;
    if (filled == Effect::fill || filled == Effect::fill_to_mark) ++result_.memoized_after_filling;
    const bool is_empty = filled == Effect::push_container || previous_ == Opcode::list || previous_ == Opcode::dict;
    if (is_empty) ++result_.memoized_before_filling;
    if (is_known(text_)) remember(memo_index(), text_);
    ++result_.memo_entries;
  }

  void remember(std::uint64_t index, std::string_view text) {
    if (index >= kMostMemoTexts) return;
    const auto place = static_cast<std::size_t>(index);
    if (place >= memo_texts_.size()) memo_texts_.resize(place + 1);
    memo_texts_[place] = text;
  }

  /// Returns the memo index of PUT, GET or MEMOIZE, which numbers by the existing entries.
  [[nodiscard]] std::uint64_t memo_index() const {
    if (argument_.empty()) return result_.memo_entries;
    const auto opcode = static_cast<Opcode>(bytes_[opcode_offset_]);
    if (opcode != Opcode::put && opcode != Opcode::get) return argument_number<std::uint32_t>();
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    std::from_chars(argument_.data(), argument_.data() + argument_.size(), number);
    return number;
  }

  void remember_text(const OpcodeInfo& info) {
    const auto opcode = static_cast<Opcode>(bytes_[opcode_offset_]);
    if (info.effect == Effect::memoize || info.effect == Effect::nothing) return;
    std::string_view text;
    if (info.is_text) text = argument_;
    if (opcode == Opcode::get || opcode == Opcode::binget || opcode == Opcode::long_binget) {
      const std::uint64_t index = memo_index();
      if (index < memo_texts_.size()) text = memo_texts_[static_cast<std::size_t>(index)];
    }
    text_below_ = is_known(text) ? text_ : std::string_view{};
    text_ = text;
  }

  static constexpr std::size_t kLongestName = 256;
  static constexpr std::uint64_t kMostMemoTexts = std::uint64_t{1}
                                                  << 16U; // names of imports come early; later ones are not recorded

  std::string_view bytes_;
  Cursor cursor_;
  std::size_t opcode_offset_ = 0;
  std::string_view argument_;
  std::string_view module_;
  Opcode previous_ = Opcode::stop;
  SurveyStack stack_;
  std::string_view text_;
  std::string_view text_below_;
  std::vector<std::string_view> memo_texts_; ///< by memo number
  Survey result_;
};

} // namespace

Survey survey(std::string_view bytes, Progress progress) {
  Surveyor surveyor(bytes);
  while (surveyor.step())
    progress.reached(surveyor.offset());
  return std::move(surveyor).result();
}

} // namespace memviz::pickle
