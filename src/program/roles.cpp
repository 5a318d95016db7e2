#include "program/roles.hpp"

#include "base/ascii.hpp"
#include "program/formulas.hpp"
#include "program/module_path.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>

namespace memviz::program {
namespace {

/// The maximum number of separate lines for products of a block's own weights; more share one line.
constexpr std::size_t kMostFeedForward = 4;

enum class Sort : std::uint8_t {
  weights, ///< activations times a parameter
  pairs,   ///< activations times activations
  fused,   ///< attention in one operator
};

Sort sort_of(const Product& product) {
  const std::string_view name = operator_of(product.node->target);
  if (name.find("attention") != std::string_view::npos) return Sort::fused;
  constexpr std::array<std::string_view, 4> kPairs{"aten.bmm", "aten.baddbmm", "aten.matmul", "aten.einsum"};
  return std::ranges::find(kPairs, name) == kPairs.end() ? Sort::weights : Sort::pairs;
}

bool is_within(const Program& program, ModuleId module, ModuleId outer) {
  for (; module != kWholeModel; module = program.modules[module].parent) {
    if (module == outer) return true;
  }
  return outer == kWholeModel;
}

using ByModule = std::map<ModuleId, std::vector<const Product*>>;

/// Returns, for each module that could be a block, its products in order.
ByModule products_of_numbered(const Program& program, const std::vector<Product>& products) {
  ByModule found;
  for (const Product& product : products) {
    for (ModuleId module = product.module; module != kWholeModel; module = program.modules[module].parent) {
      if (is_number(last_part(program.modules[module].path))) found[module].push_back(&product);
    }
  }
  return found;
}

bool has_attention(const std::vector<const Product*>& products) {
  const auto is = [&](Sort sort) {
    return std::ranges::count_if(products, [&](const Product* one) { return sort_of(*one) == sort; });
  };
  return is(Sort::fused) > 0 || is(Sort::pairs) > 1;
}

Polynomial sum_of(const std::vector<const Product*>& products) {
  Polynomial sum;
  for (const Product* const product : products)
    sum += product->flops;
  return sum;
}

/// Modules of one class and one cost, numbered below one parent.
struct Blocks {
  std::vector<ModuleId> modules;
  std::vector<const Product*> products; ///< of the first
  Polynomial flops;                     ///< of the first
};

/// Returns the modules that contain the most products; for blocks within blocks, the inner ones.
std::optional<Blocks> blocks_of(const Program& program, const std::vector<Product>& products) {
  std::map<std::pair<std::string_view, std::string_view>, Blocks> by_holder;
  for (const auto& [id, own] : products_of_numbered(program, products)) {
    if (!has_attention(own)) continue;
    const Module& module = program.modules[id];
    Blocks& blocks = by_holder[{holder_of(module.path), module.type}];
    Polynomial flops = sum_of(own);
    if (blocks.modules.empty()) {
      blocks.products = own;
      blocks.flops = flops;
    }
    if (flops == blocks.flops) blocks.modules.push_back(id);
  }
  std::optional<Blocks> best;
  for (const auto& [holder, blocks] : by_holder) {
    const bool is_better = !best || blocks.modules.size() > best->modules.size() ||
                           (blocks.modules.size() == best->modules.size() &&
                            is_within(program, blocks.modules.front(), best->modules.front()));
    if (is_better) best = blocks;
  }
  return best;
}

/// The roles of one block's products, in execution order.
struct BlockRoles {
  Polynomial kqv;
  Polynomial scores;
  Polynomial reduce;
  Polynomial proj;
  std::vector<Polynomial> feed_forward;
};

/// Returns the child of `block` that contains `module`; `block` itself if they are the same.
ModuleId part_of_block(const Program& program, ModuleId module, ModuleId block) {
  while (module != kWholeModel && module != block && program.modules[module].parent != block)
    module = program.modules[module].parent;
  return module == kWholeModel ? block : module;
}

class RoleFinder {
public:
  RoleFinder(const Program& program, const Blocks& blocks) : program_(program), blocks_(blocks) {}

  BlockRoles run() {
    for (const Product* const product : blocks_.products)
      add(*product);
    return roles_;
  }

private:
  void add(const Product& product) {
    const ModuleId part = part_of_block(program_, product.module, blocks_.modules.front());
    switch (sort_of(product)) {
    case Sort::weights: add_weights(product, part); return;
    case Sort::pairs:
      attention_ = part;
      (pairs_++ % 2 == 0 ? roles_.scores : roles_.reduce) += product.flops;
      return;
    case Sort::fused:
      attention_ = part;
      pairs_ += 2;
      add_fused(product);
      return;
    }
  }

  void add_weights(const Product& product, ModuleId part) {
    if (pairs_ == 0) {
      roles_.kqv += product.flops;
      return;
    }
    const bool is_projection = part == attention_ && (part != blocks_.modules.front() || !has_projection_);
    if (is_projection) {
      has_projection_ = true;
      roles_.proj += product.flops;
    } else {
      roles_.feed_forward.push_back(product.flops);
    }
  }

  /// Scores and sums share the operator's cost in proportion to the widths of queries and values; everything counts as
  /// scores if those are unknown.
  void add_fused(const Product& product) {
    const Polynomial* const query = width_of(product, "query", 0);
    const Polynomial* const value = width_of(product, "value", 2);
    const std::optional<Polynomial> scores =
        query == nullptr || value == nullptr ? std::nullopt : part_of(product.flops, *query, *value);
    roles_.scores += scores.value_or(product.flops);
    if (scores) roles_.reduce += product.flops + *scores * Polynomial(-1);
  }

  /// Returns the last size of an operand.
  [[nodiscard]] const Polynomial* width_of(const Product& product, std::string_view name, std::size_t place) const {
    const Argument* const operand = argument_of(*product.node, name, place);
    if (operand == nullptr || operand->tensors.empty()) return nullptr;
    const std::vector<Polynomial>& sizes = program_.graphs[product.graph].tensors[operand->tensors.front()].sizes;
    return sizes.empty() ? nullptr : &sizes.back();
  }

  /// whole * one / (one + other)
  static std::optional<Polynomial> part_of(const Polynomial& whole, const Polynomial& one, const Polynomial& other) {
    if (one == other) return whole.divided_by(2);
    if (!one.is_number() || !other.is_number()) return std::nullopt;
    return (whole * one).divided_by((one + other).number());
  }

  const Program& program_;
  const Blocks& blocks_;
  BlockRoles roles_;
  ModuleId attention_ = kWholeModel;
  std::uint64_t pairs_ = 0;
  bool has_projection_ = false;
};

/// Returns, for each module, whether it is a block or inside one.
std::vector<bool> modules_within(const Program& program, const Blocks& blocks) {
  std::vector<bool> within(program.modules.size(), false);
  for (const ModuleId block : blocks.modules)
    within[block] = true;
  // Parents come before their children.
  for (std::size_t module = 1; module < within.size(); ++module)
    within[module] = within[module] || within[program.modules[module].parent];
  return within;
}

/// Returns the cost outside the blocks: before them (an embedding of patches) and after them (the head).
std::pair<Polynomial, Polynomial> around(const Program& program, const std::vector<Product>& products,
                                         const Blocks& blocks) {
  Polynomial before;
  Polynomial behind;
  bool is_behind = false;
  const std::vector<bool> within = modules_within(program, blocks);
  for (const Product& product : products) {
    if (within[product.module])
      is_behind = true;
    else
      (is_behind ? behind : before) += product.flops;
  }
  return {before, behind};
}

} // namespace

Roles roles_of(const Program& program, const std::vector<Product>& products) {
  const std::optional<Blocks> blocks = blocks_of(program, products);
  if (!blocks) return {};
  Roles roles;
  roles.blocks = holder_of(program.modules[blocks->modules.front()].path);
  roles.block_count = blocks->modules.size();
  const BlockRoles block = RoleFinder(program, *blocks).run();
  const Polynomial attention = block.kqv + block.scores + block.reduce + block.proj;
  Polynomial mlp;
  for (const Polynomial& product : block.feed_forward)
    mlp += product;
  roles.lines = {{"attention/kqv", block.kqv},
                 {"attention/scores", block.scores},
                 {"attention/reduce", block.reduce},
                 {"attention/proj", block.proj},
                 {"attention", attention}};
  if (block.feed_forward.size() <= kMostFeedForward) {
    for (std::size_t i = 0; i < block.feed_forward.size(); ++i)
      roles.lines.emplace_back(fmt::format("mlp/ffw{}", i + 1), block.feed_forward[i]);
  }
  const auto [before, behind] = around(program, products, *blocks);
  const Polynomial one_block = attention + mlp;
  const Polynomial all_blocks = one_block * Polynomial(static_cast<std::int64_t>(roles.block_count));
  const Polynomial forward = before + all_blocks + behind;
  roles.lines.emplace_back("mlp", mlp);
  roles.lines.emplace_back("block", one_block);
  roles.lines.emplace_back("transformer", all_blocks);
  if (!before.is_zero()) roles.lines.emplace_back("before the blocks", before);
  roles.lines.emplace_back("dense", behind);
  roles.lines.emplace_back("forward_total", forward);
  roles.lines.emplace_back("backward_total", forward * Polynomial(2));
  roles.lines.emplace_back("total", forward * Polynomial(3));
  return roles;
}

} // namespace memviz::program
