#include "recording/recorder_reader.hpp"

#include "base/utf8.hpp"
#include "memviz/format.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

namespace memviz {
namespace {

constexpr std::string_view kRecorderKey = "memviz_recorder";

/// A buffer is moved to the device by the same lines as a parameter, and is treated as one everywhere else.
std::optional<MemoryKind> kind_of(std::string_view word) {
  if (word == "buffer") return MemoryKind::parameter;
  const auto kind = kind_of_name(word);
  return kind == MemoryKind::unknown ? std::nullopt : kind;
}

class RecorderReader {
public:
  RecorderReader(const Document& document, FrameReader& texts, Budget& budget, Recording& recording)
      : document_(document), texts_(texts), budget_(budget), recording_(recording) {}

  void read(Value mark) {
    if (mark.kind() != Kind::dict) {
      ++left_out_;
      return;
    }
    recording_.origin.rank = document_.as_unsigned(document_.get(mark, "rank"));
    for_each_item(mark, "tensors", [&](Value item) { return add_tensor(item); });
    for_each_item(mark, "devices", [&](Value item) { return add_device(item); });
    const auto place = [](const DeclaredMemory& one) { return std::tuple(one.device, one.address); };
    std::ranges::stable_sort(recording_.declared, {}, place);
  }

  void warn() const {
    if (left_out_ == 0) return;
    recording_.warnings.push_back(
        fmt::format("{} of '{}' {} not what memviz's recorder writes, and omitted (from a newer version?)",
                    format_counted(left_out_, "entry", "entries"), kRecorderKey, left_out_ == 1 ? "is" : "are"));
  }

private:
  template <class Add> void for_each_item(Value mark, std::string_view key, Add add) {
    const Value items = document_.get(mark, key);
    if (!is_present(items)) return;
    if (items.kind() != Kind::list) {
      ++left_out_;
      return;
    }
    const Field list{items, nullptr, kRecorderKey};
    document_.for_each(items, [&](Value item) {
      budget_.spend(1, list);
      if (!add(item)) ++left_out_;
      return true;
    });
  }

  [[nodiscard]] std::optional<DeviceId> device_of(Value value) const {
    const auto number = document_.as_unsigned(value);
    // The last number means host memory.
    if (!number || *number >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return DeviceId{static_cast<std::uint32_t>(*number)};
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(Value value) const {
    const auto bytes = document_.as_unsigned(value);
    return bytes && *bytes <= kMaxTotalBytes ? bytes : std::nullopt;
  }

  /// [device, address, bytes, kind, name]
  bool add_tensor(Value item) {
    if (item.kind() != Kind::list && item.kind() != Kind::tuple) return false;
    std::array<Value, 5> parts{};
    std::size_t count = 0;
    document_.for_each(item, [&](Value part) {
      parts[count] = part;
      return ++count < parts.size();
    });
    const auto device = device_of(parts[0]);
    const auto address = document_.as_unsigned(parts[1]);
    const auto bytes = bytes_of(parts[2]);
    const bool is_text = parts[3].kind() == Kind::text && parts[4].kind() == Kind::text;
    const auto kind = is_text ? kind_of(document_.text(parts[3])) : std::nullopt;
    if (!device || !address || !bytes || *bytes == 0 || !kind) return false;
    recording_.declared.push_back(
        {.device = *device, .address = *address, .size_bytes = *bytes, .kind = *kind, .name = name_of(parts[4])});
    return true;
  }

  /// Short whatever the file contains, because many places may show it.
  [[nodiscard]] StringId name_of(Value text) {
    constexpr std::size_t kMostBytes = 512;
    const std::string_view name = document_.text(text);
    if (name.empty()) return kEmptyString;
    if (name.size() <= kMostBytes) return texts_.text(TextKind::metadata, text);
    const auto [cut, is_new] = cut_names_.try_emplace(text.payload());
    if (is_new) cut->second = texts_.text(TextKind::metadata, to_valid_utf8(name.substr(0, kMostBytes)));
    return cut->second;
  }

  bool add_device(Value item) {
    if (item.kind() != Kind::dict) return false;
    const auto device = device_of(document_.get(item, "device"));
    if (!device || recording_.measured.size() == kMostDeviceIds) return false;
    MeasuredDevice measured;
    measured.device = *device;
    measured.total_bytes = bytes_of(document_.get(item, "total_bytes"));
    if (measured.total_bytes == std::uint64_t{0}) measured.total_bytes.reset();
    measured.own_outside_bytes = bytes_of(document_.get(item, "own_outside_bytes"));
    measured.other_processes = bytes_of(document_.get(item, "other_processes"));
    measured.other_processes_bytes = bytes_of(document_.get(item, "other_processes_bytes"));
    recording_.measured.push_back(measured);
    return true;
  }

  const Document& document_;
  FrameReader& texts_;
  Budget& budget_;
  Recording& recording_;
  std::map<std::uint64_t, StringId> cut_names_; ///< by number of the text
  std::uint64_t left_out_ = 0;
};

} // namespace

void read_recorder(const Document& document, FrameReader& texts, Budget& budget, Recording& recording) {
  if (document.root.kind() != Kind::dict) return;
  const Value mark = document.get(document.root, kRecorderKey);
  if (!is_present(mark)) return;
  RecorderReader reader(document, texts, budget, recording);
  reader.read(mark);
  reader.warn();
}

} // namespace memviz
