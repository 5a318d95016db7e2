#pragma once

// A program -> what it does on the made-up GPU: runs it unchanged, with the made-up libraries before the real ones and
// the hook in every Python, and reads what that leaves behind.

#include "io/foreground.hpp"
#include "memviz/fit.hpp"
#include "rehearse/world.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// Whether small values are computed on the CPU.
enum class Values : std::uint8_t {
  automatic, ///< in a second run, where the program reads any that may decide its way
  on,
  off,
};

struct Setup {
  std::filesystem::path folder;       ///< of the made-up GPU
  std::filesystem::path profile_file; ///< absolute
  Profile profile;                    ///< what is in it, with the memory that was asked for
  std::uint32_t devices = 1;
  std::optional<std::uint64_t> memory_bytes = {}; ///< of each device, in place of the profile's
  bool has_outside = false;                       ///< whether the user gave it, also as 0
  std::uint64_t outside_bytes = 0;                ///< that libraries take of each device outside of PyTorch
  std::filesystem::path output;                   ///< the folder of the snapshots; made where it is missing
  bool records = true;
  std::uint64_t max_entries = 0;
  std::optional<std::uint64_t> steps = {};
  bool leaves_init_out = false;               ///< large weights of the CPU stay without initial values
  std::optional<std::uint64_t> requests = {}; ///< to send to a server; without: as many as it can hold at once
  std::optional<World> world = {};            ///< the program is one rank of a job
  bool both_ends = false;                     ///< see both_ends.hpp
  Values values = Values::automatic;          ///< see both_ends.hpp
  std::function<void(const std::string&)> say = [](const std::string&) {}; ///< what memviz does next, in a line
  std::string version;                                                     ///< of memviz, for the mark
  std::optional<int> program_output = {}; ///< a descriptor for what the program writes, in place of our streams
};

/// Whether the run says if the program fits: it did not fail for another reason, and used a GPU.
[[nodiscard]] bool is_answer(const FitVerdict& verdict);

/// Runs the program once, or at both ends; `variables` join its environment. Throws UsageError where it cannot be
/// started, Error where the output folder cannot be made.
[[nodiscard]] FitVerdict rehearse(const Setup& setup, const std::vector<std::string>& words,
                                  const Variables& variables);

/// Runs the program as each of `ranks` of the job `setup.world`, at the same time, so that they meet; a verdict for
/// each, in the same order. Throws as rehearse() does, and UsageError where there are more than kMostMeeting.
[[nodiscard]] std::vector<FitVerdict> rehearse_ranks(const Setup& setup, const std::vector<std::uint64_t>& ranks,
                                                     const std::vector<std::string>& words);

} // namespace memviz::rehearse
