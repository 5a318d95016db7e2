#include "snapshot/trace_stream.hpp"

namespace memviz {

void TraceStream::take_rows(std::size_t list, const pickle::RecordRows& rows) {
  while (columns_.size() <= rows.pattern)
    columns_.push_back(fields_.columns_of(rows.keys));
  // Whatever is wrong is said by the reader that comes after this one, with its place.
  traces_.add_rows(list, {rows.cells, rows.keys.size(), columns_[rows.pattern]});
}

void TraceStream::take_dict(std::size_t list, Value dict) {
  traces_.add(list, fields_.read(dict), Where{nullptr, "device_traces"}, dict);
}

} // namespace memviz
