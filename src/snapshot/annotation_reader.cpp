#include "snapshot/annotation_reader.hpp"

#include "snapshot/fields.hpp"
#include "snapshot/value_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {
namespace {

enum Field { name, stage, device, time_us };

/// Many annotations may hold one long text: each distinct one is rewritten and copied once.
class Texts {
public:
  Texts(const Document& document, FrameReader& texts) : document_(document), texts_(texts) {}

  StringId of(TextKind kind, Value value) {
    if (value.kind() != Kind::text) return texts_.text(kind, value_text(document_, value));
    const auto number = static_cast<std::size_t>(value.payload());
    auto& known = known_[static_cast<std::size_t>(kind)];
    if (number >= known.size()) known.resize(number + 1);
    if (!known[number]) known[number] = texts_.text(kind, document_.text(value));
    return *known[number];
  }
  StringId or_empty(TextKind kind, Value value) { return value.kind() == Kind::text ? of(kind, value) : kEmptyString; }

private:
  const Document& document_;
  FrameReader& texts_;
  std::array<std::vector<std::optional<StringId>>, kTextKinds> known_; ///< by kind, then by number of the text
};

} // namespace

void read_annotations(const Document& document, Value annotations, FrameReader& frames, Budget& budget,
                      Snapshot& snapshot) {
  static constexpr std::array<std::string_view, 4> kKeys{"name", "stage", "device", "time_us"};
  const FieldChecker check(document);
  FieldReader<kKeys.size()> fields(document, kKeys);
  Texts texts(document, frames);
  budget.spend(document.list_size(annotations), Where{nullptr, "external_annotations"}, annotations);
  std::size_t index = 0;
  document.for_each(annotations, [&](Value dict) {
    const Where where{nullptr, "external_annotations", index++};
    check.require(dict, Kind::dict, where, annotations);
    const auto row = fields.read(dict);
    Annotation annotation;
    annotation.name = texts.or_empty(TextKind::annotation, row[name]);
    annotation.stage = texts.or_empty(TextKind::stage, row[stage]);
    annotation.device = static_cast<std::uint32_t>(document.as_unsigned(row[device]).value_or(0));
    annotation.time_us = document.as_signed(row[time_us]).value_or(0);
    document.for_each_item(dict, [&](Value key, Value value) {
      const std::string_view word = key.kind() == Kind::text ? document.text(key) : "";
      if (std::find(kKeys.begin(), kKeys.end(), word) != kKeys.end()) return;
      budget.spend(1, where, dict);
      annotation.metadata.emplace_back(texts.of(TextKind::metadata_key, key), texts.of(TextKind::metadata, value));
    });
    snapshot.annotations.push_back(std::move(annotation));
    return true;
  });
}

} // namespace memviz
