#include "export/ledger_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

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

} // namespace

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

} // namespace memviz
