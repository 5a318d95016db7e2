#include "recording/document_reader.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/device_kind.hpp"
#include "memviz/format.hpp"
#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "recording/keeper_kinds.hpp"
#include "recording/keepers_reader.hpp"
#include "recording/keys.hpp"
#include "recording/recorder_reader.hpp"
#include "recording/segment_reader.hpp"
#include "recording/unread_keys.hpp"
#include "recording/value_text.hpp"
#include "value/document.hpp"
#include "value/field.hpp"
#include "value/fields.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

bool is_text(Value value) {
  return value.kind() == Kind::text || value.kind() == Kind::bytes;
}

/// Adds the annotations. Keys other than those of every annotation become its metadata. Throws SchemaError.
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
      if (std::ranges::find(kKeys, word) != kKeys.end()) return;
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

constexpr std::string_view kKey = "memviz_rehearsal";

/// Returns a name of the GPU, short whatever the file contains.
std::string name_of(const Document& document, Value value, FrameReader& texts, const Recording& recording) {
  constexpr std::size_t kMostBytes = 256;
  constexpr std::size_t kMostColumns = 60;
  if (value.kind() != Kind::text) return "";
  const std::string text = elided(to_valid_utf8(document.text(value).substr(0, kMostBytes)), kMostColumns);
  return std::string(recording.frames.text(texts.text(TextKind::setting, text)));
}

Rehearsal rehearsal_of(const Document& document, Value mark, FrameReader& texts, const Recording& recording) {
  Rehearsal rehearsal;
  if (mark.kind() != Kind::dict) {
    rehearsal.profile = name_of(document, mark, texts, recording);
    return rehearsal;
  }
  rehearsal.gpu = name_of(document, document.get(mark, "gpu"), texts, recording);
  rehearsal.profile = name_of(document, document.get(mark, "profile"), texts, recording);
  rehearsal.total_bytes = document.as_unsigned(document.get(mark, "total_bytes"));
  if (rehearsal.total_bytes == 0 || rehearsal.total_bytes > kMaxTotalBytes) rehearsal.total_bytes.reset();
  rehearsal.rank = document.as_unsigned(document.get(mark, "rank"));
  rehearsal.ranks = document.as_unsigned(document.get(mark, "ranks"));
  return rehearsal;
}

/// Reads `memviz_rehearsal`, which is in both places so that it survives tools that keep only one of them.
/// `settings` may be Kind::unset. A mark of any shape is a mark; malformed members are omitted. It is also the first of
/// the snapshot's warnings, which all outputs show.
void read_rehearsal(const Document& document, Value settings, FrameReader& texts, Recording& recording) {
  Value mark = document.root.kind() == Kind::dict ? document.get(document.root, kKey) : Value();
  if (mark.kind() == Kind::unset && settings.kind() == Kind::dict) mark = document.get(settings, kKey);
  if (mark.kind() == Kind::unset) return;
  recording.origin.rehearsal = rehearsal_of(document, mark, texts, recording);
  if (recording.origin.rehearsal->rank) recording.origin.rank = recording.origin.rehearsal->rank;
}

/// Nested dicts (`roundup_power2_divisions`) are flattened one level deep. Throws SchemaError.
void read_settings(const Document& document, Value settings, FrameReader& texts, Budget& budget, Recording& recording) {
  const Field field{settings, nullptr, "allocator_settings"};
  // The maximum text of settings; genuine ones have some hundreds of bytes. Many keys below one long key, or many with
  // one long value, would expand to that much each.
  constexpr std::size_t kMostTextBytes = std::size_t{16} << 20U;
  std::size_t text_bytes = 0;
  const auto add = [&](const std::string& key, Value value) {
    budget.spend(1, field);
    const std::string text = value_text(document, value);
    text_bytes += key.size() + text.size();
    if (text_bytes > kMostTextBytes) field.fail("settings of at most 16 MiB of text", "more");
    recording.settings.emplace_back(texts.text(TextKind::setting_key, key), texts.text(TextKind::setting, text));
  };
  document.for_each_item(settings, [&](Value key, Value value) {
    const std::string name = value_text(document, key);
    if (value.kind() != Kind::dict) return add(name, value);
    document.for_each_item(
        value, [&](Value inner_key, Value inner) { add(name + "." + value_text(document, inner_key), inner); });
  });
  if (const Value overflowed = document.get(settings, "trace_alloc_overflowed"); overflowed.kind() != Kind::unset) {
    recording.trace_overflowed = document.as_signed(overflowed).value_or(0) != 0;
  }
  const Value recorded = document.get(settings, "memviz_recording");
  if (recorded.kind() == Kind::text && document.text(recorded) == "cpu") recording.origin.device_kind = DeviceKind::cpu;
  const auto cpu_device = document.as_unsigned(document.get(settings, "memviz_cpu_device"));
  if (cpu_device && *cpu_device <= std::numeric_limits<std::uint32_t>::max())
    recording.origin.cpu_device = DeviceId{static_cast<std::uint32_t>(*cpu_device)};
  recording.trace_max_entries = document.as_unsigned(document.get(settings, "trace_alloc_max_entries"));
}

/// "PyTorch 2.5 or 2.6", "PyTorch 2.0", ...; older keys decide only if newer ones are absent.
// Release notes disagree by one minor version in places; the pull requests that added the keys are #177717 (pool_id),
// #165490 (user_metadata), #130964 (external_annotations), #82146 (history).
std::string infer_generation(const GenerationSigns& signs) {
  if (signs.has_pool) return "PyTorch of 2026 or newer";
  if (signs.has_user_metadata) return "PyTorch 2.9 or newer";
  if (signs.has_compile_context) return "PyTorch 2.7 or 2.8";
  if (signs.has_annotations) return "PyTorch 2.5 or newer";
  if (signs.has_settings) return "PyTorch 2.3 or 2.4";
  if (signs.has_history) return signs.is_list ? "PyTorch 1.13 or 2.0" : "PyTorch 2.0";
  if (signs.is_list) return "a list of segments, as torch.cuda.memory_snapshot() returns";
  if (signs.has_time) return "PyTorch 2.2";
  return "PyTorch 2.1 or 2.2";
}

/// Describes a root that is not a snapshot, for the message.
std::string describe_root(const Document& document) {
  const Value root = document.root;
  if (root.kind() != Kind::dict) return std::string(value_name(root.kind()));
  std::string keys;
  std::size_t count = 0;
  document.for_each_item(root, [&](Value key, Value) {
    if (++count > 5 || key.kind() != Kind::text) return;
    keys +=
        fmt::format("{}'{}'", keys.empty() ? "" : ", ", elided(to_valid_utf8(document.text(key).substr(0, 256)), 40));
  });
  return count == 0
             ? "an empty dict"
             : fmt::format("a dict with {} ({}{})", format_counted(count, "key"), keys, count > 5 ? ", ..." : "");
}

/// Calls `read`; turns an error about `key` into a warning that names it.
template <class Read> void read_or_leave_out(const Readers& readers, std::string_view key, const Read& read) {
  try {
    read();
  } catch (const SchemaError& error) {
    if (!readers.leaves_out) throw;
    readers.recording.warnings.push_back(fmt::format("'{}' is left out: {}", key, error.what()));
  }
}

/// Genuine files end with STOP, or with the NULs with which PyTorch's HTML export pads them.
void warn_of_trailing_bytes(std::string_view bytes, std::uint64_t end, Recording& recording) {
  const std::string_view rest = bytes.substr(static_cast<std::size_t>(end));
  if (rest.find_first_not_of('\0') == std::string_view::npos) return;
  recording.warnings.push_back(
      fmt::format("byte {}: ignored {} after the end of the pickle", end, format_counted(rest.size(), "byte")));
}

/// Returns the generation of writers whose keys differ from those of CUDA's generations; "" for CUDA.
std::string_view generation_of(DeviceKind kind) {
  if (kind == DeviceKind::xpu) return "PyTorch of 2026 or newer";
  return kind == DeviceKind::npu ? "unknown PyTorch" : "";
}

} // namespace

void read_document(Readers& readers) {
  const Document& document = readers.document;
  Recording& recording = readers.recording;
  Budget& budget = readers.budget;
  FrameReader& frames = readers.frames;
  TraceReader& traces = readers.traces;
  SegmentReader segments(document, frames, budget, recording);
  const Value root = document.root;
  const Field whole{root};
  const auto optional = [&](std::string_view key, Kind kind) {
    const Value value = root.kind() == Kind::dict ? document.get(root, key) : Value();
    if (value.kind() == Kind::none) return Value();
    if (value.kind() != Kind::unset) whole.member(key, value).require(kind);
    return value;
  };
  /// Does the same for a key without which the rest of the file keeps its meaning.
  const auto ancillary = [&](std::string_view key, Kind kind) {
    Value value;
    read_or_leave_out(readers, key, [&] { value = optional(key, kind); });
    return value;
  };
  const Value segment_list = root.kind() == Kind::dict ? document.get(root, "segments") : root;
  if (!readers.has_only_events && segment_list.kind() != Kind::list) {
    throw SchemaError("expected a memory snapshot (a dict with a list 'segments', or a list of segments), found " +
                          describe_root(document),
                      root);
  }
  if (!readers.has_only_events) segments.read(segment_list);
  const Value host_segments = ancillary("host_segments", Kind::list);
  if (host_segments.kind() != Kind::unset)
    read_or_leave_out(readers, "host_segments", [&] { segments.read_host(host_segments); });
  segments.finish(readers.are_segments_made_up);
  const bool is_trace_list = readers.has_only_events && root.kind() == Kind::list;
  const Value device_traces = is_trace_list ? root : optional("device_traces", Kind::list);
  const Value host_trace = ancillary("host_traces", Kind::list);
  const Value settings = ancillary("allocator_settings", Kind::dict);
  const Value annotations = ancillary("external_annotations", Kind::list);
  if (device_traces.kind() != Kind::unset) traces.read_traces(device_traces);
  if (host_trace.kind() != Kind::unset) traces.read_host_trace(host_trace, readers.leaves_out);
  if (settings.kind() != Kind::unset) read_settings(document, settings, frames, budget, recording);
  if (annotations.kind() != Kind::unset) read_annotations(document, annotations, frames, budget, recording);

  if (readers.has_only_events) readers.trace_end.add_to(recording);
  traces.warn();
  if (document.has_rounded_integers())
    recording.warnings.emplace_back("integers of more than 64 bits are read in double precision");
  read_recorder(document, frames, budget, recording);
  read_keepers(document, frames, budget, recording);
  add_keeper_kinds(recording);
  UnreadKeys unread(document, frames, recording);
  unread.add_keys_of_root(budget);
  unread.add_others("segments[]", segments.segment_fields(), kSegmentKeys);
  unread.add_others("segments[].blocks[]", segments.block_fields(), kBlockKeys);
  unread.add_others("device_traces[][]", traces.fields(), kEventKeys);
  unread.warn();
  read_rehearsal(document, settings, frames, recording);

  recording.origin.signs = {.is_list = root.kind() == Kind::list && !is_trace_list,
                            .has_history = segments.saw_history(),
                            .has_time = traces.saw_time(),
                            .has_settings = settings.kind() != Kind::unset,
                            .has_annotations = annotations.kind() != Kind::unset,
                            .has_compile_context = traces.saw_compile_context(),
                            .has_user_metadata = traces.saw_user_metadata(),
                            .has_pool = traces.saw_pool()};
  recording.origin.device_kind = device_kind_of(recording);
  const std::string_view other = generation_of(recording.origin.device_kind);
  recording.origin.generation = other.empty() ? infer_generation(recording.origin.signs) : std::string(other);
}

void finish_pickle(int protocol, std::uint64_t end_offset, std::string_view bytes, Recording& recording) {
  recording.origin.encoding = fmt::format("pickle protocol {}", protocol);
  warn_of_trailing_bytes(bytes, end_offset, recording);
}

} // namespace memviz
