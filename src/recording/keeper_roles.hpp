#pragma once

// Recording::keepers -> the roles that the tensors of a program have for its modules, optimizers and caches.

#include "base/adjacency.hpp"
#include "memviz/frames.hpp"
#include "memviz/keepers.hpp"
#include "memviz/memory_kind.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class KeeperRoles {
public:
  /// The roles of an object, or those of all objects that have one block.
  enum Role : std::uint8_t {
    parameter = 1, ///< or a buffer
    gradient = 2,
    state = 4,      ///< of an optimizer
    optimized = 8,  ///< what an optimizer updates
    precise = 16,   ///< a copy in float32 of what a model computes with
    cache = 32,     ///< of keys and values
    in_graph = 64,  ///< saved for a backward pass
    is_group = 128, ///< a group of parameters of an optimizer
  };
  using Set = std::uint8_t;

  /// `references`: the numbers of the references from each object. All must outlive this object.
  KeeperRoles(const KeeperGraph& graph, const Adjacency& references, const FrameTable& texts);

  [[nodiscard]] Set of(KeeperId object) const { return roles_[object.value]; }
  /// Returns the kind of a block whose tensors have these roles together; nothing if these prove none.
  [[nodiscard]] static std::optional<MemoryKind> kind_of(Set roles);
  /// Returns the tensor of a module after which this one is named: of a gradient its parameter, of a part of a tensor
  /// that is made of others the whole.
  [[nodiscard]] KeeperId named_tensor(KeeperId tensor) const;

private:
  void add_tensors();
  void add_optimizer(const KeeperReference& attribute);
  void add_groups(KeeperId list);
  void add_caches();
  void spread(KeeperId first, Role role);
  [[nodiscard]] bool leads_on(const KeeperReference& reference, Role role) const;
  [[nodiscard]] bool is_cache(KeeperId object) const;
  [[nodiscard]] bool is_precise_copy(const KeeperReference& reference) const;
  bool give(KeeperId object, Role role);

  const KeeperGraph& graph_;
  const Adjacency& references_;
  const FrameTable& texts_;
  std::vector<Set> roles_;            ///< by object
  std::vector<bool> has_memory_;      ///< by object: whether it has a storage
  std::vector<KeeperId> named_after_; ///< by object; itself if it is named after no other one
};

} // namespace memviz
