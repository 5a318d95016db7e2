#pragma once

// The state that the runs of `memviz rehearse` share, of which several run at once (--jobs), each in a thread.

#include "cli/rehearse_runs.hpp"
#include "io/scratch_file.hpp"
#include "run/neighbours.hpp"
#include "run/rehearsal_run.hpp"
#include "run/world.hpp"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memviz::cli {

/// The facts of earlier runs that decide how later ones run.
struct Learned {
  bool has_values = false;                                            ///< zeros are no answer
  std::map<std::uint64_t, std::vector<rehearse::RankSet>> ranks = {}; ///< by the number of ranks of the job
};

/// Its members may be called by any thread.
class CommonRuns {
public:
  CommonRuns(const AxisOptions& options, const std::vector<rehearse::Setup>& setups,
             const std::vector<std::string>& words, const OnLine& on_line);

  void say(const std::string& line) const;
  /// Prints what a program wrote, whole.
  void show(ScratchFile& written) const;
  /// Says a line on a launcher, which many points have.
  void say_once(const std::string& line);

  /// Returns the programs of --share, which run once for each GPU.
  [[nodiscard]] const rehearse::Neighbours& neighbours(const rehearse::Setup& setup);

  /// Returns what the first point showed, after its run where later ones need it; nullopt for the first point itself.
  [[nodiscard]] std::optional<Learned> learned_at_first();
  void set_learned_at_first(const Learned& learned);

  /// Ends all programs that run; no other one begins.
  void stop();
  [[nodiscard]] bool is_stopped() const;

private:
  struct OnGpu {
    std::once_flag once;
    rehearse::Neighbours found = {};
  };

  const AxisOptions& options_;
  const OnLine& on_line_;
  bool needs_first_; ///< whether what the first point showed decides how others run
  mutable std::mutex mutex_ = {};
  std::condition_variable changed_ = {};
  bool has_begun_ = false;
  bool is_stopped_ = false;
  std::optional<Learned> learned_ = {};
  std::set<std::string> said_ = {};
  std::map<std::string, OnGpu> neighbours_ = {}; ///< by the GPU
};

} // namespace memviz::cli
