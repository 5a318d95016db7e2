#pragma once

// What the program called its allocations, in texts that it attached to them.

#include "analysis/kinds/told_kinds.hpp"
#include "memviz/births.hpp"
#include "memviz/frames.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// Looks at each text once.
class DeclaredNames {
public:
  /// `frames` must outlive this.
  explicit DeclaredNames(const FrameTable& frames) : frames_(frames) {}

  /// "" for none.
  [[nodiscard]] const std::string& of(StringId text) {
    const auto [entry, is_new] = names_.try_emplace(text);
    if (is_new && text != kEmptyString) entry->second = declared_name(frames_.text(text));
    return entry->second;
  }
  /// The first that one of them has.
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

private:
  const FrameTable& frames_;
  std::map<StringId, std::string> names_;
};

} // namespace memviz
