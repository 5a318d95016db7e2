#include "engine/search.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>
#include <re2/re2.h>
#include <string_view>

namespace memviz::view {

namespace {

RE2::Options options() {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  return options;
}

bool is_expression(std::string_view text) {
  return text.size() > 2 && text.front() == '/' && text.back() == '/';
}

} // namespace

Search::Search(const std::string& text, const Recording& recording) : is_empty_(text.empty()) {
  if (is_empty_) return;
  constexpr int kHex = 16;
  const std::string_view view = text;
  if (view.starts_with("0x")) address_ = whole_number<std::uint64_t>(view.substr(2), kHex);
  const std::size_t mark = view.find('_');
  if (view.starts_with('b') && mark != std::string_view::npos) {
    address_ = whole_number<std::uint64_t>(view.substr(1, mark - 1), kHex);
    use_ = whole_number<std::uint32_t>(view.substr(mark + 1));
  }
  const RE2 pattern(is_expression(text) ? text.substr(1, text.size() - 2) : RE2::QuoteMeta(text), options());
  if (!pattern.ok()) throw UsageError(fmt::format("no expression: {}", pattern.error()));

  const FrameTable& frames = recording.frames;
  std::vector<bool> found(frames.frame_count());
  for (std::uint32_t frame = 0; frame < frames.frame_count(); ++frame) {
    const FrameId id{frame};
    const std::string words = fmt::format("{} {} {}", frames.name(id), frame_place(frames, id), frames.filename(id));
    found[frame] = RE2::PartialMatch(words, pattern);
    if (found[frame]) ++frames_;
  }
  stacks_.resize(frames.stack_count());
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack)
    for (const FrameId frame : frames.stack(StackId{stack}))
      if (found[frame.value]) stacks_[stack] = true;
}

std::optional<std::uint32_t> Search::named(const Scrub& scrub) const {
  return address_ && use_ ? scrub.named(*address_, *use_) : std::nullopt;
}

bool Search::has(const Scrub& scrub, std::uint32_t index) const {
  if (is_empty_) return false;
  const Life& life = scrub.life(index);
  if (address_) return life.address == *address_ && (!use_ || scrub.earlier_uses(index) == *use_);
  return has(life.stack);
}

} // namespace memviz::view
