#pragma once

// A program -> its memory use on the made-up GPU: runs it unchanged, with the made-up libraries before the real ones
// and the hook in every Python, and reads the files that this leaves.

#include "io/foreground.hpp"
#include "run/world.hpp"
#include "verdict/fit.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// Whether small values are computed on the CPU.
enum class Values : std::uint8_t {
  automatic, ///< in a second run, if the program reads any that may decide its control flow
  on,
  off,
};

/// "auto", "on", "off": for --values, and for the hook.
[[nodiscard]] std::string_view word_of(Values values);

struct Setup {
  std::filesystem::path folder;       ///< of the made-up GPU
  std::filesystem::path profile_file; ///< absolute
  Profile profile;                    ///< its contents, with the memory of --memory
  std::uint32_t devices = 1;
  std::optional<std::uint64_t> memory_bytes = {}; ///< of each device, in place of the profile's
  bool has_outside = false;                       ///< whether the user gave it, even as 0
  std::uint64_t outside_bytes = 0;                ///< taken by libraries on each device outside PyTorch
  std::vector<std::uint64_t> other_bytes = {};    ///< of each device, taken by programs that are there before
  std::filesystem::path output;                   ///< the folder of the snapshots; created if missing
  bool records = true;
  std::uint64_t max_entries = 0;
  std::optional<std::uint64_t> steps = {};
  std::optional<std::uint64_t> most_seconds = {}; ///< after which each process with torch is ended, as by `steps`
  bool leaves_init_out = false;                   ///< large weights on the CPU stay without initial values
  std::optional<std::uint64_t> requests = {}; ///< requests sent to a server; nullopt: as many as it can hold at once
  std::optional<World> world = {};            ///< the program is one rank of a job
  bool both_ends = false;                     ///< see both_ends.hpp
  Values values = Values::automatic;          ///< see both_ends.hpp
  std::function<void(const std::string&)> say = [](const std::string&) {}; ///< receives a line on each next step
  std::string version;                                                     ///< of memviz, for the mark
  std::optional<int> program_output = {}; ///< a descriptor for the program's output, in place of our streams
};

/// Runs the program once, or at both ends; adds `variables` to its environment. Throws UsageError if it cannot be
/// started, Error if the output folder cannot be created.
[[nodiscard]] FitVerdict rehearse(const Setup& setup, const std::vector<std::string>& words,
                                  const Variables& variables);

/// Runs the program as each of `ranks` of the job `setup.world`, at the same time, so that they meet, with `variables`
/// in the environment of each; returns a verdict for each, in the same order. Throws the exceptions of rehearse(), and
/// UsageError if there are more than kMostMeeting.
[[nodiscard]] std::vector<FitVerdict> rehearse_ranks(const Setup& setup, const RankSet& ranks,
                                                     const std::vector<std::string>& words, const Variables& variables);

} // namespace memviz::rehearse
