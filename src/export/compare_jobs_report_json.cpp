#include "base/json_object_schema.hpp"
#include "export/gauge_json.hpp"
#include "export/json_meanings.hpp"
#include "export/rank_part_json.hpp"
#include "export/schemas.hpp"
#include "memviz/compare_jobs_report.hpp"
#include "story/compare_jobs_words.hpp"

#include <string>

namespace memviz {
namespace {

struct JobInJson {
  const std::string& name;
  const JobReport& report;
};

constexpr auto kJob = json_object<JobInJson>(
    {.meaning = "One of the two sides", .name = "job"},
    member(
        "name", "The folder, or the file of parts: the end of its path in which it differs from the other",
        [](const JobInJson& job) -> const auto& { return job.name; }),
    member("ranks", "Ranks that were read, and files without a rank",
           [](const JobInJson& job) { return job.report.ranks.size(); }),
    member(
        "unread_files", "Files that could not be read",
        [](const JobInJson& job) -> const auto& { return job.report.unread; },
        made_by(
            [](const JobInJson& job, std::size_t part) -> const auto& { return job.report.parts[part]; },
            kUnreadPart)));

constexpr auto kJobSide = json_object<RankPart>(
    {.meaning = "The file of a rank on one side", .name = "side", .layout = JsonLayout::compact},
    member("file", "The file that counts for the rank", &RankPart::file),
    member("device", "The GPU that failed, else the one with the highest peak",
           part_of(&RankPart::device, &DeviceId::value)),
    member("other_devices", "Other GPUs of the file that hold memory, which are not compared",
           &RankPart::other_devices),
    member("moment",
           "The moment whose lines are compared: the out-of-memory error, else the peak, else (without events) the end",
           &RankPart::moment, kNamedRankMoment),
    member("event", "Index of the event of that moment, from 0; -1: before the first",
           [](const RankPart& part) { return part.event.number(); })
        .at_least(-1),
    member("held_bytes", "Requested bytes at that moment", &RankPart::held_bytes));

constexpr auto kRankLineChange = json_object<RankLineChange>(
    {.meaning = "A line of code, or a function", .name = "line", .layout = JsonLayout::compact},
    member("line", kOwnLineMeaning, &RankLineChange::line),
    member("before_bytes", "Requested bytes before; of a line below those that a part lists, the most that it can hold",
           &RankLineChange::before_bytes),
    member("after_bytes", "Requested bytes after, in the same way", &RankLineChange::after_bytes),
    member("change_bytes", "after - before", &RankLineChange::delta_bytes));

constexpr auto kRankGate = json_object<RankChange>(
    {},
    members_of(
        kJudgement, [](const RankChange& rank) -> const auto& { return *rank.verdict; }),
    member(
        "lines", "Lines that grew by more", [](const RankChange& rank) -> const auto& { return rank.verdict->lines; },
        made_by(
            [](const RankChange& rank, std::size_t line) -> const auto& { return rank.lines[line]; },
            kRankLineChange)));

struct ChangedRank {
  const JobComparison& jobs;
  const RankChange& change;
};

const RankPart& part_in(const JobReport& report, std::size_t rank) {
  return report.parts[report.ranks[rank].part];
}

constexpr auto kChangedRank = json_object<ChangedRank>(
    {.meaning = "A rank that both sides have", .name = "rank"},
    member("rank", "The rank; null of files without one, which are paired by their names",
           [](const ChangedRank& rank) { return rank.jobs.after.ranks[rank.change.after].rank; }),
    member(
        "before", "",
        [](const ChangedRank& rank) -> const auto& { return part_in(rank.jobs.before, rank.change.before); }, kJobSide),
    member(
        "after", "", [](const ChangedRank& rank) -> const auto& { return part_in(rank.jobs.after, rank.change.after); },
        kJobSide),
    members_of(
        kReadings, [](const ChangedRank& rank) -> const auto& { return rank.change.readings; }),
    member(
        "changes", "Lines that differ at the moments of both sides, the largest change first",
        [](const ChangedRank& rank) -> const auto& { return rank.change.lines; }, kRankLineChange),
    member(
        "gate", "Whether this rank is within --fail-over; there with that option alone",
        [](const ChangedRank& rank) -> const auto& { return rank.change; }, kRankGate)
        .when([](const ChangedRank& rank) { return rank.change.verdict.has_value(); }));

struct SingleRank {
  const JobReport& report;
  const JobRank& rank;
};

constexpr auto kSingleRank = json_object<SingleRank>(
    {.meaning = "A rank that one side has", .name = "single", .layout = JsonLayout::compact},
    member("rank", "The rank; null of a file without one", [](const SingleRank& single) { return single.rank.rank; }),
    member(
        "file", "Its file",
        [](const SingleRank& single) -> const auto& { return single.report.parts[single.rank.part].file; }));

/// All ranks have the same limits.
const GateVerdict* verdict_of_jobs(const JobComparison& jobs) {
  const bool has_verdict = !jobs.ranks.empty() && jobs.ranks.front().verdict;
  return has_verdict ? &*jobs.ranks.front().verdict : nullptr;
}

constexpr auto kJobsGate =
    json_object<JobComparison>({},
                               member(
                                   "limit", "The limit as it was given", [](const JobComparison& jobs) -> const auto& {
                                     return verdict_of_jobs(jobs)->limits.given;
                                   }),
                               member("passed", "Whether every rank is within it", &JobComparison::is_passed),
                               member("text", "Which ranks grew by more; empty where none did",
                                      [](const JobComparison& jobs) { return jobs_exceeded_text(jobs).value_or(""); }));

constexpr auto kJobComparison = json_object<JobComparison>(
    {}, member("match", "What makes two lines the same", &JobComparison::match, one_of(kMatchWords)),
    member("match_is_chosen", "Whether memviz chose function, because most of what differs by line only moved",
           &JobComparison::is_match_chosen),
    member("ranks", "Ranks that both sides have, ascending; files without a rank last", &JobComparison::ranks,
           made_by(
               [](const JobComparison& jobs, const RankChange& change) {
                 return ChangedRank{jobs, change};
               },
               kChangedRank)),
    member("only_before", "Ranks that the side after lacks", &JobComparison::only_before,
           made_by(
               [](const JobComparison& jobs, std::size_t rank) {
                 return SingleRank{jobs.before, jobs.before.ranks[rank]};
               },
               kSingleRank)),
    member("only_after", "Ranks that the side before lacks", &JobComparison::only_after,
           made_by(
               [](const JobComparison& jobs, std::size_t rank) {
                 return SingleRank{jobs.after, jobs.after.ranks[rank]};
               },
               kSingleRank)),
    member(
        "gate", "The verdict on all ranks; there with --fail-over alone",
        [](const JobComparison& jobs) -> const auto& { return jobs; }, kJobsGate)
        .when([](const JobComparison& jobs) { return verdict_of_jobs(jobs) != nullptr; }),
    member("notes", "What else there is to know, in sentences", jobs_notes));

struct JobsInJson {
  const JobComparison& jobs;
  const JobNames& names;
};

constexpr auto kCompareJobs = json_described<JobsInJson>(
    {.schema = "memviz.compare-jobs/1.0",
     .title = "memviz compare --json of two folders",
     .meaning = "What changed on each rank of two jobs"},
    member("headline", "The answer in sentences",
           [](const JobsInJson& compared) { return jobs_headline(compared.jobs); }),
    member(
        "before", "",
        [](const JobsInJson& compared) {
          return JobInJson{compared.names.before, compared.jobs.before};
        },
        kJob),
    member(
        "after", "",
        [](const JobsInJson& compared) {
          return JobInJson{compared.names.after, compared.jobs.after};
        },
        kJob),
    members_of(
        kJobComparison, [](const JobsInJson& compared) -> const auto& { return compared.jobs; }));

} // namespace

std::string compare_jobs_json(const JobComparison& comparison, const JobNames& names) {
  return document_text(kCompareJobs, {comparison, names});
}

std::string compare_jobs_schema() {
  return schema_text(kCompareJobs);
}

} // namespace memviz
