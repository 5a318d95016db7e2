#pragma once

// Which PyTorch wrote a snapshot: the files carry no version, but each generation added keys.

#include <string>

namespace memviz {

struct GenerationSigns {
  bool is_list = false;
  bool has_history = false;
  bool has_time = false;
  bool has_settings = false;
  bool has_annotations = false;
  bool has_compile_context = false;
  bool has_user_metadata = false;
  bool has_pool = false;
};

/// "PyTorch 2.5 or 2.6", "PyTorch 2.0", ...; the oldest keys decide only where newer ones are absent.
[[nodiscard]] std::string infer_generation(const GenerationSigns& signs);

} // namespace memviz
