#include "support/drawing.hpp"

#include "support/svg_check.hpp"

#include <algorithm>

namespace memviz::test {

namespace {

std::uint64_t total_of_state(const FrameTree& tree, BlockState state) {
  std::uint64_t bytes = 0;
  for (const TreeNode<Amount>& node : tree.nodes)
    if (node.key == NodeKey(state)) bytes += node.total.bytes;
  return bytes;
}

} // namespace

Drawing drawing_of(const std::vector<Leaf>& leaves) {
  auto built = tree_of(leaves);
  check_conserves_bytes(built.tree);
  Drawing drawing;
  drawing.recording->frames = std::move(built.frames);
  drawing.tree = std::move(built.tree);
  DeviceFigures figures;
  figures.segments = 1;
  figures.blocks = drawing.tree.root().total.blocks;
  figures.reserved_bytes = drawing.tree.root().total.bytes;
  figures.allocated_bytes = total_of_state(drawing.tree, BlockState::active_allocated);
  figures.inactive_bytes = total_of_state(drawing.tree, BlockState::inactive);
  figures.requested_bytes = figures.end_requested_bytes = figures.baseline_bytes = figures.allocated_bytes;
  drawing.devices.push_back({.device = {}, .figures = figures});
  for (const TreeNode<Amount>& node : drawing.tree.nodes)
    if (is_frame(node.key) && node.first_child == kNoNode) drawing.users.push_back({node.key, node.total});
  std::sort(drawing.users.begin(), drawing.users.end(), [](const UserLine& left, const UserLine& right) {
    return std::pair(right.amount.bytes, left.key) < std::pair(left.amount.bytes, right.key);
  });
  return drawing;
}

std::string sentences(const std::string& svg) {
  std::string text = visible_text(parse_svg(svg));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Drawing training() {
  const std::string torch = kTorch;
  const std::string call =
      torch + "module.py:1553:_call_impl;" + torch + "module.py:1562:_call;" + torch + "linear.py:117:forward";
  return drawing_of({
      {"stream 0;active_allocated;/home/me/train.py:10:main;/home/me/model.py:41:forward;" + call, 20'447'232, 3},
      {"stream "
       "0;active_allocated;/home/me/"
       "train.py:12:main;??:0:torch::autograd::Engine::evaluate_function(Node*);??:0:torch::autograd::AccumulateGrad::"
       "apply(std::vector<at::Tensor>&&);??:0:c10::cuda::CUDACachingAllocator::malloc(void**, int)",
       9'000'000, 12},
      {"stream 0;active_allocated;<before recording>", 4'000'000, 40},
      {"stream 0;active_allocated;<gaps>", 100'000, 55},
      {"stream 0;inactive", 90'000'000, 5},
  });
}

} // namespace memviz::test
