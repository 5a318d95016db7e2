#pragma once

// The place where a file's text enters a Snapshot: whoever sits there decides what everything downstream can know.

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
  action,          ///< of an event, where memviz does not know it
  graph_node,      ///< what torch.fx adds to a frame
  setting_key,
  setting,
};
inline constexpr std::size_t kTextKinds = 9;

struct FrameText {
  std::string name;
  std::string filename; ///< "" where the file has frames that are names only
};

class TextRewriter {
public:
  virtual ~TextRewriter() = default;
  /// Returns the text to keep instead. Equal texts must give equal results.
  [[nodiscard]] virtual FrameText frame(std::string_view name, std::string_view filename) = 0;
  [[nodiscard]] virtual std::string text(TextKind kind, std::string_view text) = 0;
  /// Called with all that was read, before anything else reads it; what it throws ends the reading.
  virtual void check(const Recording& /*recording*/) const {}
};

} // namespace memviz
