#include "support/both_readers.hpp"

#include "memviz/error.hpp"
#include "support/snapshot_text.hpp"

#include <doctest/doctest.h>

namespace memviz::test {

Reading reading_of(std::string_view bytes, ReadOptions options) {
  Reading reading;
  options.on_reader = [&](const ReadBy& read_by) {
    CHECK_FALSE(reading.read_by); // told once
    reading.read_by = read_by;
  };
  try {
    reading.outcome = snapshot_text(read_snapshot(bytes, options));
  } catch (const Error& error) {
    reading.outcome = error.what();
  }
  return reading;
}

ReadBy check_same(std::string_view bytes) {
  ReadOptions plain;
  plain.stream = false;
  const std::string whole = reading_of(bytes, plain).outcome;
  ReadBy read_by;
  for (const unsigned threads : {1U, 2U, 3U}) {
    CAPTURE(threads);
    ReadOptions fast;
    fast.threads = threads;
    const Reading reading = reading_of(bytes, fast);
    // Compared without CHECK's own printing: the texts may have megabytes.
    const bool is_same = reading.outcome == whole;
    CHECK(is_same);
    read_by = reading.read_by.value_or(ReadBy());
  }
  return read_by;
}

} // namespace memviz::test
