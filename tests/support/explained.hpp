#pragma once

// A snapshot and its explanation, at the failure if there is one, else at the peak.

#include "memviz/explain.hpp"
#include "story/explain_words.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memviz::test {

struct Explained {
  MemoryState state;
  std::vector<DeviceExplanation> devices;

  [[nodiscard]] const DeviceExplanation& first() const { return devices.at(0); }
  [[nodiscard]] ExplanationText words() const { return in_words(state, first()); }
  /// Returns the answer to one question; fails the test if there is none.
  [[nodiscard]] const WhatIf& answer(Circumstance circumstance) const;
  /// "store cache.py:55": the line with most bytes.
  [[nodiscard]] std::string label(const NodeKey& key) const;
};

[[nodiscard]] Explained explained(Recording recording, std::optional<std::uint64_t> capacity_bytes = std::nullopt);
[[nodiscard]] Recording read_file(const std::filesystem::path& path);

/// Checks that every part of the totals adds up to the reserved bytes, which are those of the state.
void check_adds_up(const Explained& explained);

} // namespace memviz::test
