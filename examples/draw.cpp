// Draws the state at the end of a recording, from a buffer: draw < SNAPSHOT > mem.svg

#include <memviz/memviz.hpp>

#include <iostream>
#include <iterator>

int main() {
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  try {
    const memviz::MemoryState state = memviz::replay(memviz::read_snapshot(bytes));
    const memviz::FrameTree tree = memviz::build_frame_tree(state, {});
    std::cout << memviz::flame_svg({.file = "a buffer", .subject = memviz::memory_subject(state, {}), .tree = tree},
                                   {});
  } catch (const memviz::Error& error) {
    std::cerr << "standard input: " << error.what() << '\n';
    return 1;
  }
}
