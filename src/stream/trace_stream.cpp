#include "stream/trace_stream.hpp"

#include "stream/record_stream.hpp"

namespace memviz::stream {

void TraceStream::read(RecordSink& sink, unsigned threads) {
  RecordStream records(machine_.state(), "device_traces", sink, bytes_, threads);
  machine_.watch(records);
  while (machine_.step()) {}
  records.finish();
}

} // namespace memviz::stream
