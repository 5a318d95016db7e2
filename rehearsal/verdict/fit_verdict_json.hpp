#pragma once

// The verdict on one rehearsed run in JSON.

#include "base/json_object.hpp"
#include "export/json_meanings.hpp"
#include "export/kinds_json.hpp"
#include "export/lines_json.hpp"
#include "story/kind_totals.hpp"
#include "story/moment_words.hpp"
#include "verdict/fit.hpp"
#include "verdict/fit_doubt_words.hpp"
#include "verdict/fit_server_json.hpp"
#include "verdict/fit_words.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

inline constexpr std::array<std::string_view, 4> kOutcomeWords{"fits", "does_not_fit", "failed", "no_gpu"};
inline constexpr std::array<std::string_view, 3> kDisturbanceWords{"none", "compiler", "unread"};
inline constexpr std::array<std::string_view, 2> kEndWords{"at-once", "late"};
inline constexpr std::array<std::string_view, 2> kFileMoments{"oom", "end"};

inline constexpr auto kDeviceUse = json_object<DeviceUse>(
    {.meaning = "A device as one process used it"},
    member("device", "Its number", part_of(&DeviceUse::device, &DeviceId::value)),
    member("rank", "Rank of the process; null where it has none", &DeviceUse::rank),
    member("pid", "Its process", &DeviceUse::pid),
    member("total_bytes", "Memory of the device", &DeviceUse::total_bytes),
    member("context_bytes", "Bytes of the context", &DeviceUse::context_bytes),
    member("outside_bytes", "Bytes that libraries took outside of PyTorch, as --outside or a server's model asked for",
           &DeviceUse::outside_bytes),
    member("peak_bytes", "Most that was taken", &DeviceUse::peak_bytes),
    member("peak_all_bytes", "Most that was taken at one time with other processes; peak_bytes where there are none",
           &DeviceUse::most_bytes),
    member("left_bytes", "What was left then", &DeviceUse::left_bytes),
    member("peak_reserved_bytes", "Most that PyTorch reserved; null where it is not known",
           &DeviceUse::peak_reserved_bytes),
    member("peak_allocated_bytes", "Most that PyTorch allocated; null where it is not known",
           &DeviceUse::peak_allocated_bytes),
    member("retries", "How often PyTorch gave memory back and asked again", &DeviceUse::retries));

inline constexpr auto kHolderFigures = json_object<Holder>(
    {.meaning = "A line within another", .name = "inner_line"}, member("line", kOwnLineMeaning, &Holder::line),
    member("bytes", "Requested bytes that it holds", &Holder::bytes),
    member("blocks", "Blocks that it holds", &Holder::blocks));

inline constexpr auto kRehearsedHolder = json_object<Holder>(
    {.meaning = "What one line holds", .name = "line"}, members_of(kHolderFigures, std::identity()),
    member("callers", kCallersMeaning, &Holder::callers).if_any(),
    member(
        "within",
        "Of a line that holds more than half of all: the largest of the innermost lines that it called, at most three",
        &Holder::within, kHolderFigures)
        .if_any());

inline constexpr auto kKindPart =
    json_object<KindPart>({.meaning = "A kind of memory", .name = "kind"},
                          member("kind", "Its name, as in docs/kinds.md", &KindPart::kind, kNamedKind),
                          member("bytes", "Requested bytes of it", &KindPart::bytes));

[[nodiscard]] inline std::vector<KindPart> known_kinds(const FileFacts& facts) {
  return kind_parts(has_known(facts.kinds) ? facts.kinds : KindAccount{});
}

[[nodiscard]] inline std::optional<std::vector<KindPart>> kinds_of_server(const FileFacts& facts) {
  return bytes_of_kinds(facts.server_kinds) > 0 ? std::optional(kind_parts(facts.server_kinds)) : std::nullopt;
}

inline constexpr auto kFacts = json_object<FileFacts>(
    {.meaning = "A moment of a run", .name = "facts"},
    member("file", "The snapshot with these figures; empty where a search did not keep it", &FileFacts::file),
    member("device", "Number of the GPU", [](const FileFacts& facts) { return facts.device.device.value; }),
    member("moment", "In words", [](const FileFacts& facts) { return moment_text(facts.device); }),
    member("requested_bytes", "Requested bytes at that moment",
           [](const FileFacts& facts) { return facts.device.figures.requested_bytes; }),
    member("reserved_bytes", "Reserved bytes at that moment",
           [](const FileFacts& facts) { return facts.device.figures.reserved_bytes; }),
    member("holders", "Lines that held most", &FileFacts::holders, kRehearsedHolder),
    member("kinds", "Requested bytes at that moment by kind, largest first; empty where no kind is known", known_kinds,
           kKindPart),
    member("server_kinds",
           "Of those, what code of an inference server (vLLM, SGLang) asked for, the rest is of the program around it; "
           "absent where it asked for nothing",
           kinds_of_server, kKindPart)
        .if_any());

inline constexpr auto kFailure = json_object<Failure>(
    {.meaning = "The first out-of-memory error", .name = "failure"}, members_of(kFacts, &Failure::facts),
    member("headline", "What happened", part_of(&Failure::words, &ExplanationText::headline)),
    member("verdict_text", "Why", part_of(&Failure::words, &ExplanationText::verdict)),
    member("reasons", "What it follows from", part_of(&Failure::words, &ExplanationText::reasons)),
    member("keepers", "The variables that keep most, in sentences; empty where the recording has no keepers",
           part_of(&Failure::words, &ExplanationText::keepers)),
    member("answers", "What would have helped", part_of(&Failure::words, &ExplanationText::answers)),
    member("advice", "What to do", part_of(&Failure::words, &ExplanationText::advice)));

inline constexpr auto kReadLine =
    json_object<ReadLine>({.meaning = "A line"},
                          member("line", "File and line of the innermost frame that is not PyTorch's", &ReadLine::line),
                          member("count", "How often it did", &ReadLine::count));

inline constexpr auto kDecidingLine = json_object<ReadLine>(
    {.meaning = "A line"}, members_of(kReadLine, std::identity()),
    member("unknown", "Of these, integers that are not known and were zero, and, of a run with zeros, all values",
           &ReadLine::unknown_count),
    member("made_up", "Of these, values that were made up: an unknown mask selects everything",
           &ReadLine::made_up_count));

inline constexpr auto kTried = json_object<TriedChange>(
    {.meaning = "A change"},
    member("change",
           "What was changed: a setting of PyTorch's allocator, or the default implementation of PyTorch's optimizers",
           &TriedChange::change, named(change_name, FitChange::expandable_segments, FitChange::no_foreach)),
    member("left_bytes", "Memory of the device left at the peak", &TriedChange::left_bytes),
    member("more_steps", "Optimizer steps after the one that failed, where memviz ended the run; 0: it ran to its end",
           &TriedChange::more_steps));

inline constexpr auto kNeighbour = json_object<Neighbour>(
    {.meaning = "A program of --share", .name = "neighbour"}, member("command", "As given", &Neighbour::command),
    member("peak_bytes", "Of its fullest device, with its contexts", &Neighbour::peak_bytes),
    member("is_sure", "Whether it surely fits, and so takes no more", &Neighbour::is_sure));

struct FileInJson {
  const std::string& path;
  std::string_view at;
  std::int64_t pid;
};

[[nodiscard]] inline std::vector<FileInJson> files_of(const FitVerdict& verdict) {
  std::vector<FileInJson> files;
  for (const OutOfMemoryFact& oom : verdict.facts.ooms)
    if (!oom.file.empty()) files.push_back({oom.file, "oom", oom.pid});
  for (const WrittenFile& file : verdict.facts.files)
    files.push_back({file.path, "end", file.pid});
  return files;
}

inline constexpr auto kFile = json_object<FileInJson>(
    {.meaning = "A snapshot that was written"},
    member(
        "file", "Its path", [](const FileInJson& file) -> const auto& { return file.path; }),
    member("at", "When", &FileInJson::at, one_of(kFileMoments)), member("pid", "The process", &FileInJson::pid));

inline constexpr auto kOtherEnd = json_object<OtherEnd>(
    {},
    member(
        "events", "at-once: when the other stream's work is submitted; late: when the host waits for it",
        [](const OtherEnd& end) { return kEndWords[end.is_latest ? 1 : 0]; }, one_of(kEndWords)),
    member("outcome", "As the verdict's", &OtherEnd::outcome, one_of(kOutcomeWords)),
    member("peak_bytes", "Of the fullest device", &OtherEnd::peak_bytes));

inline constexpr auto kOtherValues = json_object<OtherValues>(
    {}, member("computes_values", "Whether the other run is the one with values", &OtherValues::is_computed),
    member("outcome", "As the verdict's", &OtherValues::outcome, one_of(kOutcomeWords)),
    member("peak_bytes", "Of the fullest device", &OtherValues::peak_bytes),
    member("is_range", "Whether values were made up, so that a real run is between both", &OtherValues::is_range),
    member("disturbs",
           "Why the run with values is no answer: compiler, if torch.compile compiled nothing, unlike with zeros; "
           "unread, if the peaks differ although every value read was zero; else none",
           &OtherValues::disturbance, one_of(kDisturbanceWords)));

inline constexpr auto kEnding =
    json_object<Ending>({}, member("exit_code", "Its exit code", &Ending::exit_code),
                        member("signal", "The signal that ended it; 0: none", &Ending::signal));

inline constexpr auto kProfile = json_object<Profile>(
    {}, member("name", "Name", &Profile::gpu), member("profile", "Name of its profile", &Profile::name),
    member("total_bytes", "Its memory", &Profile::total_bytes),
    member("context_bytes", "Bytes that a CUDA context takes, a typical figure", &Profile::context_bytes));

inline constexpr auto kRunCounts = json_object<RunFacts>(
    {}, member("devices", "Each device that was used", &RunFacts::uses, kDeviceUse),
    member("ooms", "Out-of-memory errors", &RunFacts::oom_count),
    member("steps", "Steps of optimizers", &RunFacts::steps),
    member("is_stopped", "Whether it was stopped by --steps", &RunFacts::is_stopped),
    member("interrupted_at",
           "The line of the program at which a signal ended it, as file.py:12; empty where none did, or where the line "
           "is unknown",
           &RunFacts::interrupted_at),
    member("host_reads",
           "Copies of device memory to the host, which gave zeros; of a process that was killed, at least half of them",
           &RunFacts::host_reads),
    member("host_read_lines", "The lines of the program that made most of these copies, the most first, at most five",
           &RunFacts::reads, kReadLine),
    member("convolution_workspace_bytes_at_most",
           "What a workspace of a convolution with a kernel of up to 3 x 3 takes in addition to the peak at most, as "
           "measured on an H100; 0 where no convolution ran",
           [](const RunFacts& facts) { return facts.convolutions > 0 ? kConvolutionWorkspaceBytes : 0; }));

inline constexpr auto kRunDecisions = json_object<RunFacts>(
    {},
    member("deciding_read_lines",
           "The lines that read values which may decide the program's way or a size, the most first, at most five",
           &RunFacts::decisions, kDecidingLine),
    member("waits_at",
           "The line at which memviz ended the program, because it waits for a value that is never computed; empty "
           "where it did not",
           [](const RunFacts& facts) { return facts.waits_at ? std::string_view(facts.waits_at->line) : ""; }));

inline constexpr auto kFitVerdict = json_object<FitVerdict>(
    {.meaning = "A run", .name = "verdict"},
    member("outcome", "Whether it fits", &FitVerdict::outcome, one_of(kOutcomeWords)),
    member(
        "is_sure",
        "Whether neither what is not counted (uncounted_bytes_at_most), nor a model of the driver, nor a value that is "
        "not known may turn the outcome; false where there is no answer",
        is_sure),
    member("uncounted_bytes_at_most",
           "The most that a real run takes in addition of what is not counted, by what was measured elsewhere",
           uncounted_bytes),
    member("text", "The answer as a sentence", headline),
    member("program", "How it ended", &FitVerdict::ending, kEnding),
    member("gpu", "The GPU that was made up", &FitVerdict::profile, kProfile),
    members_of(kRunCounts, &FitVerdict::facts),
    member("computes_values",
           "Whether small integers and conditions were computed in the run with these figures; else all values are "
           "zeros",
           &FitVerdict::computes_values),
    members_of(kRunDecisions, &FitVerdict::facts),
    member("peak", "Who held the peak; null where nothing was recorded", &FitVerdict::peak, kFacts),
    member("failure", "Why it did not fit; null where it did", &FitVerdict::failure, kFailure),
    member(
        "tried",
        "Changes with which the program was rehearsed again because it did not fit, and went on; those with which it "
        "failed are left out",
        &FitVerdict::tried, kTried),
    member("files", "What was recorded", files_of, kFile),
    member("neighbours", "The programs that were on the GPU before, in their order, counted with their peaks",
           &FitVerdict::neighbours, kNeighbour)
        .if_any(),
    member("neighbour", "The program of --share that this run is about, because it did not get its memory",
           &FitVerdict::neighbour)
        .if_any(),
    member(
        "server",
        "Of an inference server (vLLM, SGLang): the memory that it found at its start, of one GPU, the most of any of "
        "its processes; null where it did not come that far",
        [](const FitVerdict& verdict) -> const auto& { return verdict; }, kServer)
        .when([](const FitVerdict& verdict) { return verdict.facts.server.has_value(); }),
    member("other_end", "Of --late: the end that takes less; when memory that another stream uses becomes free",
           &FitVerdict::other_end, kOtherEnd)
        .if_any(),
    member("other_values", "Of a program that was run twice, with zeros and with values: the other run",
           &FitVerdict::other_values, kOtherValues)
        .if_any(),
    member("notes", "What to know, in sentences", notes));

} // namespace memviz::rehearse
