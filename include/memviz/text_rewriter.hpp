#pragma once

// The place where a file's text enters a recording. A rewriter decides what all later code can know.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

struct Recording;

enum class TextKind : std::uint8_t {
  annotation,      ///< name of an annotation
  stage,           ///< of an annotation
  metadata_key,    ///< of an annotation
  metadata,        ///< of an annotation or event
  compile_context, ///< of an event
  action,          ///< of an event, for an action that memviz does not know
  graph_node,      ///< added to a frame by torch.fx
  setting_key,
  setting,
  variable,   ///< of Python: also an attribute or a key of a dict
  class_name, ///< of Python, with its module; also a module, or a node of autograd
};
inline constexpr std::size_t kTextKinds = 11;

struct FrameText {
  std::string name;
  std::string filename; ///< "" where the file has frames that are names only
};

class TextRewriter {
public:
  virtual ~TextRewriter() = default;
  /// Returns the replacement for a text. Equal texts must give equal results.
  [[nodiscard]] virtual FrameText frame(std::string_view name, std::string_view filename) = 0;
  [[nodiscard]] virtual std::string text(TextKind kind, std::string_view text) = 0;
  /// Called with everything that was read, before any other code reads it; an exception ends the reading.
  virtual void check(const Recording& /*recording*/) const {}
};

} // namespace memviz
