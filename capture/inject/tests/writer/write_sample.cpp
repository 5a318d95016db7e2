// Writes the sample snapshot to the file it is given.

#include "sample_snapshot.hpp"
#include "snapshot_writer.hpp"

#include <exception>
#include <iostream>
#include <stdexcept>

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::invalid_argument("usage: memviz_write_sample FILE");
    memviz::capture::write_snapshot_file(memviz::capture::sample_snapshot(), argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
