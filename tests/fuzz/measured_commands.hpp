#pragma once

// The program's own table of commands -> the command lines that are measured on a hostile file: a new command, a new
// format and a new view are among them without being named here.

#include "hostile_shapes.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz::fuzz {

struct MeasuredStep {
  std::string name;
  std::vector<std::string> words; ///< FILE is replaced by the file
  std::size_t files = 1;          ///< the number of times that it reads it
};

/// Returns the steps for files of this kind: each command, once for each word of the options that choose its output. Of
/// the tables of `export`, which share their code, each shape takes another one, by its number.
[[nodiscard]] std::vector<MeasuredStep> measured_steps(FileKind kind, std::size_t shape_number);

/// Whether the step is refused as a wrong usage for a file without keepers.
[[nodiscard]] bool needs_keepers(const MeasuredStep& step);

} // namespace memviz::fuzz
