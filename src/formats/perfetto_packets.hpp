#pragma once

// Tracks and what happens on them -> packets of a trace for Perfetto, written in pieces.

#include "formats/perfetto_time.hpp"
#include "formats/protobuf_writer.hpp"
#include "memviz/export.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {

/// TrackEvent.Type.
enum class EventType : std::uint8_t { slice_begin = 1, slice_end, instant, counter };

class PerfettoPackets {
public:
  explicit PerfettoPackets(TextSink write) : write_(std::move(write)) {}

  /// `parent` 0: a track of the outermost level.
  void write_track(std::uint64_t track, std::uint64_t parent, std::string_view name, bool is_counter = false) {
    constexpr std::uint64_t kSizeBytes = 3; // CounterDescriptor.Unit
    ProtobufWriter descriptor;
    descriptor.number(1, track).text(2, name);
    if (parent != 0) descriptor.number(5, parent);
    if (is_counter) descriptor.message(8, ProtobufWriter().number(3, kSizeBytes));
    write_packet(ProtobufWriter().message(60, descriptor));
  }

  [[nodiscard]] static ProtobufWriter event_on(std::uint64_t track, EventType type) {
    return ProtobufWriter().number(9, static_cast<std::uint64_t>(type)).number(11, track);
  }
  void write_event(std::uint64_t time_ns, const ProtobufWriter& event) {
    write_packet(ProtobufWriter().number(8, time_ns).message(11, event));
  }
  void begin_slice(std::uint64_t track, std::string_view name, std::uint64_t time_ns) {
    write_event(time_ns, event_on(track, EventType::slice_begin).text(23, name));
  }
  void end_slice(std::uint64_t track, std::uint64_t time_ns) {
    write_event(time_ns, event_on(track, EventType::slice_end));
  }

  void write_packet(ProtobufWriter packet) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
    packet.number(10, 1); // trusted_packet_sequence_id
    out_ += ProtobufWriter().message(1, packet).bytes();
    if (out_.size() >= kPieceBytes) finish();
  }
  /// Writes what has not been written yet.
  void finish() {
    write_(out_);
    out_.clear();
  }

private:
  TextSink write_;
  std::string out_;
};

} // namespace memviz
