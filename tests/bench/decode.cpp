// memviz_bench_decode: the library's reader alone. Every event of a snapshot is decoded, passed on and discarded.

#include "memviz/error.hpp"
#include "memviz/input.hpp"
#include "memviz/recording.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

namespace {

/// Sums what it receives, so that no compiler can remove the decoding and the caller can check that it is complete.
class Discard final : public memviz::EventSink {
public:
  void take(memviz::DeviceId /*device*/, std::span<const memviz::Event> events) override {
    count += events.size();
    for (const memviz::Event& event : events)
      bytes += event.size_bytes;
  }
  void restart() override { count = bytes = 0; }

  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

} // namespace

int main(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  unsigned threads = 1;
  if (words.size() == 3) {
    const std::string_view word = words[2];
    if (std::from_chars(word.data(), word.data() + word.size(), threads).ec != std::errc()) threads = 0;
  }
  if (words.size() < 2 || words.size() > 3 || threads == 0) {
    std::fputs("usage: memviz_bench_decode FILE [THREADS]\n", stderr);
    return 2;
  }
  try {
    memviz::Input input = memviz::read_input(words[1]);
    Discard sink;
    const memviz::Recording snapshot = memviz::read_snapshot(
        input.bytes(), {.sink = &sink, .threads = threads, .on_progress = [&](std::uint64_t done_bytes) {
                          input.release_before(static_cast<std::size_t>(done_bytes));
                        }});
    std::printf("%zu segments, %zu blocks, %llu events of %llu bytes\n", snapshot.end.segments.size(),
                snapshot.end.blocks.size(), static_cast<unsigned long long>(sink.count),
                static_cast<unsigned long long>(sink.bytes));
  } catch (const memviz::Error& error) {
    std::fprintf(stderr, "memviz_bench_decode: %s\n", error.what());
    return 1;
  }
  return 0;
}
