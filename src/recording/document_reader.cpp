#include "recording/document_reader.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/device_kind.hpp"
#include "recording/annotation_reader.hpp"
#include "recording/generation.hpp"
#include "recording/keeper_kinds.hpp"
#include "recording/keepers_reader.hpp"
#include "recording/recorder_reader.hpp"
#include "recording/rehearsal_reader.hpp"
#include "recording/segment_reader.hpp"
#include "recording/settings_reader.hpp"
#include "recording/unread_keys.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace memviz {
namespace {

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
  return count == 0 ? "an empty dict"
                    : fmt::format("a dict with {} keys ({}{})", count, keys, count > 5 ? ", ..." : "");
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
      fmt::format("byte {}: {} bytes follow the end of the pickle and were ignored", end, rest.size()));
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
