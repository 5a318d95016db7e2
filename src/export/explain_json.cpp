#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/causes_json.hpp"
#include "export/device_json.hpp"
#include "export/explain_parts_json.hpp"
#include "export/json_meanings.hpp"
#include "export/keepers_json.hpp"
#include "export/kinds_json.hpp"
#include "export/lines_json.hpp"
#include "export/origin_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/memory_ledger.hpp"
#include "memviz/warnings.hpp"
#include "story/cause_words.hpp"
#include "story/explain_words.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

/// The form of a MemoryLedger, whose unknown parts follow the known ones.
struct LedgerForm {
  template <class Subject> void write(JsonWriter& json, const Subject& /*subject*/, const MemoryLedger& ledger) const {
    write_ledger(json, ledger);
  }
  void write_rules(SchemaWriter& writer, const ValueRule& rule) const;

private:
  static void write_ledger(JsonWriter& json, const MemoryLedger& ledger);
};
constexpr LedgerForm kLedger;

/// A part of ledger_parts(), which has the unknown ones only if they are known.
struct DescribedPart {
  std::string_view key;
  std::string_view meaning;
  bool may_be_unknown = false;
};

constexpr std::array kLedgerParts{
    DescribedPart{"reserved_bytes", "Reserved by PyTorch: the parts down to unaccounted_bytes are what it consists of"},
    DescribedPart{"live_bytes", "Requested and in use"},
    DescribedPart{"rounding_bytes", "Added to the requests by the allocator"},
    DescribedPart{"pending_free_bytes", "Freed, but waiting for another stream"},
    DescribedPart{"hard_bytes", "Free between blocks in use, on the stream and in the pool of the request"},
    DescribedPart{"soft_bytes", "Free in whole segments or pages, which could be given back"},
    DescribedPart{"stream_bytes", "Free on other streams"},
    DescribedPart{"private_pool_bytes", "Free in other pools"},
    DescribedPart{"other_size_bytes", "Free in segments of the other size class"},
    DescribedPart{"unplaced_bytes", "Free, in unknown pieces, where segments are made up (are_segments_made_up)"},
    DescribedPart{"unaccounted_bytes", "Covered by no block"},
    DescribedPart{"no_segment_bytes", "Of edited files: live by the events, besides what is reserved"},
    DescribedPart{"device_free_bytes", "Free on the device, as CUDA said at the error; null where nothing says", true},
    DescribedPart{"outside_bytes", "On the device but not PyTorch's; null where it is not known", true},
    DescribedPart{"capacity_bytes", "Memory of the device; null where it is not known", true},
};

constexpr auto kHoles = json_object<MemoryLedger>(
    {},
    member("largest_hole_bytes", "Largest piece that the request could have had", &MemoryLedger::largest_hole_bytes),
    member("largest_any_hole_bytes", "Largest free piece of all", &MemoryLedger::largest_any_hole_bytes));

void LedgerForm::write_ledger(JsonWriter& json, const MemoryLedger& ledger) {
  const std::vector<LedgerPart> parts = ledger_parts(ledger);
  json.begin_object();
  for (const LedgerPart& part : parts)
    json.member(part.key, part.bytes);
  for (const DescribedPart& described : kLedgerParts)
    if (std::ranges::find(parts, described.key, &LedgerPart::key) == parts.end()) json.member(described.key, nullptr);
  write_members(json, kHoles, ledger);
  json.end_object();
}

void LedgerForm::write_rules(SchemaWriter& writer, const ValueRule& /*rule*/) const {
  JsonWriter& json = writer.json();
  json.member("type", "object").key("properties").begin_object();
  for (const DescribedPart& part : kLedgerParts) {
    json.key(part.key).begin_object().member("description", part.meaning);
    write_number_rule<std::uint64_t>(json, {.may_be_null = part.may_be_unknown});
    json.end_object();
  }
  write_properties(writer, kHoles);
  json.end_object().key("required").begin_array();
  for (const DescribedPart& part : kLedgerParts)
    json.value(part.key);
  write_required(json, kHoles);
  json.end_array().member("additionalProperties", false);
}

struct ExplanationInJson {
  const MemoryState& state;
  const DeviceExplanation& device;
  ExplanationText words;

  [[nodiscard]] const FrameTable& frames() const { return state.frames(); }
};

std::optional<RequestInJson> request_in_json(const ExplanationInJson& in) {
  return in.device.request ? std::optional(RequestInJson{in.frames(), in.device}) : std::nullopt;
}

std::optional<LeakInJson> leak_in_json(const ExplanationInJson& in) {
  return in.device.leak ? std::optional(LeakInJson{in.frames(), *in.device.leak}) : std::nullopt;
}

std::optional<KeepersInJson> explained_keepers(const ExplanationInJson& in) {
  return in.device.keepers ? std::optional(KeepersInJson{in.frames(), *in.device.keepers}) : std::nullopt;
}

CalledLineInJson called_line(const ExplanationInJson& in, const UserLine& line) {
  const auto found = in.device.callers.find(line.key);
  if (found == in.device.callers.end()) return {{in.frames(), line}, {}};
  return {{in.frames(), line}, callers_text(in.frames(), found->second)};
}

constexpr auto kVerdict = json_object<ExplanationInJson>(
    {},
    member(
        "device", "", [](const ExplanationInJson& in) { return in.device.device_state.device; }, kDeviceForm),
    member("moment", "The moment in words",
           [](const ExplanationInJson& in) { return moment_text(in.device.device_state); }),
    member("event", "The moment's event, index from 0 in the events of its device; -1: before the first",
           [](const ExplanationInJson& in) { return in.device.device_state.moment.event.number(); })
        .at_least(-1),
    member("headline", "What happened, in a sentence", part_of(&ExplanationInJson::words, &ExplanationText::headline)),
    member(
        "verdict", "Why the request did not fit; of a moment without one, what the memory was",
        [](const ExplanationInJson& in) { return in.device.judgement.verdict; },
        named(verdict_name, Verdict::exhaustion, Verdict::empty)),
    member("verdict_text", "Why, in a sentence: the verdict, or a cause that is named before it",
           part_of(&ExplanationInJson::words, &ExplanationText::verdict)),
    member("reasons", "What it follows from, in sentences",
           part_of(&ExplanationInJson::words, &ExplanationText::reasons)),
    member(
        "causes", "Why the program needs this much, if a request failed; in the order in which they are named",
        [](const ExplanationInJson& in) -> const auto& { return in.device.causes; },
        made_by(
            [](const ExplanationInJson& in, const Cause& cause) {
              return CauseInJson{in.frames(), scope_of(in.device), cause};
            },
            kCause)));

constexpr auto kMemoryOfDevice = json_object<ExplanationInJson>(
    {}, member("request", "What was asked for and did not fit; null where nothing failed", request_in_json, kRequest),
    member("are_segments_made_up", kMadeUpSegmentsMeaning,
           [](const ExplanationInJson& in) { return in.device.device_state.are_segments_made_up; }),
    member(
        "totals", "Where every reserved byte was",
        [](const ExplanationInJson& in) -> const auto& { return in.device.ledger; }, kLedger),
    member(
        "perfect_allocator", kPerfectAllocatorMeaning,
        [](const ExplanationInJson& in) {
          return perfect_allocator(in.device.device_state, in.device.ledger.device_free_bytes);
        },
        kPerfectAllocator),
    member(
        "measured", "What memviz's own recorder measured of the device",
        [](const ExplanationInJson& in) -> const auto& { return in.device.measured; }, kMeasured)
        .if_any(),
    members_of(
        kJudgedBytes, [](const ExplanationInJson& in) -> const auto& { return in.device.judgement; }),
    member(
        "what_if", "What would have helped, or not: a replay of the events through a model of PyTorch's allocator",
        [](const ExplanationInJson& in) { return indexes(in.device.what_ifs.size()); },
        made_by(
            [](const ExplanationInJson& in, std::size_t i) {
              return AnswerInJson{in.state, in.device.what_ifs[i], in.words.answers[i]};
            },
            kAnswer)),
    member(
        "model", "How well that model reproduces the recording",
        [](const ExplanationInJson& in) -> const auto& { return in.device.fidelity; }, kModel),
    member("advice", "What to do, in sentences", part_of(&ExplanationInJson::words, &ExplanationText::advice)));

constexpr auto kUsersOfDevice = json_object<ExplanationInJson>(
    {},
    member(
        "kinds", "Kinds of memory in use at the moment",
        [](const ExplanationInJson& in) { return kinds_in_json(in.device.kinds); }, kKind),
    member(
        "users", "Lines that hold most at the moment, at most 100",
        [](const ExplanationInJson& in) { return first_lines(in.device.users); }, made_by(called_line, kCalledLine)),
    member("keepers", kKeepersMeaning, explained_keepers, kKeepers),
    member(
        "pins", "Mostly free segments that cannot be given back, and what pins them",
        [](const ExplanationInJson& in) {
          return PinsInJson{in.frames(), in.device.pins};
        },
        kPins),
    member(
        "growth",
        "What was allocated since the last low point: the lowest live memory before the moment, going back until it "
        "was nearly as high as at the moment",
        [](const ExplanationInJson& in) {
          return GrowthInJson{in.frames(), in.device.growth};
        },
        kGrowth),
    member("leak",
           "What is kept from step to step, where memory ran out: null where no steps are annotated, where it is not "
           "sure, or where it comes to less than a twentieth of what is live",
           leak_in_json, kLeak),
    member(
        "pass", "What the pass in which the request failed still needs; null without a failed request on a GPU",
        [](const ExplanationInJson& in) -> const auto& { return in.device.pass; }, kPass),
    member(
        "first_step",
        "What is still to come in the first training step, where memory ran out in it: null where a step of an "
        "optimizer has ended before, where parameters are unknown or older than the recording, where no training "
        "shows, or where all is there",
        [](const ExplanationInJson& in) -> const auto& { return in.device.first_step; }, kFirstStep));

constexpr auto kExplanation = json_object<ExplanationInJson>(
    {.meaning = "A device at its moment", .name = "explanation"}, members_of(kVerdict, std::identity()),
    members_of(kMemoryOfDevice, std::identity()), members_of(kUsersOfDevice, std::identity()));

struct ExplanationsInJson {
  const std::string& file;
  const MemoryState& state;
  const std::vector<DeviceExplanation>& devices;
};

constexpr auto kExplain = json_described<ExplanationsInJson>(
    {.schema = "memviz.explain/1.6",
     .title = "memviz explain --json",
     .meaning =
         "Why memory ran out or is fragmented, and what would have helped. One document for one file. Where the "
         "command line names several files or a folder, a line for each: a document, or one of memviz.unread for "
         "a file that could not be read."},
    member(
        "file", kSnapshotMeaning, [](const ExplanationsInJson& in) -> const auto& { return in.file; }),
    member(
        "rehearsal", "",
        [](const ExplanationsInJson& in) -> const auto& { return in.state.recording->origin.rehearsal; }, kRehearsal)
        .if_any(),
    member(
        "devices", "Each device, the one that failed first in front",
        [](const ExplanationsInJson& in) -> const auto& { return in.devices; },
        made_by(
            [](const ExplanationsInJson& in, const DeviceExplanation& device) {
              return ExplanationInJson{in.state, device, in_words(in.state, device)};
            },
            kExplanation)),
    member("warnings", kWarningsMeaning, [](const ExplanationsInJson& in) { return warnings_and_losses(in.state); }));

} // namespace

std::string explain_json(const std::string& file, const MemoryState& state,
                         const std::vector<DeviceExplanation>& devices) {
  return document_text(kExplain, {file, state, devices});
}

std::string explain_schema() {
  return schema_text(kExplain);
}

} // namespace memviz
