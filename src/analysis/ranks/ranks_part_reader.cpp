#include "analysis/tree/user_lines.hpp"
#include "memviz/error.hpp"
#include "memviz/ranks.hpp"
#include "value/document.hpp"
#include "value/field.hpp"
#include "json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

/// The members of one part. All throwing members throw Error or SchemaError.
class PartReader {
public:
  explicit PartReader(const Document& document) : document_(document) {
    if (document.root.kind() != Kind::dict) throw Error("expected an object");
  }

  [[nodiscard]] RankPart part() const {
    RankPart part{.file = text("file")};
    part.error = optional_text("error");
    if (!part.error.empty()) return part;
    part.rank = optional_number("rank");
    part.ranks = optional_number("ranks");
    part.device = DeviceId{static_cast<std::uint32_t>(std::min<std::uint64_t>(number("device"), kMostDeviceIds))};
    part.other_devices = number("other_devices");
    part.elsewhere = elsewhere();
    part.moment = moment();
    part.event = event("event");
    part.held_bytes = number("held_bytes");
    part.asked_by = optional_text("asked_by");
    part.asked_bytes = optional_number("asked_bytes").value_or(0);
    part.peak_bytes = number("peak_bytes");
    part.peak_event = event("peak_event");
    part.end_bytes = number("end_bytes");
    part.reserved_bytes = number("reserved_bytes");
    part.capacity_bytes = optional_number("capacity_bytes");
    part.last_time_us = document_.as_signed(document_.get(document_.root, "last_time_us"));
    part.is_balanced = is_true("balanced");
    part.may_have_lost_events = is_true("may_have_lost_events");
    part.held = held();
    part.not_held = not_held();
    part.within = within();
    part.keepers = keepers();
    return part;
  }

private:
  [[nodiscard]] Value get(std::string_view key) const { return document_.get(document_.root, key); }

  [[nodiscard]] std::string optional_text(std::string_view key) const {
    return get(key).kind() == Kind::text ? std::string(document_.text(get(key))) : std::string();
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    if (get(key).kind() != Kind::text) throw Error(fmt::format("expected a text for '{}'", key));
    return optional_text(key);
  }
  [[nodiscard]] std::optional<std::uint64_t> optional_number(std::string_view key) const {
    return document_.as_unsigned(get(key));
  }
  [[nodiscard]] std::uint64_t number(std::string_view key) const { return number(get(key), key); }
  /// Sizes small enough that hundreds of thousands can be summed.
  [[nodiscard]] std::uint64_t number(Value value, std::string_view key) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 56U;
    const auto found = document_.as_unsigned(value);
    if (!found || *found > kMost) throw Error(fmt::format("expected a number for '{}'", key));
    return *found;
  }
  [[nodiscard]] bool is_true(std::string_view key) const { return document_.as_signed(get(key)) == 1; }
  [[nodiscard]] EventIndex event(std::string_view key) const {
    const auto index = document_.as_signed(get(key));
    if (!index || *index < -1 || *index == std::numeric_limits<std::int64_t>::max())
      throw Error(fmt::format("expected the number of an event for '{}'", key));
    return *index < 0 ? EventIndex() : EventIndex(static_cast<std::uint64_t>(*index));
  }
  [[nodiscard]] MomentKind moment() const {
    const std::string word = text("moment");
    if (word == "end") return MomentKind::end;
    if (word == "peak") return MomentKind::peak;
    if (word == "oom") return MomentKind::oom;
    throw Error(fmt::format("expected end, peak or oom for 'moment', found '{}'", word));
  }

  [[nodiscard]] std::vector<LineMemory> held() const {
    std::vector<LineMemory> lines;
    if (get("held").kind() != Kind::list) throw Error("expected an array for 'held'");
    document_.for_each(get("held"), [&](Value item) {
      lines.push_back(line_of(item));
      return true;
    });
    return lines;
  }
  /// Absent in parts of an older memviz.
  [[nodiscard]] std::vector<LineMemory> not_held() const {
    std::vector<LineMemory> lines;
    if (get("not_held").kind() != Kind::list) return lines;
    document_.for_each(get("not_held"), [&](Value item) {
      std::string line = line_in(item, "not_held");
      lines.push_back({std::move(line), kind_in(item), number(document_.get(item, "peak_bytes"), "peak_bytes")});
      return true;
    });
    return lines;
  }
  /// Absent in parts of an older memviz.
  [[nodiscard]] std::vector<ElsewhereMemory> elsewhere() const {
    std::vector<ElsewhereMemory> found;
    if (get("elsewhere").kind() != Kind::list) return found;
    document_.for_each(get("elsewhere"), [&](Value item) {
      std::string line = line_in(item, "elsewhere");
      const std::uint64_t device = number(document_.get(item, "device"), "device");
      found.push_back({DeviceId{static_cast<std::uint32_t>(std::min<std::uint64_t>(device, kMostDeviceIds))},
                       number(document_.get(item, "peak_bytes"), "peak_bytes"), std::move(line)});
      return true;
    });
    return found;
  }
  /// Returns the text of the line of an object in the list `key`.
  [[nodiscard]] std::string line_in(Value item, std::string_view key) const {
    const Value line = item.kind() == Kind::dict ? document_.get(item, "line") : item;
    if (item.kind() != Kind::dict || line.kind() != Kind::text)
      throw Error(fmt::format("expected objects with 'line' in '{}'", key));
    return std::string(document_.text(line));
  }
  /// Absent in parts of an older memviz.
  [[nodiscard]] std::vector<LineMemory> within() const {
    std::vector<LineMemory> lines;
    if (get("within").kind() != Kind::list) return lines;
    document_.for_each(get("within"), [&](Value item) {
      lines.push_back({line_in(item, "within"), {}, number(document_.get(item, "bytes"), "bytes")});
      return lines.size() < kMostWithin;
    });
    return lines;
  }
  /// Absent in parts of an older memviz.
  [[nodiscard]] std::vector<KeeperMemory> keepers() const {
    std::vector<KeeperMemory> found;
    if (get("keepers").kind() != Kind::list) return found;
    document_.for_each(get("keepers"), [&](Value item) {
      const Value keeper = item.kind() == Kind::dict ? document_.get(item, "keeper") : Value();
      if (keeper.kind() != Kind::text) throw Error("expected objects with 'keeper' in 'keepers'");
      found.push_back({std::string(document_.text(keeper)), number(document_.get(item, "bytes"), "bytes")});
      return found.size() < kMostKeepers;
    });
    return found;
  }
  [[nodiscard]] MemoryKind kind_in(Value item) const {
    const Value kind = document_.get(item, "kind");
    if (kind.kind() != Kind::text) throw Error("expected 'line' and 'kind' in 'held'");
    return kind_of_name(document_.text(kind)).value_or(MemoryKind::unknown);
  }
  [[nodiscard]] LineMemory line_of(Value item) const {
    if (item.kind() != Kind::dict) throw Error("expected objects in 'held'");
    const Value line = document_.get(item, "line");
    if (line.kind() != Kind::text) throw Error("expected 'line' and 'kind' in 'held'");
    const Value peak = document_.get(item, "peak_bytes"); // absent in parts of an older memviz
    return {std::string(document_.text(line)), kind_in(item), number(document_.get(item, "bytes"), "bytes"),
            document_.as_unsigned(peak) ? std::optional(number(peak, "peak_bytes")) : std::nullopt};
  }

  const Document& document_;
};

RankPart part_of_line(std::string_view line) {
  constexpr std::string_view kMajor = "1.";
  if (!line.starts_with(kRankPartHead)) throw Error("expected a part, as memviz ranks --partial writes it");
  if (!line.substr(kRankPartHead.size()).starts_with(kMajor)) {
    const std::string_view rest = line.substr(kRankPartHead.size());
    throw Error(fmt::format("a part of version {}; this memviz reads version 1",
                            rest.substr(0, std::min<std::size_t>(rest.find('"'), 12))));
  }
  const Document document = json::read(line);
  try {
    return PartReader(document).part();
  } catch (const SchemaError& error) {
    throw Error(error.what());
  }
}

} // namespace

std::vector<RankPart> read_rank_parts(std::string_view bytes) {
  std::vector<RankPart> parts;
  for (std::size_t number = 1; !bytes.empty(); ++number) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) continue;
    try {
      parts.push_back(part_of_line(line));
    } catch (const Error& error) {
      throw Error(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return parts;
}

} // namespace memviz
