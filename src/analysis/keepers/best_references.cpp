#include "analysis/keepers/best_references.hpp"

#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

/// Small integers, of which the sum along a path decides; the lower half of a cost decides between equal sums.
constexpr std::uint64_t kUnit = std::uint64_t{1} << 32U;
constexpr std::uint64_t kUnreached = std::numeric_limits<std::uint64_t>::max();

/// Whether a class or a module is of a widely used library: "torch.utils.data.DataLoader".
bool is_library_name(std::string_view name) {
  static constexpr std::array<std::string_view, 22> kPackages{
      "torch",       "transformers", "accelerate", "lightning",  "pytorch_lightning", "deepspeed",  "vllm",
      "sglang",      "diffusers",    "peft",       "trl",        "datasets",          "numpy",      "functools",
      "collections", "threading",    "weakref",    "contextlib", "asyncio",           "concurrent", "torchvision",
      "builtins"};
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && std::ranges::find(kPackages, name.substr(0, dot)) != kPackages.end();
}

class Costs {
public:
  Costs(const KeeperGraph& graph, const FrameTable& texts) : graph_(graph), texts_(texts) {}

  /// `functions_around`: the number of running functions around this one, which may have passed on their objects.
  [[nodiscard]] std::uint64_t of_root(const RootObject& root, std::uint64_t functions_around) const {
    const bool is_library = is_library_code(root.object);
    switch (root.kind) {
    case KeeperRoot::local: return (is_library ? 8 * kUnit : 0) + functions_around;
    case KeeperRoot::main: return 1; // around all functions, except where the outermost has the object as well
    case KeeperRoot::exception: return 10 * kUnit;
    case KeeperRoot::global: return (is_library ? 40 : 6) * kUnit;
    // Dearer than all others: an object that a variable reaches is never shown as one of these.
    case KeeperRoot::cycle:
    case KeeperRoot::temporary: break;
    }
    return 10000 * kUnit;
  }

  [[nodiscard]] std::uint64_t of(const KeeperReference& reference) const {
    return of_kind(reference) + of_argument(reference) + of_holder(reference);
  }

private:
  [[nodiscard]] const KeeperObject& object(KeeperId id) const { return graph_.objects[id.value]; }

  [[nodiscard]] bool is_library_code(KeeperId id) const {
    const std::string_view file = texts_.text(object(id).file);
    return !file.empty() && origin_of(file) != CodeOrigin::user;
  }

  [[nodiscard]] std::uint64_t of_kind(const KeeperReference& reference) const {
    switch (reference.how) {
    // A graph may be long. Its length decides only between two variables that hold it alike.
    case ReferenceKind::next: return 1;
    case ReferenceKind::saved: return kUnit;
    case ReferenceKind::grad_fn: return 12 * kUnit;
    case ReferenceKind::base: return 4 * kUnit;
    case ReferenceKind::context:
    case ReferenceKind::cause:
    case ReferenceKind::traceback:
    case ReferenceKind::default_value:
    case ReferenceKind::self: return 3 * kUnit;
    case ReferenceKind::refers: return object(reference.from).kind == KeeperKind::closure ? 0 : 8 * kUnit;
    default: return 2 * kUnit;
    }
  }

  /// An argument is the last choice among variables, because the caller's variable is the one to change.
  [[nodiscard]] static std::uint64_t of_argument(const KeeperReference& reference) {
    return reference.how == ReferenceKind::argument ? 7 * kUnit : 0;
  }

  [[nodiscard]] std::uint64_t of_holder(const KeeperReference& reference) const {
    const KeeperObject& holder = object(reference.from);
    const std::string_view label = texts_.text(reference.label);
    switch (holder.kind) {
    case KeeperKind::frame:
    case KeeperKind::traceback:
    case KeeperKind::generator:
    case KeeperKind::function:
      // `self` is part of something that has a name elsewhere.
      return (is_library_code(reference.from) ? 6 * kUnit : 0) + (label == "self" ? 4 * kUnit : 0);
    case KeeperKind::globals: return is_library_code(reference.from) ? 6 * kUnit : 0;
    case KeeperKind::module:
    case KeeperKind::optimizer: return label.starts_with('_') ? 6 * kUnit : 0; // hooks, caches
    case KeeperKind::instance:
    case KeeperKind::object:
    case KeeperKind::class_object:
    case KeeperKind::method: return is_library_name(texts_.text(holder.name)) ? 6 * kUnit : 0;
    default: return 0;
    }
  }

  const KeeperGraph& graph_;
  const FrameTable& texts_;
};

} // namespace

BestReferences best_references(const KeeperGraph& graph, const Adjacency& references, const FrameTable& texts) {
  const Costs costs(graph, texts);
  const std::size_t count = graph.objects.size();
  BestReferences best{
      {}, std::vector(count, kNoReference), std::vector(count, kNoReference), std::vector(count, kUnreached)};
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  auto functions_around = static_cast<std::uint64_t>(
      std::ranges::count(graph.roots, KeeperRoot::local, &RootObject::kind)); // the roots begin with the innermost
  for (std::uint32_t i = 0; i < graph.roots.size(); ++i) {
    const RootObject& root = graph.roots[i];
    if (root.kind == KeeperRoot::local) --functions_around;
    const std::uint64_t cost = costs.of_root(root, functions_around);
    if (cost >= best.cost[root.object.value]) continue;
    best.cost[root.object.value] = cost;
    best.root[root.object.value] = i;
    queue.emplace(cost, root.object.value);
  }
  while (!queue.empty()) {
    const auto [cost, number] = queue.top();
    queue.pop();
    if (cost != best.cost[number]) continue;
    best.order.push_back({number});
    for (const std::uint32_t link : references.of(number)) {
      const KeeperReference& reference = graph.references[link];
      const std::uint64_t longer = cost + costs.of(reference);
      if (longer >= best.cost[reference.to.value]) continue;
      best.cost[reference.to.value] = longer;
      best.reference[reference.to.value] = link;
      queue.emplace(longer, reference.to.value);
    }
  }
  return best;
}

} // namespace memviz
