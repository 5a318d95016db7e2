#include "recording/annotation_reader.hpp"

#include "memviz/format.hpp"
#include "recording/keys.hpp"
#include "recording/value_text.hpp"
#include "value/fields.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

bool is_text(Value value) {
  return value.kind() == Kind::text || value.kind() == Kind::bytes;
}

} // namespace

void read_annotations(const Document& document, Value annotations, FrameReader& frames, Budget& budget,
                      Recording& recording) {
  constexpr auto& kKeys = kAnnotationKeys.read;
  FieldReader<kKeys.size()> fields(document, kKeys);
  const auto text_of = [&](TextKind kind, Value value) {
    return is_text(value) ? frames.text(kind, value) : frames.text(kind, value_text(document, value));
  };
  const auto text_or_empty = [&](TextKind kind, Value value) {
    return value.kind() == Kind::text ? frames.text(kind, value) : kEmptyString;
  };
  const Field list{annotations, nullptr, "external_annotations"};
  budget.spend(document.list_size(annotations), list);
  std::size_t index = 0;
  std::uint64_t left_out = 0;
  document.for_each(annotations, [&](Value item) {
    const Field dict = list.item(index++, item);
    if (item.kind() != Kind::dict) {
      if (is_stand_in(item.kind())) dict.require(Kind::dict); // the plain reader sees its value
      ++left_out;
      return true;
    }
    const auto row = fields.read(item);
    Annotation annotation;
    annotation.name = text_or_empty(TextKind::annotation, row[kAnnotationKeys["name"]]);
    annotation.stage = text_or_empty(TextKind::stage, row[kAnnotationKeys["stage"]]);
    annotation.device = {static_cast<std::uint32_t>(document.as_unsigned(row[kAnnotationKeys["device"]]).value_or(0))};
    annotation.time_us = document.as_signed(row[kAnnotationKeys["time_us"]]).value_or(0);
    document.for_each_item(item, [&](Value key, Value value) {
      budget.spend_keys(1, dict);
      const std::string_view word = key.kind() == Kind::text ? document.text(key) : "";
      if (std::find(kKeys.begin(), kKeys.end(), word) != kKeys.end()) return;
      annotation.metadata.emplace_back(text_of(TextKind::metadata_key, key), text_of(TextKind::metadata, value));
    });
    recording.annotations.push_back(std::move(annotation));
    return true;
  });
  if (left_out > 0)
    recording.warnings.push_back(fmt::format("{} of 'external_annotations' {} omitted: not a dict",
                                             format_counted(left_out, "entry", "entries"),
                                             left_out == 1 ? "is" : "are"));
}

} // namespace memviz
