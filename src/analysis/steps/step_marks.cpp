#include "analysis/steps/step_marks.hpp"

#include "base/ascii.hpp"
#include "memviz/leaks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace memviz {

namespace {

constexpr std::size_t kMostNames = 16;

/// "ProfilerStep#12" -> "ProfilerStep#*"
std::string numbered_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return std::string(name);
  return std::string(name.substr(0, end + 1)) + '*';
}

bool matches(std::string_view wanted, std::string_view name) {
  if (wanted.ends_with('*')) return name.starts_with(wanted.substr(0, wanted.size() - 1));
  return name == wanted;
}

bool equals_ignoring_case(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, lower_case);
}

/// Whether a word of `name`, between characters that are not letters, refers to steps. "BatchNorm2d" and
/// "timestep_embed" do not.
bool has_word_of_steps(std::string_view name) {
  constexpr std::array<std::string_view, 4> kWords{"step", "iter", "iteration", "batch"};
  for (auto begin = name.begin(); begin != name.end();) {
    begin = std::find_if(begin, name.end(), is_letter);
    const auto end = std::find_if_not(begin, name.end(), is_letter);
    if (std::ranges::any_of(kWords, [&](auto word) { return equals_ignoring_case({begin, end}, word); })) return true;
    begin = end;
  }
  return false;
}

StepRank rank_of(std::string_view name) {
  // The work of torch.compile while it compiles.
  if (name.find("dynamo_timed") != std::string_view::npos) return StepRank::none;
  if (name.starts_with("memviz_step#")) return StepRank::recorder;
  if (name.starts_with("ProfilerStep#")) return StepRank::profiler;
  if (name.starts_with("Optimizer.step")) return StepRank::optimizer;
  return has_word_of_steps(name) ? StepRank::word : StepRank::many;
}

/// Ranks a name that occurs `count` times.
StepRank rank_of(StepRank rank, std::size_t count) {
  constexpr std::size_t kMany = 5;
  if (count < kFewestSteps) return StepRank::none;
  return rank == StepRank::many && count < kMany ? StepRank::any : rank;
}

} // namespace

StepMarks::StepMarks(const Recording& recording, const std::optional<std::string>& wanted)
    : recording_(recording), is_wanted_(wanted.has_value()) {
  find_keys(wanted);
  for (const Annotation& annotation : recording.annotations) {
    if (recording.frames.text(annotation.stage) != "END") own_[annotation.device].push_back(&annotation);
  }
}

void StepMarks::find_keys(const std::optional<std::string>& wanted) {
  HashSet<std::uint32_t> seen;
  std::map<std::string, std::vector<std::uint32_t>> names_by_text;
  for (const Annotation& annotation : recording_.annotations) {
    if (!seen.add(annotation.name.value).is_new) continue;
    const std::string_view name = recording_.frames.text(annotation.name);
    if (wanted && !matches(*wanted, name)) continue;
    names_by_text[wanted ? *wanted : numbered_name(name)].push_back(annotation.name.value);
  }
  for (const auto& [text, names] : names_by_text) {
    for (const std::uint32_t name : names)
      key_by_id_[name] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back({text, rank_of(text)});
  }
}

std::vector<Marks> StepMarks::marks_among(const Starts& starts) const {
  std::map<std::uint32_t, std::vector<std::int64_t>> times_by_key;
  for (const Annotation* start : starts) {
    if (const std::uint32_t* const key = key_by_id_.find(start->name.value))
      times_by_key[*key].push_back(start->time_us);
  }
  std::vector<Marks> all;
  for (auto& [key, times_us] : times_by_key) {
    const StepRank rank = rank_of(keys_[key].rank, times_us.size());
    if (rank != StepRank::none || is_wanted_) all.push_back({keys_[key].text, rank, std::move(times_us)});
  }
  std::ranges::stable_sort(all, [](const Marks& left, const Marks& right) {
    return left.rank != right.rank ? left.rank > right.rank : left.times_us.size() < right.times_us.size();
  });
  all.resize(std::min(all.size(), kMostNames));
  for (Marks& marks : all)
    std::ranges::sort(marks.times_us);
  return all;
}

const std::vector<Marks>& StepMarks::of(DeviceId device) {
  if (const auto own = own_.find(device); own != own_.end()) {
    current_ = marks_among(own->second);
    return current_;
  }
  if (!of_all_) {
    Starts all;
    for (const auto& [number, starts] : own_)
      all.insert(all.end(), starts.begin(), starts.end());
    of_all_ = marks_among(all);
  }
  return *of_all_;
}

} // namespace memviz
