#include "fast_reader/trace_stream.hpp"

#include "fast_reader/record_stream.hpp"

namespace memviz::fast_reader {

void TraceStream::read(RecordSink& sink, unsigned threads) {
  RecordStream records(machine_.state(), "device_traces", sink, bytes_, threads);
  machine_.watch(records);
  while (machine_.step()) {}
  records.finish();
}

} // namespace memviz::fast_reader
