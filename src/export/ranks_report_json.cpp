#include "memviz/ranks_report.hpp"

#include "base/json_object_schema.hpp"
#include "export/kinds_json.hpp"
#include "export/rank_part_json.hpp"
#include "export/schemas.hpp"
#include "story/ranks_words.hpp"

#include <span>
#include <string>
#include <string_view>

namespace memviz {
namespace {

std::string_view rank_source_name(RankSource source) {
  switch (source) {
  case RankSource::file: return "file";
  case RankSource::pattern: return "pattern";
  case RankSource::name: return "name";
  case RankSource::varies: return "number that varies";
  case RankSource::coordinates: return "coordinates";
  case RankSource::none: break;
  }
  return "none";
}

constexpr std::string_view kRankMeaning = "The rank; null for a file without one";
struct RankInJson {
  const JobReport& report;
  const JobRank& rank;

  [[nodiscard]] const RankPart& part() const { return report.parts[rank.part]; }
};

const std::string& file_of_part(const JobReport& report, std::size_t part) {
  return report.parts[part].file;
}

constexpr auto kRank = json_object<RankInJson>(
    {.meaning = "The figures of a rank: those of the GPU that ran out of memory, else of the one with the highest peak",
     .name = "rank",
     .layout = JsonLayout::compact},
    member("rank", kRankMeaning, [](const RankInJson& rank) { return rank.rank.rank; }),
    member(
        "rank_source",
        "How the rank is known: recorded in the file, by --rank-pattern, by a word of the name, as the number in the "
        "names that counts from 0 without gaps, or by coordinates in the name, such as dp0_tp3",
        [](const RankInJson& rank) { return rank.rank.source; },
        named(rank_source_name, RankSource::none, RankSource::coordinates)),
    member(
        "file", "The file that counts: one that ran out of memory, else the latest",
        [](const RankInJson& rank) -> const auto& { return rank.part().file; }),
    member(
        "other_files", "Further files of the rank",
        [](const RankInJson& rank) -> const auto& { return rank.rank.other_parts; },
        made_by(
            [](const RankInJson& rank, std::size_t part) -> const auto& { return file_of_part(rank.report, part); },
            PlainForm{})),
    member("group",
           "Index in `groups`; of a rank that ran out of memory the one it is compared with; null where there is none",
           [](const RankInJson& rank) { return rank.rank.group; }),
    members_of(kRankFigures, &RankInJson::part),
    member(
        "largest_kind", kKindMeaning, [](const RankInJson& rank) { return largest_kind_of(rank.part()).first; },
        kNamedKind),
    member("largest_kind_bytes", "Requested bytes of that kind at the moment",
           [](const RankInJson& rank) { return largest_kind_of(rank.part()).second; }),
    members_of(kLargestOfRank, &RankInJson::part));

constexpr auto kLineDifference = json_object<LineDifference>(
    {.meaning = "A line of code", .layout = JsonLayout::compact},
    member("line", kHeldLineMeaning, &LineDifference::line),
    member("kind", kKindMeaning, &LineDifference::kind, kNamedKind),
    member("delta_bytes", "The most that the rank held less the median", &LineDifference::delta_bytes));

struct DifferenceInJson {
  const JobReport& report;
  const RankDifference& difference;

  [[nodiscard]] const JobRank& rank() const { return report.ranks[difference.rank]; }
};

DifferenceInJson difference_of(const JobReport& report, const RankDifference& difference) {
  return {report, difference};
}

constexpr auto kDifference = json_object<DifferenceInJson>(
    {.meaning = "A rank against the median of a group, each line by the most that it held, whatever the moment",
     .name = "difference"},
    member("rank", kRankMeaning, [](const DifferenceInJson& one) { return one.rank().rank; }),
    member(
        "file", "Its file",
        [](const DifferenceInJson& one) -> const auto& { return file_of_part(one.report, one.rank().part); }),
    member("delta_bytes", "Sum of the lines", [](const DifferenceInJson& one) { return one.difference.delta_bytes; }),
    member("activation_factor",
           "The factor by which activations differ from the median, if one factor fits nine tenths of them and it "
           "stands out; else null",
           [](const DifferenceInJson& one) { return one.difference.activation_factor; }),
    member(
        "lines", "Largest difference first",
        [](const DifferenceInJson& one) -> const auto& { return one.difference.lines; }, kLineDifference));

struct ElsewhereInJson {
  const JobReport& report;
  const ElsewhereRank& other;

  [[nodiscard]] const JobRank& rank() const { return report.ranks[other.rank]; }
};

constexpr auto kOnOtherGpu = json_object<ElsewhereInJson>(
    {.meaning = "A rank", .layout = JsonLayout::compact},
    member("rank", kRankMeaning, [](const ElsewhereInJson& one) { return one.rank().rank; }),
    member(
        "file", "Its file",
        [](const ElsewhereInJson& one) -> const auto& { return file_of_part(one.report, one.rank().part); }),
    member("device", "The GPU of the other rank",
           [](const ElsewhereInJson& one) { return one.other.held.device.value; }),
    member("peak_bytes", "Requested bytes there at their peak",
           [](const ElsewhereInJson& one) { return one.other.held.peak_bytes; }),
    member(
        "line", "The line that holds most there; empty if none has a name",
        [](const ElsewhereInJson& one) -> const auto& { return one.other.held.line; }));

struct GroupInJson {
  const JobReport& report;
  const RankGroup& group;
};

constexpr auto kGroup = json_object<GroupInJson>(
    {.meaning = "Similar ranks", .name = "group"},
    member(
        "ranks", "Ascending; null for files without one",
        [](const GroupInJson& one) -> const auto& { return one.group.ranks; },
        made_by([](const GroupInJson& one, std::size_t rank) { return one.report.ranks[rank].rank; }, PlainForm{}))
        .as(JsonLayout::compact),
    member("files", "How many ranks it has", [](const GroupInJson& one) { return one.group.ranks.size(); }),
    member("least_bytes", "The least that one of them holds at its moment",
           [](const GroupInJson& one) { return one.group.least_bytes; }),
    member("median_bytes", "The median", [](const GroupInJson& one) { return one.group.median_bytes; }),
    member("most_bytes", "The most", [](const GroupInJson& one) { return one.group.most_bytes; }),
    member(
        "medians", "Median of each line and kind, largest first",
        [](const GroupInJson& one) -> const auto& { return one.group.medians; }, kLineMemory));

using RankGap = std::pair<std::uint64_t, std::uint64_t>;
constexpr auto kRankGap = json_object<RankGap>({.meaning = "Ranks without a file", .layout = JsonLayout::compact},
                                               member("first", "First rank of the gap", &RankGap::first),
                                               member("last", "Last rank of the gap", &RankGap::second));

std::span<const RankDifference> second_of_two(const JobReport& report) {
  return report.second ? std::span(&*report.second, 1) : std::span<const RankDifference>();
}

constexpr auto kRanks = json_described<JobReport>(
    {.schema = "memviz.ranks/1.3",
     .title = "memviz ranks --json",
     .meaning = "Which rank of a job stands out, and groups of similar ranks. One document for all files. --ndjson "
                "writes the objects of `ranks`, then those of `unread_files`, one a line."},
    member("headline", "The answer in sentences", ranks_headline),
    member("files", "Files that were looked at", [](const JobReport& report) { return report.parts.size(); }),
    member("unread", "Files that could not be read", [](const JobReport& report) { return report.unread.size(); }),
    member("missing", "Gaps in the ranks", &JobReport::missing, kRankGap),
    member("out_of_memory",
           "Ranks that ran out of memory, compared with the median of the group whose parameters and optimizer state "
           "are nearest",
           &JobReport::failed, made_by(difference_of, kDifference)),
    member("outliers", "Ranks that stand out of their group, the largest difference first", &JobReport::outliers,
           made_by(difference_of, kDifference)),
    member("by_timing",
           "Ranks of which only communication buffers differ from the median of their group. When those are freed "
           "depends on threads",
           &JobReport::by_timing, made_by(difference_of, kDifference)),
    member("of_two", "The second rank of two against the first, if they differ: of two, neither can stand out",
           second_of_two, made_by(difference_of, kDifference)),
    member("on_other_gpus",
           "Memory on a GPU that is the main one of another rank, whose process uses no other GPU; the largest first",
           &JobReport::on_other_gpus,
           made_by(
               [](const JobReport& report, const ElsewhereRank& other) {
                 return ElsewhereInJson{report, other};
               },
               kOnOtherGpu)),
    member("groups", "Groups of similar ranks, the largest first", &JobReport::groups,
           made_by(
               [](const JobReport& report, const RankGroup& group) {
                 return GroupInJson{report, group};
               },
               kGroup)),
    member("ranks", "Ascending by rank; files without a rank last", &JobReport::ranks,
           made_by(
               [](const JobReport& report, const JobRank& rank) {
                 return RankInJson{report, rank};
               },
               kRank)),
    member(
        "unread_files", "Files that could not be read", &JobReport::unread,
        made_by(
            [](const JobReport& report, std::size_t part) -> const auto& { return report.parts[part]; }, kUnreadPart)),
    member("left_out", "Files of another step than that of --step", &JobReport::left_out,
           made_by(file_of_part, PlainForm{})),
    member("notes", "What to know, in sentences", ranks_notes));

} // namespace

std::string ranks_json(const JobReport& report) {
  return document_text(kRanks, report);
}

std::string ranks_schema() {
  return schema_text(kRanks);
}

std::string ranks_ndjson(const JobReport& report) {
  std::string text;
  for (const JobRank& rank : report.ranks)
    text += object_line(kRank, {report, rank});
  for (const std::size_t part : report.unread)
    text += object_line(kUnreadPart, report.parts[part]);
  return text;
}

} // namespace memviz
