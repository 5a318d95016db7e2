#include "cli/rehearse_jobs.hpp"

#include "cli/frame/messages.hpp"
#include "io/foreground.hpp"
#include "run/launcher.hpp"

#include <algorithm>
#include <utility>

namespace memviz::cli {

namespace {

/// Whether a number is searched, or ranks of a job are chosen.
bool is_first_needed(const AxisOptions& options, const std::vector<std::string>& words) {
  const auto is_number = [](const rehearse::Axis& axis) { return axis.kind == rehearse::AxisKind::number; };
  return options.world.ranks || (!options.keeps_launcher && rehearse::launch_of(words)) ||
         std::ranges::any_of(options.searches, is_number);
}

} // namespace

CommonRuns::CommonRuns(const AxisOptions& options, const std::vector<rehearse::Setup>& setups,
                       const std::vector<std::string>& words, const OnLine& on_line)
    : options_(options), on_line_(on_line), needs_first_(is_first_needed(options, words)) {
  allow_programs();
  for (const rehearse::Setup& setup : setups)
    neighbours_.try_emplace(setup.profile.name);
}

void CommonRuns::say(const std::string& line) const {
  const std::scoped_lock lock(mutex_);
  on_line_(line);
}

void CommonRuns::show(ScratchFile& written) const {
  const std::scoped_lock lock(mutex_);
  written.read(cli::say);
}

void CommonRuns::say_once(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  if (said_.insert(line).second) on_line_(line);
}

const rehearse::Neighbours& CommonRuns::neighbours(const rehearse::Setup& setup) {
  OnGpu& on_gpu = neighbours_.at(setup.profile.name);
  std::call_once(on_gpu.once, [&] { on_gpu.found = rehearse::rehearse_neighbours(setup, options_.shares); });
  return on_gpu.found;
}

std::optional<Learned> CommonRuns::learned_at_first() {
  std::unique_lock lock(mutex_);
  if (!std::exchange(has_begun_, true)) return std::nullopt;
  if (!needs_first_) return Learned{};
  changed_.wait(lock, [&] { return learned_.has_value() || is_stopped_; });
  return learned_.value_or(Learned{});
}

void CommonRuns::set_learned_at_first(const Learned& learned) {
  const std::scoped_lock lock(mutex_);
  learned_ = learned;
  changed_.notify_all();
}

void CommonRuns::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
  end_programs();
}

bool CommonRuns::is_stopped() const {
  const std::scoped_lock lock(mutex_);
  return is_stopped_;
}

} // namespace memviz::cli
