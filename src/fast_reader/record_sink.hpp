#pragma once

// The receiver of records while a pickle is still being read: the dicts in the lists of `device_traces`, which are most
// of a large snapshot and are needed only once.

#include "value/value.hpp"

#include <cstddef>
#include <span>

namespace memviz::fast_reader {

/// Records with the same keys, one after another.
struct RecordRows {
  std::size_t pattern = 0;      ///< equal numbers mean equal keys
  std::span<const Value> keys;  ///< texts
  std::span<const Value> cells; ///< keys.size() of them per record, in the order of the keys
};

class RecordSink {
public:
  virtual ~RecordSink() = default;

  /// Takes the next records of list number `list`.
  virtual void take_rows(std::size_t list, const RecordRows& rows) = 0;
  /// Takes the next record of list number `list`, as a dict of the document.
  virtual void take_dict(std::size_t list, Value dict) = 0;
  /// Returns the stand-in, of Kind::digest, for a list of these inside a record.
  virtual Value digest(std::span<const Value> items) = 0;
};

} // namespace memviz::fast_reader
