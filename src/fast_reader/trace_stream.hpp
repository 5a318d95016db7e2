#pragma once

// The fast reader: a pickle -> its document without the events, which went to a sink while the rest was decoded. It
// gives up on every file whose result could differ from decoding first and looking afterwards.

#include "fast_reader/give_up.hpp"
#include "fast_reader/record_sink.hpp"
#include "pickle/machine.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace memviz::fast_reader {

class TraceStream {
public:
  explicit TraceStream(std::string_view bytes, pickle::Progress progress = pickle::Progress())
      : bytes_(bytes), machine_(bytes, std::move(progress)) {}

  /// The document, which grows while read() runs.
  [[nodiscard]] const Document& document() const { return machine_.document(); }
  /// Decodes the whole pickle, once, and passes on the dicts in the lists of `device_traces`, with this many threads,
  /// including this one. Lists of them are Kind::record_list in the document. Throws GiveUp, ParseError, and the
  /// exceptions of `sink`; after any of them, everything passed on is void.
  void read(RecordSink& sink, unsigned threads);

  [[nodiscard]] int protocol() const { return machine_.protocol(); }
  /// Returns the offset that was reached: after STOP at the end.
  [[nodiscard]] std::uint64_t offset() const { return machine_.offset(); }

private:
  std::string_view bytes_;
  pickle::Machine machine_;
};

} // namespace memviz::fast_reader
