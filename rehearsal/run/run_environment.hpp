#pragma once

// A setup, and the places of a run's files -> the environment that its program gets.

#include "io/foreground.hpp"
#include "run/rehearsal_run.hpp"
#include "run/world.hpp"

#include <cstdint>
#include <filesystem>

namespace memviz::rehearse {

/// A process that is one rank of a job.
struct Present {
  std::uint64_t rank;
  const RankSet& ranks;          ///< that run at the same time, this one among them
  std::filesystem::path meeting; ///< the folder in which they meet
};

/// The files in a run's private folder.
struct Places {
  std::filesystem::path hook;
  std::filesystem::path log;
  std::filesystem::path report;
  std::filesystem::path shared; ///< in which the processes see each other's memory
  std::filesystem::path reads;  ///< the records of what the processes open, for the cache
  std::filesystem::path gpu;    ///< the made-up GPU's library under all of its names
};

/// Returns the variables that the program gets in addition to those of memviz, as the rank `present` or alone if null.
[[nodiscard]] Variables environment(const Setup& setup, const Places& places, const Present* present);

} // namespace memviz::rehearse
