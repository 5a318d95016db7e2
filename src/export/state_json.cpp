#include "memviz/state_json.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/lines_json.hpp"
#include "export/moment_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/text_limit.hpp"
#include "export/trace_lines.hpp"
#include "memviz/block_lines.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

class StateJson {
public:
  StateJson(const StateSubject& subject, const BlockLines& lines, JsonWriter& json)
      : subject_(subject), state_(subject.state), lines_(lines), json_(json) {}

  void write() {
    begin_document(json_, "memviz.state/1.2").member("file", subject_.file);
    write_rehearsal(json_, state_.recording->origin.rehearsal);
    json_.key("devices").begin_array();
    for (const DeviceState& device_state : state_.devices_of(subject_.device))
      add(device_state);
    json_.end_array().key("lines").begin_array();
    for (const UserLine& line : lines_.lines) {
      json_.begin_object(JsonLayout::spaced)
          .member("line", node_label(state_.frames(), line.key))
          .member("bytes", line.amount.bytes)
          .member("blocks", line.amount.blocks);
      write_within(json_, state_.frames(), line.within);
      json_.end_object();
    }
    json_.end_array().key("segments").begin_array();
    for (const Segment& segment : state_.segments_of(subject_.device))
      add(segment);
    json_.end_array().member("warnings", warnings_and_losses(state_)).end_object();
  }

private:
  void add(const DeviceState& device_state) {
    write_device_key(json_.begin_object(), device_state.device).key("at");
    write_moment(json_, device_state.moment);
    json_.member("segments", device_state.figures.segments).member("blocks", device_state.figures.blocks);
    write_totals(json_, device_state.figures)
        .member("unaccounted_bytes", device_state.figures.unaccounted_bytes)
        .member("requested_bytes", device_state.figures.requested_bytes)
        .member("rounding_bytes", device_state.figures.rounding_bytes())
        .member("outside_bytes", device_state.figures.outside_bytes)
        .end_object();
  }

  void add(const Segment& segment) {
    write_device_key(json_.begin_object(), segment.device)
        .member("address", std::to_string(segment.address))
        .member("total_bytes", segment.total_bytes)
        .member("stream", std::to_string(segment.stream))
        .member("pool", std::array{segment.pool.first, segment.pool.second})
        .member("is_expandable", segment.is_expandable)
        .member("is_large", segment.is_large)
        .member("uncovered_bytes", segment.uncovered_bytes)
        .key("blocks")
        .begin_array();
    for (std::uint32_t i = 0; i < segment.block_count; ++i)
      add_block(segment.first_block + i);
    json_.end_array().end_object();
  }

  void add_block(std::uint32_t index) {
    const Block& block = state_.blocks[index];
    json_.begin_object(JsonLayout::spaced)
        .member("address", std::to_string(block.address))
        .member("size_bytes", block.size_bytes)
        .member("state", state_name(block.state));
    if (block.is_active()) add_allocation(block, index);
    json_.end_object();
  }

  void add_allocation(const Block& block, std::uint32_t index) {
    static const BlockBirth unknown;
    const BlockFacts& facts = state_.facts[index];
    const BlockBirth& birth = facts.birth ? *facts.birth : unknown;
    json_.member("requested_bytes", block.requested_bytes)
        .member("name", fmt::format("b{:x}_{}", block.address, birth.earlier_uses))
        .member("line", lines_.of_block[index]);
    if (const EventIndex alloc = facts.history.alloc_event; !alloc.is_none())
      json_.member("alloc_event", alloc.number()).member("time_us", birth.time_us);
    if (state_.has_kinds)
      json_.member("kind", kind_name(facts.kind.kind)).member("known_by", evidence_name(facts.kind.evidence));
    add_texts(birth);
  }

  void add_texts(const BlockBirth& birth) {
    const FrameTable& frames = state_.frames();
    if (birth.user_metadata != kEmptyString) json_.member("user_metadata", bounded(frames.text(birth.user_metadata)));
    if (birth.annotations.empty()) return;
    json_.key("annotations").begin_array();
    for (const StringId text : birth.annotations)
      json_.value(bounded(frames.text(text)));
    json_.end_array();
  }

  const StateSubject& subject_;
  const MemoryState& state_;
  const BlockLines& lines_;
  JsonWriter& json_;
};

/// One text may belong to millions of blocks.
void check_texts(const StateSubject& subject) {
  const FrameTable& frames = subject.state.frames();
  TextLimit limit(subject.state.recording->origin.size_bytes, "--device makes less");
  for (const BlockFacts& facts : subject.state.facts) {
    if (!facts.birth) continue;
    limit.add(bounded(frames.text(facts.birth->user_metadata)).size());
    for (const StringId text : facts.birth->annotations)
      limit.add(bounded(frames.text(text)).size());
  }
}

} // namespace

TextSource state_json_source(const StateSubject& subject) {
  check_texts(subject);
  return [subject](const TextSink& sink) {
    const BlockLines lines = block_lines(subject.state, subject.device);
    std::string text;
    JsonWriter json(text, sink);
    StateJson(subject, lines, json).write();
    sink(text + '\n');
  };
}

} // namespace memviz
