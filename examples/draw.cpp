// Draws the state at the end of a recording, from a buffer: draw < SNAPSHOT > mem.svg

#include <memviz/memviz.hpp>

#include <iostream>
#include <iterator>

int main() {
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  try {
    const memviz::Snapshot snapshot = memviz::read_snapshot(bytes);
    const memviz::Replay accounts = memviz::replay(snapshot);
    const memviz::FrameTree tree = memviz::build_frame_tree(snapshot, accounts, {});
    std::cout << memviz::flame_svg({.file = "a buffer",
                                    .snapshot = snapshot,
                                    .tree = tree,
                                    .devices = accounts.devices,
                                    .users = memviz::rank_user_lines(snapshot, accounts, {}),
                                    .warnings = accounts.warnings},
                                   {});
  } catch (const memviz::Error& error) {
    std::cerr << "standard input: " << error.what() << '\n';
    return 1;
  }
}
