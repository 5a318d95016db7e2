#include "story/kind_words.hpp"

#include <doctest/doctest.h>
#include <set>
#include <string>

using namespace memviz;

namespace {

constexpr MemoryKind kTold[] = {MemoryKind::parameter, MemoryKind::parameter_or_state, MemoryKind::optimizer_state,
                                MemoryKind::gradient, MemoryKind::activation};

std::string older(MemoryKind kind) {
  return kind_reason({kind, KindEvidence::behaviour}, Pseudo::before_recording);
}

} // namespace

TEST_CASE("memory older than the recording has a reason of its kind") {
  CHECK(older(MemoryKind::parameter).starts_with("the first blocks of this size"));
  CHECK(older(MemoryKind::parameter_or_state).starts_with("several blocks of this size for each gradient"));
  CHECK(older(MemoryKind::optimizer_state).starts_with("further blocks of a gradient's size"));
  CHECK(older(MemoryKind::activation).starts_with("freed by the first backward pass"));
  std::set<std::string> reasons;
  for (const MemoryKind kind : kTold) {
    CHECK(older(kind).ends_with("; older than the recording"));
    reasons.insert(older(kind));
  }
  CHECK(reasons.size() == std::size(kTold));
}

TEST_CASE("the main kind has nine tenths of the bytes, or more") {
  const KindShares shares{{{MemoryKind::gradient, KindEvidence::frames}, {900, 1}},
                          {{MemoryKind::activation, KindEvidence::frames}, {100, 1}}};
  CHECK(main_kind(shares, 1000) == MemoryKind::gradient);
  CHECK(!main_kind(shares, 1010));
  CHECK(kinds_cell(shares) == "gradient");
}

TEST_CASE("recorded memory without a stack has a reason that is not its age") {
  for (const MemoryKind kind : kTold) {
    const std::string reason = kind_reason({kind, KindEvidence::behaviour}, Pseudo::without_stack);
    CHECK(reason != older(kind));
    CHECK(reason.find("older") == std::string::npos);
  }
}

TEST_CASE("kinds are named in a note where less than a tenth of the bytes has one") {
  const MemoryState state;
  const auto note = [&](std::uint64_t known_bytes) {
    const KindShares kinds{{{MemoryKind::parameter, KindEvidence::frames}, {known_bytes, 1}},
                           {{MemoryKind::unknown, KindEvidence::none}, {10'000 - known_bytes, 1}}};
    return hardly_known_note({state, {}, {{.key = Pseudo::without_stack, .amount = {10'000, 2}, .kinds = kinds}}});
  };
  CHECK(note(999).starts_with("Kinds of memory in use: "));
  CHECK(note(1'000).empty());
  CHECK(note(0).empty());
}

TEST_CASE("other evidence is its own reason, and an unknown kind has none") {
  CHECK(kind_reason({MemoryKind::parameter, KindEvidence::declared}, Pseudo::before_recording) == "declared");
  CHECK(kind_reason({MemoryKind::gradient, KindEvidence::rules}, Pseudo::without_stack) == "by your rules");
  CHECK(kind_reason({MemoryKind::unknown, KindEvidence::none}, Pseudo::before_recording).empty());
}
