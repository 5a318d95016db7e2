#pragma once

// Stack -> the user's own line of it, as text; found and spelled once, because one stack may stand beside millions of
// events.

#include "memviz/flame.hpp"
#include "memviz/frames.hpp"

#include <string>
#include <vector>

namespace memviz {

class StackLines {
public:
  explicit StackLines(const FrameTable& frames) : frames_(frames), finder_(frames), lines_(frames.stack_count()) {}
  /// "" for a stack without frames.
  [[nodiscard]] const std::string& line(StackId stack);

private:
  const FrameTable& frames_;
  UserLineFinder finder_;
  std::vector<std::string> lines_;
};

} // namespace memviz
