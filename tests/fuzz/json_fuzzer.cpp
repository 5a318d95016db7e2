// Any bytes -> the JSON reader and, for a snapshot, folded stacks, parts of ranks or a baseline, everything computed
// from it.

#include "memviz/baseline_json.hpp"
#include "memviz/compare_jobs_report.hpp"
#include "memviz/error.hpp"
#include "memviz/ranks_report.hpp"
#include "promises.hpp"
#include "require.hpp"
#include "snapshot_checks.hpp"
#include "json/json_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

void check_reader(std::string_view bytes) {
  try {
    fuzz::check_document(json::read(bytes));
  } catch (const ParseError& error) {
    fuzz::check_error(error, bytes.size());
  }
}

void check_snapshot(std::string_view bytes) {
  const auto choice = static_cast<std::uint32_t>(bytes.size());
  try {
    fuzz::check_outputs(fuzz::read_in_every_way(bytes, choice), choice);
  } catch (const Error& error) {
    fuzz::check_error(error, bytes.size());
  }
}

/// Parts are read back as written, and a job has no change from itself.
void check_parts(std::string_view bytes) {
  try {
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
  } catch (const Error& error) {
    fuzz::check_error(error, bytes.size());
  }
}

void check_baseline(std::string_view bytes) {
  try {
    const Baseline baseline = read_baseline_json(bytes);
    constexpr std::size_t kMostBytes = 100'000;
    fuzz::require(baseline_json(baseline).size() <= kMostBytes, "a baseline has at most 100 KB");
    static_cast<void>(state_of(baseline, MomentKind::end, &ByteRange::high));
  } catch (const Error& error) {
    fuzz::check_error(error, bytes.size());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_reader(bytes);
  check_snapshot(bytes);
  if (bytes.starts_with(kRankPartHead)) check_parts(bytes);
  if (is_baseline_json(bytes)) check_baseline(bytes);
  return 0;
}
