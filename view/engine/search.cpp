#include "engine/search.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <re2/re2.h>
#include <string_view>

namespace memviz::view {

namespace {

constexpr int kHex = 16;
constexpr unsigned kBitsOfDigit = 4;
constexpr std::size_t kMostTextBytes = 4096; ///< of a text: a file may have one of megabytes
enum TextState : std::uint8_t { not_searched, without_it, with_it };

RE2::Options options() {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  return options;
}

bool is_expression(std::string_view text) {
  return text.size() > 2 && text.front() == '/' && text.back() == '/';
}

std::optional<WantedAddress> address_of(std::string_view digits) {
  const auto number = whole_number<std::uint64_t>(digits, kHex);
  if (!number || digits.starts_with('0')) return std::nullopt;
  return WantedAddress{*number, static_cast<unsigned>(digits.size())};
}

/// Words such as "add" and "face" are names of functions, so digits without 0x are at least five, one of them not a
/// letter.
bool may_be_address(std::string_view text) {
  constexpr std::size_t kLeastDigits = 5;
  return text.size() >= kLeastDigits &&
         std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns the addresses that a text may mean: "b41f4" means one as a name's beginning and one as digits.
std::vector<WantedAddress> addresses_in(std::string_view text) {
  std::vector<WantedAddress> found;
  const auto add = [&](std::string_view digits) {
    if (const auto address = address_of(digits)) found.push_back(*address);
  };
  if (text.starts_with("0x") || text.starts_with("0X")) {
    add(text.substr(2));
    return found;
  }
  if (!may_be_address(text)) return found;
  add(text);
  if (text.starts_with('b') || text.starts_with('s')) add(text.substr(1));
  return found;
}

std::optional<WantedName> name_in(std::string_view text) {
  const std::size_t mark = text.find('_');
  if (!text.starts_with('b') || mark == std::string_view::npos) return std::nullopt;
  const auto address = whole_number<std::uint64_t>(text.substr(1, mark - 1), kHex);
  const auto uses = whole_number<std::uint32_t>(text.substr(mark + 1));
  return address && uses ? std::optional(WantedName{*address, *uses}) : std::nullopt;
}

} // namespace

struct Search::Pattern {
  explicit Pattern(const std::string& text)
      : expression(is_expression(text) ? text.substr(1, text.size() - 2) : RE2::QuoteMeta(text), options()) {
    if (!expression.ok()) throw UsageError(fmt::format("no expression: {}", expression.error()));
  }
  [[nodiscard]] bool is_in(std::string_view words) const {
    return RE2::PartialMatch(re2::StringPiece(words.data(), words.size()), expression);
  }
  RE2 expression;
};

bool WantedAddress::begins(std::uint64_t address) const {
  const unsigned all = (static_cast<unsigned>(std::bit_width(address)) + kBitsOfDigit - 1) / kBitsOfDigit;
  return all >= count && address >> (kBitsOfDigit * (all - count)) == digits;
}

Search::Search() = default;
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

Search::Search(const std::string& text, const Recording& recording) {
  if (text.empty()) return;
  recording_ = &recording;
  name_ = name_in(text);
  if (!name_) addresses_ = addresses_in(text);
  pattern_ = std::make_unique<Pattern>(text);
  texts_.resize(recording.frames.string_count());
  search_stacks();
}

void Search::search_stacks() {
  const FrameTable& frames = recording_->frames;
  std::vector<bool> found(frames.frame_count());
  for (std::uint32_t frame = 0; frame < frames.frame_count(); ++frame) {
    const FrameId id{frame};
    found[frame] =
        pattern_->is_in(fmt::format("{} {} {}", frames.name(id), frame_place(frames, id), frames.filename(id)));
    if (found[frame]) ++frames_;
  }
  stacks_.resize(frames.stack_count());
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack)
    for (const FrameId frame : frames.stack(StackId{stack}))
      if (found[frame.value]) stacks_[stack] = true;
}

bool Search::has(StringId text) const {
  if (text == kEmptyString || text.value >= texts_.size()) return false;
  std::uint8_t& state = texts_[text.value];
  if (state == not_searched)
    state = pattern_->is_in(recording_->frames.text(text).substr(0, kMostTextBytes)) ? with_it : without_it;
  return state == with_it;
}

bool Search::has(const EventTable& events, std::uint32_t event) const {
  if (is_empty() || name_) return false;
  return has(events.stack(event)) || has(events.forward_stack(event)) || has(events.user_metadata(event)) ||
         has(events.internal_metadata(event)) || has(events.compile_context(event)) || has(events.action_text(event)) ||
         (events.action(event) != Action::oom && has_address(events.address(event)));
}

bool Search::has_address(std::uint64_t address) const {
  if (name_) return name_->address == address;
  return std::any_of(addresses_.begin(), addresses_.end(),
                     [&](const WantedAddress& one) { return one.begins(address); });
}

bool Search::is_within(std::uint64_t address, std::uint64_t size_bytes) const {
  return std::any_of(addresses_.begin(), addresses_.end(), [&](const WantedAddress& one) {
    return one.digits >= address && one.digits - address < size_bytes;
  });
}

std::optional<std::uint32_t> Search::named(const Scrub& scrub) const {
  return name_ ? scrub.named(name_->address, name_->earlier_uses) : std::nullopt;
}

} // namespace memviz::view
