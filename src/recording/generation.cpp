#include "recording/generation.hpp"

namespace memviz {

// Release notes disagree by one minor version in places; the pull requests that added the keys are #177717 (pool_id),
// #165490 (user_metadata), #130964 (external_annotations), #82146 (history).
std::string infer_generation(const GenerationSigns& signs) {
  if (signs.has_pool) return "PyTorch of 2026 or newer";
  if (signs.has_user_metadata) return "PyTorch 2.9 or newer";
  if (signs.has_compile_context) return "PyTorch 2.7 or 2.8";
  if (signs.has_annotations) return "PyTorch 2.5 or newer";
  if (signs.has_settings) return "PyTorch 2.3 or 2.4";
  if (signs.has_history) return signs.is_list ? "PyTorch 1.13 or 2.0" : "PyTorch 2.0";
  if (signs.is_list) return "a list of segments, as torch.cuda.memory_snapshot() returns";
  if (signs.has_time) return "PyTorch 2.2";
  return "PyTorch 2.1 or 2.2";
}

} // namespace memviz
