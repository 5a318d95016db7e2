#pragma once

// The events of a pickle that is still being decoded -> a TraceReader.

#include "pickle/record_sink.hpp"
#include "snapshot/frame_reader.hpp"
#include "snapshot/trace_reader.hpp"

#include <vector>

namespace memviz {

class TraceStream final : public pickle::RecordSink {
public:
  TraceStream(const Document& document, FrameReader& frames, TraceReader& traces)
      : frames_(frames), traces_(traces), fields_(document, kEventKeys) {}

  [[nodiscard]] std::string_view key() const override { return "device_traces"; }
  void take_rows(std::size_t list, const pickle::RecordRows& rows) override;
  void take_dict(std::size_t list, Value dict) override;
  Value digest(std::span<const Value> items) override { return frames_.digest(items); }

private:
  FrameReader& frames_;
  TraceReader& traces_;
  EventFields fields_;
  std::vector<EventFields::Columns> columns_; ///< by pattern
};

} // namespace memviz
