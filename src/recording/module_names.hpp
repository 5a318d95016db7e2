#pragma once

// Recording::keepers -> the names of the tensors of modules, as model.named_parameters() has them: "h.0.attn.weight".
// Parameters of an optimizer that are of no module have its name for them: "param_groups[0].params[1]".

#include "base/adjacency.hpp"
#include "memviz/frames.hpp"
#include "memviz/keepers.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The names begin at the outermost modules. A module that is part of several has the name that the first one gives it,
/// in the order of model.named_modules().
class ModuleNames {
public:
  /// `references`: the numbers of the references from each object. All must outlive this object.
  ModuleNames(const KeeperGraph& graph, const Adjacency& references, const FrameTable& texts);

  /// Returns the position of a parameter or buffer among those of all modules, then of all optimizers; nothing if it is
  /// of none.
  [[nodiscard]] std::optional<std::uint32_t> position(KeeperId tensor) const;
  /// Whether it is a parameter of an optimizer, and of no module.
  [[nodiscard]] bool is_of_optimizer_alone(KeeperId tensor) const {
    return positions_[tensor.value] != kNone && positions_[tensor.value] >= first_of_optimizers_;
  }
  /// Returns "" if it is of no module or optimizer, or within very many.
  [[nodiscard]] std::string name(KeeperId tensor) const;

private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void visit_all_below(KeeperId outermost);
  void visit(KeeperId module, std::vector<std::uint32_t>& pending);
  void visit_groups(std::uint32_t number);
  /// Names an object after this reference; returns whether it had no name.
  bool add_name(std::uint32_t number);
  [[nodiscard]] bool is_module(KeeperId id) const { return graph_.objects[id.value].kind == KeeperKind::module; }
  [[nodiscard]] bool is_wrapper_step(const KeeperReference& reference) const;

  const KeeperGraph& graph_;
  const Adjacency& references_;
  const FrameTable& texts_;
  std::vector<std::uint32_t> named_by_;  ///< by object: the reference that gives its name; kNone for none
  std::vector<std::uint32_t> positions_; ///< by object; kNone for all but tensors of modules and optimizers
  std::vector<bool> is_visited_;         ///< by object
  std::uint32_t next_position_ = 0;
  std::uint32_t first_of_optimizers_ = 0;
};

/// Whether this reference is one from a module to its parameter or buffer.
[[nodiscard]] bool is_of_module(const KeeperGraph& graph, const KeeperReference& reference);

} // namespace memviz
