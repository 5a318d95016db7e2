#pragma once

// Two jobs of many ranks, each as job_report() reads it -> what changed on each rank that both have: the three figures
// of a gate, and the lines at the moment of its part. No file is read again.

#include "memviz/compare.hpp"
#include "memviz/gauges.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The requested bytes of a line of code, or of a function, on both sides. A line that one side omits counts there with
/// its largest possible value, so the change shown is a lower bound.
struct RankLineChange {
  std::string line;
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;

  [[nodiscard]] std::int64_t delta_bytes() const;
};

/// A rank that both jobs have. Indices refer to JobReport::ranks.
struct RankChange {
  std::size_t before = 0;
  std::size_t after = 0;
  DeviceReadings readings;                 ///< of the device after
  std::vector<RankLineChange> lines = {};  ///< unequal ones only, largest change first
  std::optional<GateVerdict> verdict = {}; ///< refers to `lines` by index
};

struct JobCompareOptions {
  std::optional<FrameMatch> match = {}; ///< nullopt: by line, but by function if most lines only moved
  std::optional<GateLimits> limits = {};
};

struct JobComparison {
  JobReport before;
  JobReport after;
  FrameMatch match = FrameMatch::line;
  bool is_match_chosen = false;         ///< chosen automatically: most of what differs by line only moved
  std::vector<RankChange> ranks;        ///< ascending by rank; files without a rank come last, paired by name
  std::vector<std::size_t> only_before; ///< ranks that the second job lacks
  std::vector<std::size_t> only_after;

  [[nodiscard]] bool is_passed() const;
  [[nodiscard]] std::size_t unread_files() const { return before.unread.size() + after.unread.size(); }
};

/// Returns the comparison of the ranks that both jobs have.
[[nodiscard]] JobComparison compare_jobs(JobReport before, JobReport after, const JobCompareOptions& options = {});

/// Returns by how much the peak or the end of a rank changed, whichever changed more.
[[nodiscard]] std::uint64_t changed_bytes(const RankChange& rank);

/// Returns indices into JobComparison::ranks, largest change of the peak or the end first; ranks over a limit before
/// all others.
[[nodiscard]] std::vector<std::size_t> ranks_by_change(const JobComparison& comparison);

} // namespace memviz
