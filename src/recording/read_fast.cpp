#include "recording/read_fast.hpp"

#include "fast_reader/give_up.hpp"
#include "fast_reader/record_sink.hpp"
#include "fast_reader/trace_stream.hpp"
#include "memviz/error.hpp"
#include "pickle/progress.hpp"
#include "recording/document_reader.hpp"
#include "value/field.hpp"

#include <limits>
#include <vector>

namespace memviz {
namespace {

/// Records of a pickle that is still being decoded -> a TraceReader. Errors in them have no place yet: the plain reader
/// names it.
class EventRecords final : public fast_reader::RecordSink {
public:
  explicit EventRecords(Readers& readers) : frames_(readers.frames), traces_(readers.traces), budget_(readers.budget) {}

  void take_rows(std::size_t list, const fast_reader::RecordRows& rows) override {
    while (columns_.size() <= rows.pattern)
      columns_.push_back(traces_.fields().columns_of(rows.keys));
    budget_.spend(rows.cells.size() / rows.keys.size(), kTraces);
    traces_.add_rows(device_of(list), {rows.cells, rows.keys.size(), columns_[rows.pattern]});
  }
  void take_dict(std::size_t list, Value dict) override {
    budget_.spend(1, kTraces); // a list may hold one dict in every byte
    traces_.add(device_of(list), traces_.fields().read(dict), {dict, nullptr, "device_traces"});
  }
  Value digest(std::span<const Value> items) override { return frames_.digest(items); }

private:
  /// The lists of `device_traces` are in the order of the devices. One after the last possible device is refused by the
  /// TraceReader; it must not be taken for that of host memory.
  static DeviceId device_of(std::size_t list) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    return {static_cast<std::uint32_t>(list < kMostDeviceIds ? list : kMost)};
  }

  static inline const Field kTraces{Value(), nullptr, "device_traces"};

  FrameReader& frames_;
  TraceReader& traces_;
  Budget& budget_;
  std::vector<EventFields::Columns> columns_; ///< by pattern
};

Recording recording_of(fast_reader::TraceStream& reader, std::string_view bytes, const ReadOptions& options) {
  Recording recording;
  Readers readers(reader.document(), recording, bytes.size(), options, false);
  EventRecords records(readers);
  reader.read(records, options.threads);
  read_document(readers);
  finish_pickle(reader.protocol(), reader.offset(), bytes, recording);
  return recording;
}

} // namespace

FastReading read_fast(std::string_view bytes, const ReadOptions& options) {
  fast_reader::TraceStream reader(bytes, pickle::Progress(options.on_progress));
  const auto gave_up = [&](PlainReason reason, std::uint64_t offset) {
    if (options.sink != nullptr) options.sink->restart();
    return FastReading{std::nullopt, {reason, offset}};
  };
  // The one place where giving up becomes a result. Everything else that is thrown is an error; a ParseError of the
  // caller's own code is thrown again by the plain reader.
  try {
    return {recording_of(reader, bytes, options), {}};
  } catch (const fast_reader::GiveUp& place) {
    return gave_up(place.reason, place.offset);
  } catch (const ParseError& error) {
    return gave_up(PlainReason::damaged, error.offset());
  } catch (const SchemaError& error) {
    const bool is_handed_over = is_stand_in(error.container().kind());
    return gave_up(is_handed_over ? PlainReason::used_again : PlainReason::unexpected_value, reader.offset());
  }
}

} // namespace memviz
