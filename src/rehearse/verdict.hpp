#pragma once

// What is known of a rehearsed run -> the answer: does the program fit, with the figures behind it, and what nobody can
// know without a real GPU.

#include "io/foreground.hpp"
#include "rehearse/file_facts.hpp"
#include "rehearse/installation.hpp"
#include "rehearse/run_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz {
class JsonWriter;
}

namespace memviz::rehearse {

enum class FitOutcome : std::uint8_t {
  fits,
  does_not_fit, ///< PyTorch's allocator ran out of memory, whether or not the program caught that
  failed,       ///< the program ended with an error of another kind
  no_gpu,       ///< it ended well, but never used a GPU
};

/// "fits", "does_not_fit", "failed", "no_gpu"
[[nodiscard]] std::string_view outcome_word(FitOutcome outcome);

struct FitVerdict {
  FitOutcome outcome = FitOutcome::no_gpu;
  Ending ending;
  Profile profile; ///< with the memory that was asked for
  std::optional<std::uint64_t> steps_asked = {};
  RunFacts facts = {};
  std::optional<FileFacts> peak = {};  ///< of the fullest process
  std::optional<Failure> failure = {}; ///< of the first out-of-memory error
};

[[nodiscard]] FitOutcome outcome_of(const Ending& ending, const RunFacts& facts);

/// 0 where it fits, 3 where it does not, the program's own code where it failed otherwise, 1 where there is no answer.
[[nodiscard]] int exit_code(const FitVerdict& verdict);

/// The use of a device that left least; null where none was used.
[[nodiscard]] const DeviceUse* fullest(const RunFacts& facts);

/// "Fits on NVIDIA H100 80GB HBM3 (h100-80): 41.2 GiB of 79.2 GiB at the peak, 38.0 GiB left."
[[nodiscard]] std::string headline(const FitVerdict& verdict);
/// The same in a few words, for one run of many: "fits: 41.2 GiB of 79.2 GiB".
[[nodiscard]] std::string short_text(const FitVerdict& verdict);
/// What was not, or cannot be, known; sentences.
[[nodiscard]] std::vector<std::string> notes(const FitVerdict& verdict);

[[nodiscard]] std::string verdict_text(const FitVerdict& verdict, std::size_t columns);
void write_verdict(JsonWriter& json, const FitVerdict& verdict);

} // namespace memviz::rehearse
