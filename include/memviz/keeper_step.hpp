#pragma once

// A step of a path from a root of the Python heap to an object: the key of such a path in trees and sentences.

#include "memviz/frames.hpp"

#include <compare>
#include <cstdint>

namespace memviz {

/// The meaning of a step of a path; the first step of a path is one of the first group.
enum class KeeperPart : std::uint8_t {
  running,   ///< a running function: its name, file and line
  globals,   ///< a module: its name and file
  exception, ///< an exception that is handled: its class
  cycle,
  temporary,
  no_object, ///< blocks to which no Python object refers: workspaces of libraries, tensors of C++
  unknown,   ///< blocks that the walk did not reach before it ended
  freed,     ///< blocks that were freed before the end of the recording

  variable,  ///< a local or a global
  attribute, ///< its name
  key,       ///< of a dict: the text
  items,     ///< any item of a container: `[*]`
  traceback, ///< a function that no longer runs: its name, file and line
  object,    ///< an object that is referred to in an unknown way: its class
  graph,     ///< autograd's graph of the tensor before it
};

struct KeeperStep {
  KeeperPart part = KeeperPart::unknown;
  StringId text;
  StringId file;
  std::uint32_t line = 0;

  /// Whether it represents a whole keeper: the name of a variable, with file and line of its root.
  [[nodiscard]] bool is_keeper() const {
    return part >= KeeperPart::variable && part <= KeeperPart::items && file != kEmptyString;
  }
  friend auto operator<=>(const KeeperStep&, const KeeperStep&) = default;
};

} // namespace memviz
