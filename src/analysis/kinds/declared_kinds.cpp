#include "analysis/kinds/declared_kinds.hpp"

#include "base/ascii.hpp"
#include "memviz/source_line.hpp"

#include <array>
#include <fmt/format.h>
#include <re2/re2.h>
#include <string>
#include <utility>

namespace memviz {

namespace {

/// The longest prefix of a text that is matched, because one long text may be in every frame.
constexpr std::size_t kMostMatchedBytes = 4096;

/// The spellings of torch.profiler (Category), of its memory timeline, and of people who write such texts by hand.
std::optional<MemoryKind> kind_of_word(std::string_view word) {
  using Spelling = std::pair<std::string_view, MemoryKind>;
  static constexpr std::array<Spelling, 16> kSpellings{{{"parameter", MemoryKind::parameter},
                                                        {"param", MemoryKind::parameter},
                                                        {"weight", MemoryKind::parameter},
                                                        {"buffer", MemoryKind::parameter},
                                                        {"gradient", MemoryKind::gradient},
                                                        {"grad", MemoryKind::gradient},
                                                        {"optimizer_state", MemoryKind::optimizer_state},
                                                        {"optim_state", MemoryKind::optimizer_state},
                                                        {"activation", MemoryKind::activation},
                                                        {"input", MemoryKind::input},
                                                        {"kv_cache", MemoryKind::kv_cache},
                                                        {"kvcache", MemoryKind::kv_cache},
                                                        {"temporary", MemoryKind::temporary},
                                                        {"temp", MemoryKind::temporary},
                                                        {"communication", MemoryKind::communication},
                                                        {"workspace", MemoryKind::workspace}}};
  std::string plain;
  for (const char character : word)
    plain += character == ' ' || character == '-' ? '_' : lower_case(character);
  if (plain.ends_with('s')) plain.pop_back();
  for (const auto& [spelling, kind] : kSpellings)
    if (spelling == plain) return kind;
  return std::nullopt;
}

} // namespace

std::optional<MemoryKind> declared_kind(std::string_view text) {
  text = text.substr(0, kMostMatchedBytes);
  if (const auto kind = kind_of_word(text)) return kind;
  static const RE2 key(
      R"((?i)(?:^|[^a-z_])(?:memory_)?(?:kind|category|component)['"]?\s*[:=]\s*['"]?([a-z _-]*[a-z]))");
  std::string word;
  if (!RE2::PartialMatch({text.data(), text.size()}, key, &word)) return std::nullopt;
  // Returns the key that follows: "kind=parameter name=h.0.attn.weight".
  constexpr std::string_view kNext = " name";
  if (word.ends_with(kNext)) word.resize(word.size() - kNext.size());
  return kind_of_word(word);
}

std::string declared_name(std::string_view text) {
  text = text.substr(0, kMostMatchedBytes);
  static const RE2 key(R"re((?i)(?:^|[^a-z_])name['"]?\s*[:=]\s*(?:'([^']*)'|"([^"]*)"|([^\s,;'"{}]+)))re");
  std::array<std::string, 3> words;
  if (!declared_kind(text) || !RE2::PartialMatch({text.data(), text.size()}, key, &words[0], &words[1], &words[2]))
    return {};
  return words[0] + words[1] + words[2];
}

KindOf DeclaredKinds::of_text(StringId text) {
  if (texts_.size() <= text.value) texts_.resize(frames_.string_count());
  std::optional<KindOf>& known = texts_[text.value];
  if (known) return *known;
  const std::string_view words = frames_.text(text).substr(0, kMostMatchedBytes);
  known = KindOf{};
  if (const auto rule = rules_.first_match(words))
    known = KindOf{rules_.kind(*rule), KindEvidence::rules};
  else if (const auto kind = declared_kind(words))
    known = KindOf{*kind, KindEvidence::declared};
  return *known;
}

std::size_t DeclaredKinds::rule_of(FrameId frame) {
  if (frame_rules_.size() <= frame.value) frame_rules_.resize(frames_.frame_count());
  std::size_t& known = frame_rules_[frame.value];
  if (known > 0) return known;
  const auto rule = rules_.first_match(
      fmt::format("{}:{}:{}", frames_.filename(frame), file_line_text(frames_.frame(frame).line), frames_.name(frame)));
  known = rule ? *rule + 2 : 1;
  return known;
}

KindOf DeclaredKinds::of_stack(StackId stack) {
  if (rules_.empty()) return {};
  if (stacks_.size() <= stack.value) stacks_.resize(frames_.stack_count());
  std::optional<KindOf>& known = stacks_[stack.value];
  if (known) return *known;
  std::optional<std::size_t> first;
  for (const FrameId frame : frames_.stack(stack)) {
    const std::size_t rule = rule_of(frame);
    if (rule > 1 && (!first || rule - 2 < *first)) first = rule - 2;
  }
  known = first ? KindOf{rules_.kind(*first), KindEvidence::rules} : KindOf{};
  return *known;
}

} // namespace memviz
