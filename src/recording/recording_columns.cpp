#include "memviz/recording_columns.hpp"

#include "recording/column_archive.hpp"
#include "recording/event_columns.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memviz {
namespace {

constexpr std::string_view kMagic = "memviz columns 1\n";

bool is_device(DeviceId device) {
  return device.value < kMostDeviceIds || is_host(device);
}

// One function per part: the writer's `archive` writes its members, the reader's sets them.

template <class Archive, class Part> void pool(Archive& archive, Part& part) {
  archive.number(part.first);
  archive.number(part.second);
}

template <class Archive, class Part> void segment(Archive& archive, Part& part) {
  archive.number(part.device.value);
  archive.number(part.address);
  archive.number(part.total_bytes);
  archive.number(part.stream);
  pool(archive, part.pool);
  archive.flag(part.is_expandable);
  archive.optional(part.is_large, [&](auto& is_large) { archive.flag(is_large); });
  archive.number(part.stack.value);
  archive.number(part.first_block);
  archive.number(part.block_count);
  archive.number(part.uncovered_bytes);
}

template <class Archive, class Part> void block(Archive& archive, Part& part) {
  archive.number(part.address);
  archive.number(part.size_bytes);
  archive.number(part.requested_bytes);
  archive.word(part.state, BlockState::inactive);
  archive.number(part.stack.value);
}

template <class Archive, class Pairs> void text_pairs(Archive& archive, Pairs& pairs) {
  archive.list(pairs, [&](auto& pair) {
    archive.number(pair.first.value);
    archive.number(pair.second.value);
  });
}

template <class Archive, class Part> void annotation(Archive& archive, Part& part) {
  archive.number(part.name.value);
  archive.number(part.stage.value);
  archive.number(part.device.value);
  archive.number(part.time_us);
  text_pairs(archive, part.metadata);
}

template <class Archive, class Part> void origin(Archive& archive, Part& part) {
  const auto number = [&](auto& value) { archive.number(value); };
  archive.text(part.encoding);
  archive.text(part.generation);
  auto& signs = part.signs;
  for (auto* const sign :
       {&signs.is_list, &signs.has_history, &signs.has_time, &signs.has_settings, &signs.has_annotations,
        &signs.has_compile_context, &signs.has_user_metadata, &signs.has_pool})
    archive.flag(*sign);
  archive.word(part.device_kind, DeviceKind::cpu);
  archive.optional(part.cpu_device, [&](auto& device) { archive.number(device.value); });
  archive.optional(part.rehearsal, [&](auto& rehearsal) {
    archive.text(rehearsal.gpu);
    archive.text(rehearsal.profile);
    archive.optional(rehearsal.total_bytes, number);
    archive.optional(rehearsal.rank, number);
    archive.optional(rehearsal.ranks, number);
  });
  archive.optional(part.rank, number);
  archive.number(part.size_bytes);
  archive.flag(part.are_segments_made_up);
}

template <class Archive, class Part> void keepers(Archive& archive, Part& part) {
  const auto number = [&](auto& value) { archive.number(value); };
  archive.flag(part.is_recorded);
  archive.word(part.limit, KeeperLimit::unknown);
  archive.number(part.walked_objects);
  archive.number(part.walk_ms);
  archive.number(part.unreadable_objects);
  archive.list(part.objects, [&](auto& one) {
    archive.word(one.kind, KeeperKind::object);
    archive.number(one.name.value);
    archive.number(one.file.value);
    archive.number(one.line);
    archive.optional(one.items, number);
    archive.number(one.hidden_tensors);
  });
  archive.list(part.references, [&](auto& one) {
    archive.number(one.from.value);
    archive.number(one.to.value);
    archive.word(one.how, ReferenceKind::refers);
    archive.number(one.label.value);
    archive.number(one.index);
  });
  archive.list(part.roots, [&](auto& one) {
    archive.word(one.kind, KeeperRoot::temporary);
    archive.number(one.object.value);
  });
  archive.list(part.storages, [&](auto& one) {
    archive.number(one.object.value);
    archive.number(one.device.value);
    archive.number(one.address);
    archive.number(one.size_bytes);
  });
  archive.list(part.places, [&](auto& one) {
    archive.number(one.root.value);
    archive.number(one.variable.value);
    archive.word(one.how, CodeRelation::would_set);
    archive.number(one.function.value);
    archive.number(one.file.value);
    archive.number(one.line);
  });
}

template <class Archive, class Part> void extras(Archive& archive, Part& part) {
  const auto number = [&](auto& value) { archive.number(value); };
  archive.list(part.annotations, [&](auto& one) { annotation(archive, one); });
  text_pairs(archive, part.settings);
  archive.optional(part.trace_overflowed, [&](auto& value) { archive.flag(value); });
  archive.optional(part.trace_max_entries, number);
  archive.list(part.declared, [&](auto& one) {
    archive.number(one.device.value);
    archive.number(one.address);
    archive.number(one.size_bytes);
    archive.word(one.kind, MemoryKind::unknown);
    archive.number(one.name.value);
    archive.word(one.evidence, KindEvidence::behaviour);
  });
  archive.list(part.measured, [&](auto& one) {
    archive.number(one.device.value);
    archive.optional(one.total_bytes, number);
    archive.optional(one.own_outside_bytes, number);
    archive.optional(one.other_processes, number);
    archive.optional(one.other_processes_bytes, number);
  });
  keepers(archive, part.keepers);
  archive.list(part.unread_keys, [&](auto& one) {
    archive.number(one.name.value);
    archive.flag(one.may_hold_memory);
  });
  archive.number(part.more_unread_keys);
  archive.list(part.warnings, [&](auto& one) { archive.text(one); });
}

template <class Archive, class Part> void all_but_tables(Archive& archive, Part& part) {
  origin(archive, part.origin);
  archive.list(part.end.segments, [&](auto& one) { segment(archive, one); });
  archive.list(part.end.blocks, [&](auto& one) { block(archive, one); });
  extras(archive, part);
}

// Texts, frames and stacks are written in the order of their ids, so that they get the same ids again.

void write_tables(ColumnWriter& writer, const FrameTable& table) {
  const auto text = [&](std::uint32_t id) { writer.text(std::string(table.text({id}))); };
  writer.count(table.string_count());
  for (std::uint32_t id = 1; id < table.string_count(); ++id)
    text(id);
  writer.count(table.frame_count());
  for (std::uint32_t id = 0; id < table.frame_count(); ++id) {
    const Frame& frame = table.frame({id});
    writer.number(frame.name.value);
    writer.number(frame.filename.value);
    writer.number(frame.line);
    const FxInfo* const fx = table.fx({id});
    writer.flag(fx != nullptr);
    if (fx == nullptr) continue;
    for (const StringId part : {fx->node_op, fx->node_name, fx->node_target, fx->original_trace})
      writer.number(part.value);
  }
  writer.count(table.stack_count());
  for (std::uint32_t id = kNoContext.value + 1; id < table.stack_count(); ++id) {
    writer.count(table.stack({id}).size());
    for (const FrameId frame : table.stack({id}))
      writer.number(frame.value);
  }
}

StringId read_text_id(ColumnReader& reader, const FrameTable& table) {
  StringId id;
  reader.number(id.value);
  reader.check(id.value < table.string_count());
  return id;
}

void read_frame(ColumnReader& reader, FrameTable& table, std::uint32_t id) {
  Frame frame{read_text_id(reader, table), read_text_id(reader, table), 0};
  reader.number(frame.line);
  reader.check(table.add_frame(frame).value == id);
  bool has_fx = false;
  reader.flag(has_fx);
  if (!has_fx) return;
  FxInfo fx;
  for (StringId* const part : {&fx.node_op, &fx.node_name, &fx.node_target, &fx.original_trace})
    *part = read_text_id(reader, table);
  table.set_fx({id}, fx);
}

void read_tables(ColumnReader& reader, FrameTable& table) {
  const std::uint32_t strings = reader.count();
  for (std::uint32_t id = 1; id < strings; ++id) {
    std::string text;
    reader.text(text);
    reader.check(table.intern(text).value == id);
  }
  const std::uint32_t frames = reader.count();
  for (std::uint32_t id = 0; id < frames; ++id)
    read_frame(reader, table, id);
  const std::uint32_t stacks = reader.count();
  for (std::uint32_t id = kNoContext.value + 1; id < stacks; ++id) {
    std::vector<FrameId> stack(reader.count());
    for (FrameId& frame : stack) {
      reader.number(frame.value);
      reader.check(frame.value < table.frame_count());
    }
    reader.check(table.add_stack(stack).value == id);
  }
}

// The readers of files enforce the same rules: ids exist, segments are sorted and contain their blocks, sums fit.

void check_ids(const ColumnReader& reader, const Recording& recording) {
  const auto is_text = [&](StringId id) { return id.value < recording.frames.string_count(); };
  const auto are_texts = [&](const auto& pairs) {
    return std::ranges::all_of(pairs, [&](const auto& pair) { return is_text(pair.first) && is_text(pair.second); });
  };
  reader.check(are_texts(recording.settings));
  for (const Annotation& one : recording.annotations)
    reader.check(is_text(one.name) && is_text(one.stage) && are_texts(one.metadata));
  for (const UnreadKey& one : recording.unread_keys)
    reader.check(is_text(one.name));
  const auto place = [](const DeclaredMemory& one) { return std::tuple(one.device, one.address); };
  reader.check(std::ranges::is_sorted(recording.declared, {}, place));
  for (const DeclaredMemory& one : recording.declared)
    reader.check(is_text(one.name) && one.size_bytes <= kMaxTotalBytes);
  reader.check(recording.measured.size() <= kMostDeviceIds);
  for (const MeasuredDevice& one : recording.measured)
    for (const auto& bytes : {one.total_bytes, one.own_outside_bytes, one.other_processes_bytes})
      reader.check(bytes.value_or(0) <= kMaxTotalBytes);
  const auto& rehearsal = recording.origin.rehearsal;
  reader.check(!rehearsal || rehearsal->total_bytes.value_or(0) <= kMaxTotalBytes);
}

void check_keepers(const ColumnReader& reader, const Recording& recording) {
  const KeeperGraph& graph = recording.keepers;
  const auto is_text = [&](StringId id) { return id.value < recording.frames.string_count(); };
  const auto is_object = [&](KeeperId id) { return id.value < graph.objects.size(); };
  for (const KeeperObject& one : graph.objects)
    reader.check(is_text(one.name) && is_text(one.file));
  for (const KeeperReference& one : graph.references)
    reader.check(is_object(one.from) && is_object(one.to) && is_text(one.label));
  for (const RootObject& one : graph.roots)
    reader.check(is_object(one.object));
  for (const KeptStorage& one : graph.storages)
    reader.check(is_object(one.object) && one.device.value < kMostDeviceIds && one.size_bytes <= kMaxTotalBytes);
}

void check_memory(const ColumnReader& reader, const Recording& recording) {
  const MemoryMap& memory = recording.end;
  const auto is_stack = [&](StackId id) { return id.value < recording.frames.stack_count(); };
  const auto place = [](const Segment& one) { return std::tuple(one.device, one.address); };
  reader.check(std::ranges::is_sorted(memory.segments, {}, place));
  for (const Block& one : memory.blocks)
    reader.check(is_stack(one.stack) && one.requested_bytes <= one.size_bytes && one.size_bytes <= kMaxTotalBytes);
  std::uint64_t reserved_bytes = 0;
  std::uint64_t blocks = 0;
  for (const Segment& one : memory.segments) {
    reader.check(is_device(one.device) && is_stack(one.stack) && one.total_bytes <= kMaxTotalBytes - reserved_bytes);
    reader.check(one.total_bytes <= std::numeric_limits<std::uint64_t>::max() - one.address);
    reserved_bytes += one.total_bytes;
    blocks += one.block_count;
    // Each block is in at most one segment, so that the bytes bound every walk over them.
    reader.check(blocks <= memory.blocks.size() && one.first_block <= memory.blocks.size() - one.block_count);
    std::uint64_t left_bytes = one.total_bytes;
    for (const Block& block : memory.blocks_of(one)) {
      reader.check(block.size_bytes <= left_bytes);
      left_bytes -= block.size_bytes;
    }
    reader.check(left_bytes == one.uncovered_bytes);
  }
}

} // namespace

std::string columns_of(const Recording& recording) {
  ColumnWriter writer{std::string(kMagic)};
  write_tables(writer, recording.frames);
  all_but_tables(writer, recording);
  writer.count(recording.event_counts.size());
  for (const auto& [device, count] : recording.event_counts) {
    writer.number(device.value);
    write_events(writer, recording.events_of(device));
  }
  return writer.finished();
}

bool are_columns(std::string_view bytes) {
  return bytes.starts_with(kMagic.substr(0, kMagic.find('1')));
}

Recording recording_of_columns(std::string_view bytes) {
  ColumnReader reader(bytes);
  reader.check(bytes.starts_with(kMagic));
  reader.skip(kMagic.size());
  Recording recording;
  read_tables(reader, recording.frames);
  all_but_tables(reader, recording);
  check_ids(reader, recording);
  check_keepers(reader, recording);
  check_memory(reader, recording);
  const std::uint32_t devices = reader.count();
  for (std::uint32_t i = 0; i < devices; ++i) {
    DeviceId device;
    reader.number(device.value);
    reader.check(is_device(device) && recording.event_counts.find(device) == nullptr);
    EventTable events = read_events(reader, recording.frames);
    recording.event_counts.make(device) = events.size();
    if (!events.empty()) recording.traces.make(device) = std::move(events);
  }
  reader.finish();
  return recording;
}

} // namespace memviz
