#include "verdict/fit_server.hpp"

#include <algorithm>
#include <array>

namespace memviz::rehearse {

bool is_memory_error(std::string_view error) {
  // Messages of vLLM 0.6 to 0.19 and SGLang 0.4 to 0.5; the third also occurs in PyTorch.
  static constexpr std::array<std::string_view, 7> kPhrases{
      "No available memory for the cache blocks", // vLLM: nothing is left for the KV cache
      "KV cache memory (",                        // vLLM: less is left than the longest request takes
      "out of memory",
      "can be stored in KV cache",                    // vLLM up to 0.7: same meaning as the second
      "less than desired GPU memory utilization",     // vLLM: other processes hold too much
      "Please try to increase --mem-fraction-static", // SGLang: nothing is left for the KV cache
      "Not enough memory",
  };
  return std::ranges::any_of(kPhrases,
                             [&](std::string_view phrase) { return error.find(phrase) != std::string_view::npos; });
}

} // namespace memviz::rehearse
