#include "memviz/fit.hpp"
#include "memviz/fit_report.hpp"

#include "base/json_object_schema.hpp"
#include "export/fit_verdict_json.hpp"
#include "export/schemas.hpp"
#include "memviz/fit_words.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

namespace {

/// Rises when a name or a meaning changes; additions do not count.
constexpr int kFitVersion = 1;

constexpr auto kSearchRun = json_object<SearchRun>(
    {.meaning = "A run"}, member("value", "The value", &SearchRun::value),
    member("outcome", "Whether it fits", part_of(&SearchRun::verdict, &FitVerdict::outcome), one_of(kOutcomeWords)),
    member("peak_bytes", "Most that any device held; 0 where none was used", part_of(&SearchRun::verdict, peak_of)));

constexpr auto kRange = json_object<SearchRange>({}, member("name", "The name of the variable", &SearchRange::name),
                                                 member("low", "Least that was asked for", &SearchRange::low),
                                                 member("high", "Most that was asked for", &SearchRange::high));

constexpr auto kSearch = json_object<SearchReport>(
    {.meaning = "The largest number that fits", .name = "search"}, members_of(kRange, &SearchReport::range),
    member("has_answer", "Whether the largest is known", &SearchReport::has_answer),
    member("largest", "The largest that fits; null where none does", &SearchReport::largest),
    member("text", "The answer as a sentence", search_headline),
    member("runs", "In the order of the runs", &SearchReport::runs, kSearchRun));

constexpr auto kFrontierRow = json_object<FrontierRow>({.meaning = "A number of the second name"},
                                                       member("value", "The number", &FrontierRow::value),
                                                       member("search", "", &FrontierRow::search, kSearch));

constexpr auto kFrontier = json_object<FrontierReport>(
    {}, members_of(kRange, &FrontierReport::range),
    member("rows", "Ascending, until none fits", &FrontierReport::rows, kFrontierRow).never_empty());

constexpr auto kRankRun =
    json_object<RankRun>({.meaning = "A rank", .name = "rank_run"}, member("rank", "The rank", &RankRun::rank),
                         member("verdict", "", &RankRun::verdict, kFitVerdict));

constexpr auto kJobRuns =
    json_object<RanksReport>({},
                             member("runs", "Of --world: the ranks that were rehearsed, by rank; the others may differ",
                                    &RanksReport::runs, kRankRun)
                                 .never_empty(),
                             member("rank", "Of --world: the rank that decides, whose verdict is the answer",
                                    [](const RanksReport& job) { return deciding_run(job).rank; }));

constexpr auto kJobOnGpu = json_object<RanksReport>(
    {}, member("ranks", "Of --world: the number of ranks of the job", &RanksReport::ranks),
    member("text", "Of --world: the answer in sentences", ranks_headline), members_of(kJobRuns, std::identity()));

constexpr auto kGpu = json_object<RanksReport>(
    {.meaning = "A GPU"},
    member(
        "profile", "Name of its profile", [](const RanksReport& gpu) -> const auto& { return profile_of(gpu).name; }),
    members_of(kJobOnGpu, std::identity()).when([](const RanksReport& gpu) { return gpu.ranks > 1; }),
    member(
        "verdict", "", [](const RanksReport& gpu) -> const auto& { return deciding_run(gpu).verdict; }, kFitVerdict));

struct VerdictChange {
  std::int64_t peak_bytes;
  std::optional<std::int64_t> peak_reserved_bytes;
  std::int64_t left_bytes;
};

std::optional<VerdictChange> change_between(const FitVerdict& before, const FitVerdict& after) {
  const DeviceUse* const first = fullest(before.facts);
  const DeviceUse* const second = fullest(after.facts);
  if (first == nullptr || second == nullptr) return std::nullopt;
  const auto delta = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
  };
  VerdictChange change{delta(first->peak_bytes, second->peak_bytes), std::nullopt,
                       delta(first->left_bytes(), second->left_bytes())};
  if (first->peak_reserved_bytes && second->peak_reserved_bytes)
    change.peak_reserved_bytes = delta(*first->peak_reserved_bytes, *second->peak_reserved_bytes);
  return change;
}

constexpr auto kVerdictChange =
    json_object<VerdictChange>({}, member("peak_bytes", "Of the peak", &VerdictChange::peak_bytes),
                               member("peak_reserved_bytes", "Of what PyTorch reserved; null where it is not known",
                                      &VerdictChange::peak_reserved_bytes),
                               member("left_bytes", "Of what is left", &VerdictChange::left_bytes));

struct VariantInJson {
  const FitVerdict& usual;
  const Variant& variant;
};

constexpr auto kVariant = json_object<VariantInJson>(
    {.meaning = "A setting of --compare-with"},
    member(
        "setting", "NAME=VALUE", [](const VariantInJson& in) -> const auto& { return in.variant.setting; }),
    member("text", "What changes, in a sentence",
           [](const VariantInJson& in) { return variant_headline(in.usual, in.variant); }),
    member(
        "change", "Of the fullest device, with the setting minus without; null where one was not used",
        [](const VariantInJson& in) { return change_between(in.usual, in.variant.verdict); }, kVerdictChange),
    member(
        "verdict", "", [](const VariantInJson& in) -> const auto& { return in.variant.verdict; }, kFitVerdict));

/// One of the reports of rehearse; the others are null.
struct RehearsalInJson {
  const FitVerdict& verdict;
  const SearchReport* search = nullptr;
  const FrontierReport* frontier = nullptr;
  const RanksReport* job = nullptr;
  const GpusReport* gpus = nullptr;
  const VariantsReport* variants = nullptr;
};

std::optional<std::uint64_t> answering_value(const RehearsalInJson& in) {
  return in.search == nullptr ? std::nullopt : std::optional(answering_run(*in.search).value);
}

std::optional<std::string> answer_text(const RehearsalInJson& in) {
  if (in.frontier != nullptr) return frontier_headline(*in.frontier);
  if (in.job != nullptr) return ranks_headline(*in.job);
  return in.gpus == nullptr ? std::nullopt : std::optional(gpus_headline(*in.gpus));
}

const std::vector<RanksReport>* gpus_of(const RehearsalInJson& in) {
  return in.gpus == nullptr ? nullptr : &in.gpus->gpus;
}

const std::string* answering_profile(const RehearsalInJson& in) {
  return in.gpus == nullptr ? nullptr : &profile_of(answering_gpu(*in.gpus)).name;
}

const std::vector<Variant>* variants_of(const RehearsalInJson& in) {
  return in.variants == nullptr || in.variants->variants.empty() ? nullptr : &in.variants->variants;
}

bool is_job(const RehearsalInJson& in) {
  return in.job != nullptr;
}

constexpr auto kRehearse = json_described<RehearsalInJson>(
    {.schema = "memviz.rehearse/1.4",
     .title = "memviz rehearse --json",
     .meaning = "Whether a program fits on a GPU that was made up: of one run, a search, several settings, ranks of a "
                "job, or several GPUs"},
    constant("schema_version", "The version as older readers look for it", kFitVersion),
    member("search", "Of --search: what was tried", &RehearsalInJson::search, kSearch).if_any(),
    member("value", "Of --search: the value that verdict is of", answering_value).if_any(),
    member("ranks", "Of --world: the number of ranks of the job",
           [](const RehearsalInJson& in) { return in.job->ranks; })
        .when(is_job),
    member("text", "Of --world, of several GPUs and of two names to --search: the answer in sentences", answer_text)
        .if_any(),
    member("frontier",
           "Of two names to --search: the largest of the first for numbers of the second; verdict is that of the first "
           "row",
           &RehearsalInJson::frontier, kFrontier)
        .if_any(),
    member("gpus", "Of several GPUs: the answer on each, those with most memory first", gpus_of, kGpu)
        .never_empty()
        .if_any(),
    members_of(
        kJobRuns, [](const RehearsalInJson& in) -> const auto& { return *in.job; })
        .when(is_job),
    member("profile",
           "Of several GPUs: the profile of the smallest on which it fits, else of the largest; verdict is its answer",
           answering_profile)
        .if_any(),
    member(
        "verdict", "", [](const RehearsalInJson& in) -> const auto& { return in.verdict; }, kFitVerdict),
    member("variants", "With --compare-with", variants_of,
           made_by(
               [](const RehearsalInJson& in, const Variant& variant) {
                 return VariantInJson{in.variants->usual, variant};
               },
               kVariant))
        .if_any());

} // namespace

std::string search_json(const SearchReport& report) {
  return document_text(kRehearse, {.verdict = answering_run(report).verdict, .search = &report});
}

std::string frontier_json(const FrontierReport& report) {
  return document_text(kRehearse, {.verdict = answering_run(report.rows.front().search).verdict, .frontier = &report});
}

std::string ranks_json(const RanksReport& report) {
  return document_text(kRehearse, {.verdict = deciding_run(report).verdict, .job = &report});
}

std::string gpus_json(const GpusReport& report) {
  return document_text(kRehearse, {.verdict = deciding_run(answering_gpu(report)).verdict, .gpus = &report});
}

std::string variants_json(const VariantsReport& report) {
  return document_text(kRehearse, {.verdict = report.usual, .variants = &report});
}

} // namespace memviz::rehearse

namespace memviz {

std::string rehearse_schema() {
  return schema_text(rehearse::kRehearse);
}

} // namespace memviz
