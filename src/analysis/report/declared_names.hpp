#pragma once

// Texts that a program attached to its allocations -> the names in them.

#include "analysis/kinds/declared_kinds.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/recorder.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// Examines each text once.
class DeclaredNames {
public:
  /// `recording` must outlive this object.
  explicit DeclaredNames(const Recording& recording) : frames_(recording.frames), declared_(recording.declared) {}

  /// Returns the name of a block of a state of the recording.
  [[nodiscard]] std::string of(const MemoryState& state, DeviceId device, std::uint32_t block) {
    const std::optional<BlockBirth>& birth = state.facts[block].birth;
    std::string name = birth ? of(*birth) : std::string();
    return name.empty() ? of(declared_of(state, device, block)) : name;
  }
  [[nodiscard]] std::string of(const DeviceRecord& record, const Life& life) {
    std::string name = of(record.annotations_of(life));
    return name.empty() ? of(declared_of(declared_, record.device, life)) : name;
  }

private:
  [[nodiscard]] std::string of(const DeclaredMemory* declared) const {
    return declared == nullptr ? std::string() : std::string(frames_.text(declared->name));
  }

  /// Returns "" if there is none.
  [[nodiscard]] const std::string& of(StringId text) {
    const auto [entry, is_new] = names_.try_emplace(text);
    if (is_new && text != kEmptyString) entry->second = declared_name(frames_.text(text));
    return entry->second;
  }
  /// Returns the first name that one of them has.
  [[nodiscard]] std::string of(std::span<const StringId> texts) {
    for (const StringId text : texts)
      if (const std::string& name = of(text); !name.empty()) return name;
    return {};
  }
  [[nodiscard]] std::string of(const BlockBirth& birth) {
    std::vector<StringId> texts{birth.user_metadata, birth.internal_metadata};
    texts.insert(texts.end(), birth.annotations.begin(), birth.annotations.end());
    return of(texts);
  }

  const FrameTable& frames_;
  const DeclaredTable& declared_;
  std::map<StringId, std::string> names_;
};

} // namespace memviz
