#include "pickle/survey.hpp"

#include "base/utf8.hpp"
#include "pickle/opcode_table.hpp"
#include "pickle/survey_stack.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace memviz::pickle {

namespace {

class Surveyor {
public:
  explicit Surveyor(std::string_view bytes) : bytes_(bytes) {}

  /// Takes one opcode; false at the end of the survey.
  bool step() {
    opcode_offset_ = offset_;
    if (offset_ == bytes_.size()) return end(SurveyEnd::truncated, opcode_offset_);
    const auto opcode = static_cast<std::uint8_t>(bytes_[offset_++]);
    const OpcodeInfo& info = kOpcodeTable[opcode];
    if (info.name.empty()) return end(SurveyEnd::unknown_opcode, opcode_offset_);
    if (!take_argument(info)) return end(SurveyEnd::truncated, opcode_offset_);
    count(opcode, info);
    stack_.apply(info);
    if (info.effect == Effect::memoize) memoize();
    remember_text(info);
    previous_ = static_cast<Opcode>(opcode);
    return previous_ != Opcode::stop || end(SurveyEnd::stop, offset_);
  }

  [[nodiscard]] std::size_t offset() const { return offset_; }
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

  // Arguments: argument_ is what follows the opcode, without a length before it or a newline behind it.

  bool take_argument(const OpcodeInfo& info) {
    argument_ = {};
    switch (info.argument) {
    case Argument::none: return true;
    case Argument::one_line: return take_line();
    case Argument::two_lines: return take_module_and_name();
    default: break;
    }
    if (!take(number_bytes(info.argument))) return false;
    // A negative length is taken for one of more than 2^31, which the decoder refuses, too.
    return is_number(info.argument) || take(argument_number<std::uint64_t>());
  }

  bool take(std::uint64_t size) {
    if (size > bytes_.size() - offset_) return false;
    argument_ = bytes_.substr(offset_, static_cast<std::size_t>(size));
    offset_ += static_cast<std::size_t>(size);
    return true;
  }

  bool take_line() {
    const std::size_t newline = bytes_.find('\n', offset_);
    if (newline == std::string_view::npos) return false;
    argument_ = bytes_.substr(offset_, newline - offset_);
    offset_ = newline + 1;
    return true;
  }

  bool take_module_and_name() {
    if (!take_line()) return false;
    module_ = argument_;
    return take_line();
  }

  /// Little-endian, of at most the bytes that are there.
  template <class Number> [[nodiscard]] Number argument_number() const {
    Number number = 0;
    std::memcpy(&number, argument_.data(), std::min(sizeof number, argument_.size()));
    return number;
  }

  // What is counted.

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

  // The memo, and the two topmost texts of the stack: what STACK_GLOBAL imports. They point into the file, or nowhere.

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
    if (index >= memo_texts_.size()) memo_texts_.resize(index + 1);
    memo_texts_[index] = text;
  }

  /// Of PUT, GET and MEMOIZE, which numbers by the entries that there are.
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
      if (index < memo_texts_.size()) text = memo_texts_[index];
    }
    text_below_ = is_known(text) ? text_ : std::string_view{};
    text_ = text;
  }

  static constexpr std::size_t kLongestName = 256;
  static constexpr std::uint64_t kMostMemoTexts = std::uint64_t{1}
                                                  << 16U; // names of imports come early, or stay unnamed

  std::string_view bytes_;
  std::size_t offset_ = 0;
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
