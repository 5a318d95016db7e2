#include "memviz/flops_tree.hpp"

#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/tree_builder.hpp"

#include "memviz/error.hpp"
#include "memviz/flops_modules.hpp"

#include <fmt/format.h>
#include <utility>

namespace memviz {
namespace {

/// The file size that bounds a tree of operators, for a model of any size: far more than boxes can show.
constexpr std::uint64_t kTreeOf = std::uint64_t{64} << 20U;

class Planter {
public:
  explicit Planter(const ModelFlops& model) : model_(model), builder_(kTreeOf) {}

  FlopsTree run() {
    if (!model_.flops.value)
      throw Error(fmt::format("a picture needs a size for every symbol: {} has no value, give one with --set",
                              model_.flops.formula));
    const std::vector<ModuleRow> rows = module_rows(model_);
    std::vector<NodeKey> path; // of the surrounding rows, which come before it
    for (const ModuleRow& row : rows) {
      if (row.level > 0) {
        path.resize(row.level - 1);
        path.emplace_back(frame(label_of(row), row.is_torch ? CodeOrigin::torch : CodeOrigin::user));
      }
      for (const OperatorFlops& one : row.operators)
        add(path, one);
    }
    const FrameOrder order(tree_.frames);
    tree_.tree = std::move(builder_).finish(order);
    return std::move(tree_);
  }

private:
  /// "h.*: Block x 12"
  [[nodiscard]] static std::string label_of(const ModuleRow& row) {
    std::string text = row.name;
    if (!row.type.empty()) text += ": " + row.type;
    if (row.count > 1) text += fmt::format(" x {}", row.count);
    return text;
  }

  FrameId frame(std::string_view name, CodeOrigin origin) {
    const FrameId id = tree_.frames.add_frame({.name = tree_.frames.intern(name), .filename = kEmptyString});
    if (id.value >= tree_.origins.size()) tree_.origins.resize(id.value + 1, CodeOrigin::cpp);
    tree_.origins[id.value] = origin;
    return id;
  }

  void add(const std::vector<NodeKey>& module, const OperatorFlops& one) {
    if (!one.flops.value) throw Error(fmt::format("a picture needs a count for every operator: {} has none", one.name));
    if (*one.flops.value == 0) return;
    std::vector<NodeKey> path = module;
    path.emplace_back(frame(one.name, CodeOrigin::cpp));
    Amount& self = builder_.at(path).self;
    self += Amount{*one.flops.value, one.calls};
  }

  const ModelFlops& model_;
  TreeBuilder<Amount> builder_;
  FlopsTree tree_;
};

} // namespace

FlopsTree flops_tree(const ModelFlops& model) {
  return Planter(model).run();
}

} // namespace memviz
