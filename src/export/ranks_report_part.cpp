#include "memviz/ranks_report.hpp"

#include "analysis/tree/user_lines.hpp"
#include "export/rank_part_json.hpp"
#include "memviz/error.hpp"
#include "json/json_reader.hpp"
#include "json/object_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

constexpr auto kHeldAtPeak = json_object<LineMemory>(
    {.layout = JsonLayout::compact}, members_of(kLineMemory, std::identity()),
    member("peak_bytes", "The most that the line held at once, of all kinds", &LineMemory::peak_bytes).if_any());

constexpr auto kNotHeld =
    json_object<LineMemory>({.layout = JsonLayout::compact}, member("line", kHeldLineMeaning, &LineMemory::line),
                            member("kind", kKindMeaning, &LineMemory::kind, kNamedKind),
                            member("peak_bytes", "The most that it held at once", &LineMemory::bytes));

constexpr auto kElsewhere = json_object<ElsewhereMemory>(
    {.layout = JsonLayout::compact},
    member("device", "Another GPU", part_of(&ElsewhereMemory::device, &DeviceId::value)),
    member("peak_bytes", "Requested bytes there at their peak", &ElsewhereMemory::peak_bytes),
    member("line", "The line that holds most there; empty if none has a name", &ElsewhereMemory::line));

constexpr auto kReadRank = json_object<RankPart>(
    {}, member("rank", "The rank, if the file records it", &RankPart::rank).of_any_size(),
    member("ranks", "The number of ranks, if the file records it", &RankPart::ranks).of_any_size(),
    members_of(kRankFigures, std::identity()),
    member("held", "held_bytes by line and kind, largest first", &RankPart::held, kHeldAtPeak),
    member("not_held", "Lines that held memory at other moments only", &RankPart::not_held, kNotHeld).if_any(),
    member("elsewhere", "What the process holds on other GPUs", &RankPart::elsewhere, kElsewhere).if_any(),
    members_of(kLargestOfRank, std::identity()));

constexpr auto kRankPart = json_described<RankPart>(
    {.schema = "memviz.ranks-part/1.2",
     .title = "memviz ranks --partial",
     .meaning = "What ranks needs of one file, which memviz alone reads"},
    member("file", "The file", &RankPart::file),
    members_of(kReadRank, std::identity()).when([](const RankPart& part) { return part.error.empty(); }),
    member("error", "Why it could not be read", &RankPart::error).if_any());

RankPart part_of_line(std::string_view line) {
  constexpr std::string_view kMajor = "1.";
  if (!line.starts_with(kRankPartHead)) throw Error("expected a part, as memviz ranks --partial writes it");
  if (const std::string_view version = line.substr(kRankPartHead.size()); !version.starts_with(kMajor))
    throw Error(fmt::format("a part of version {}; this memviz reads version 1",
                            version.substr(0, std::min<std::size_t>(version.find('"'), 12))));
  const Document document = json::read(line);
  RankPart part;
  try {
    json::ObjectReader(document).read({document.root}, kRankPart.object, part);
  } catch (const SchemaError& error) {
    throw Error(error.what());
  }
  part.device.value = std::min(part.device.value, kMostDeviceIds);
  for (ElsewhereMemory& other : part.elsewhere)
    other.device.value = std::min(other.device.value, kMostDeviceIds);
  part.keepers.resize(std::min(part.keepers.size(), kMostKeepers));
  part.within.resize(std::min(part.within.size(), kMostWithin));
  return part;
}

} // namespace

std::string rank_part_json(const RankPart& part) {
  std::string line;
  JsonWriter json(line, JsonLayout::compact);
  write_document(json, kRankPart, part);
  return line + '\n';
}

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
