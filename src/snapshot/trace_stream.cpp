#include "snapshot/trace_stream.hpp"

namespace memviz {

void TraceStream::take_rows(std::size_t list, const pickle::RecordRows& rows) {
  while (columns_.size() <= rows.pattern)
    columns_.push_back(fields_.columns_of(rows.keys));
  const EventFields::Columns& columns = columns_[rows.pattern];
  // Whatever is wrong is said by the reader that comes after this one, with its place.
  const Where nowhere{nullptr, "device_traces"};
  for (std::size_t begin = 0; begin < rows.cells.size(); begin += rows.keys.size()) {
    EventFields::Row row;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns[i] >= 0) row[i] = rows.cells[begin + static_cast<std::size_t>(columns[i])];
    }
    traces_.add(list, row, nowhere, Value());
  }
}

void TraceStream::take_dict(std::size_t list, Value dict) {
  traces_.add(list, fields_.read(dict), Where{nullptr, "device_traces"}, dict);
}

} // namespace memviz
