#pragma once

// Paths to blocks -> the variables with which they begin, and what each keeps.

#include "analysis/keepers/retained.hpp"
#include "memviz/keeper_answers.hpp"
#include "recording/block_holders.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

class VariableFinder {
public:
  /// The recording must outlive this object.
  explicit VariableFinder(const Recording& recording);

  [[nodiscard]] const KeeperPaths& paths() const { return paths_; }
  /// Returns the variable with which a path begins: its path; kNoPath for none.
  [[nodiscard]] PathId variable_of(PathId path) const { return variables_[path.value]; }
  /// Returns the bytes of these blocks that go with each object, by KeeperId.
  [[nodiscard]] std::vector<std::uint64_t> retained_bytes(std::span<const std::uint32_t> blocks) const {
    return retained_.bytes_of(blocks);
  }
  /// Returns a variable that keeps nothing yet. `retained`: by KeeperId.
  [[nodiscard]] KeptVariable variable_at(PathId path, const std::vector<std::uint64_t>& retained) const;
  /// Returns the innermost of the running functions from `first` on that is the program's own; else the first one.
  [[nodiscard]] std::optional<KeeperStep> running(std::span<const RootObject> first) const;
  /// Returns the variable that gets the value of a running function, if one does.
  [[nodiscard]] std::optional<PendingVariable> pending_of(const KeeperStep& code) const;

private:
  /// Returns the program's own function around a function of a library.
  [[nodiscard]] std::optional<KeeperStep> caller_of(const KeeperStep& root) const;
  [[nodiscard]] bool is_own_code(StringId file) const;
  [[nodiscard]] KeeperStep code_of(KeeperId object) const;
  /// Returns the lines that set or use the variable of a path.
  [[nodiscard]] std::vector<CodePlace> places_of(PathId path) const;

  const Recording& recording_;
  std::vector<BlockHolder> holders_;
  KeeperPaths paths_;
  std::vector<PathId> variables_; ///< by path
  Retained retained_;
  std::vector<CodePlace> places_;         ///< by root and name; without those that would set a variable
  std::vector<CodePlace> pending_;        ///< those that would
  std::vector<std::uint32_t> references_; ///< by object: the references to it, and the roots that it is
};

} // namespace memviz
