// Prints the ten lines of the user's code that hold most memory at the peak: top_lines SNAPSHOT

#include <memviz/memviz.hpp>

#include <algorithm>
#include <cstdio>

int main(int count, char** words) {
  if (count != 2) return std::fputs("usage: top_lines SNAPSHOT\n", stderr), 2;
  try {
    const memviz::MemoryState state = memviz::open(words[1], {.moment = memviz::parse_moment("at", "peak")}).state;
    const auto lines = memviz::rank_user_lines(state, {});
    for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 10); ++i)
      std::printf("%12s  %s\n", memviz::format_bytes(lines[i].amount.bytes).c_str(),
                  memviz::node_label(state.frames(), lines[i].key).c_str());
  } catch (const memviz::Error& error) {
    std::fprintf(stderr, "%s: %s\n", words[1], error.what());
    return 1;
  }
}
