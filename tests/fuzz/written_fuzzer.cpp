// Any bytes -> the readers of texts: baselines, parts of ranks and folded stacks, which memviz itself writes, and logs
// with an error; and what is computed from them.

#include "memviz/baseline_json.hpp"
#include "memviz/compare_jobs_report.hpp"
#include "memviz/error.hpp"
#include "memviz/logged_error_report.hpp"
#include "memviz/ranks_report.hpp"
#include "memviz/recording.hpp"
#include "promises.hpp"
#include "require.hpp"
#include "snapshot_checks.hpp"
#include "story/logged_error_words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

/// Runs `check`; an error must be one that memviz prints about the file.
template <class Check> void checked(std::string_view bytes, Check check) {
  try {
    check();
  } catch (const Error& error) {
    fuzz::check_error(error, bytes.size());
  }
}

/// Parts are read back as written, and a job has no change from itself.
void check_parts(std::string_view bytes) {
  const std::vector<RankPart> parts = read_rank_parts(bytes);
  std::string written;
  for (const RankPart& part : parts)
    written += rank_part_json(part);
  fuzz::require(read_rank_parts(written).size() == parts.size(), "parts can be read again");
  const JobComparison same =
      compare_jobs(job_report(parts), job_report(parts), {.match = {}, .limits = limits_on(kUsualGauges, {})});
  fuzz::require(same.is_passed(), "a job has no growth from itself");
  static_cast<void>(compare_jobs_json(same, {"before", "after"}));
  static_cast<void>(ranks_text(same.before, 100));
}

void check_baseline(std::string_view bytes) {
  const Baseline baseline = read_baseline_json(bytes);
  constexpr std::size_t kMostBytes = 100'000;
  fuzz::require(baseline_json(baseline).size() <= kMostBytes, "a baseline has at most 100 KB");
  static_cast<void>(state_of(baseline, MomentKind::end, &ByteRange::high));
}

void check_stacks(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 500; // outputs take a hundred times as long as reading
  const auto choice = static_cast<std::uint32_t>(bytes.size());
  if (bytes.size() <= kMostBytes)
    fuzz::check_outputs(fuzz::read_in_every_way(bytes, choice), choice);
  else
    static_cast<void>(read_snapshot(bytes, {}));
}

void check_log(std::string_view bytes) {
  const LoggedErrors errors = read_logged_errors(bytes);
  fuzz::require(!errors.errors.empty() && errors.errors.size() <= kMostLoggedErrors, "a log with an error has errors");
  for (const LoggedError& error : errors.errors)
    static_cast<void>(verdict_on(error));
  const LoggedErrorText words = in_words(errors);
  std::uint64_t parts_bytes = 0;
  for (const LoggedPart& part : words.parts)
    parts_bytes += part.bytes;
  fuzz::require(words.parts.empty() || parts_bytes >= leading_error(errors).total_bytes, "the parts cover the device");
  static_cast<void>(logged_error_text("log", errors));
  static_cast<void>(logged_error_json("log", errors));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with(kRankPartHead))
    checked(bytes, [&] { check_parts(bytes); });
  else if (bytes.starts_with('{'))
    checked(bytes, [&] { check_baseline(bytes); });
  else if (is_error_log(bytes))
    checked(bytes, [&] { check_log(bytes); });
  else
    checked(bytes, [&] { check_stacks(bytes); });
  return 0;
}
