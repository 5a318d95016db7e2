#include "story/report_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/kinds.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace memviz {

namespace {

/// Returns a hint about the root of the project; "" if there is none.
std::string root_hint(const ProjectFiles& project, bool is_root_given) {
  constexpr std::size_t kMostRootColumns = 200;
  const std::string root = elided(project.root(), kMostRootColumns);
  if (!project.has_any() && is_root_given)
    return fmt::format(
        "no frame is in a file of '{}', so stack_frames is empty; the recording's paths may be from another machine",
        root);
  if (project.has_any() && !is_root_given && !root.empty())
    return fmt::format(
        "stacks contain files in '{}', the common folder of the user's own; use --project-root for another", root);
  return "";
}

} // namespace

std::vector<std::string> report_hints(const ReportSubject& subject, bool is_root_given) {
  std::vector<std::string> hints;
  if (const std::string hint = root_hint(subject.project, is_root_given); !hint.empty()) hints.push_back(hint);
  const MemoryReport& report = subject.report;
  if (report.weights.empty() && report.activations.empty())
    hints.emplace_back("nothing is known to be a weight or an activation at that moment; memviz stats lists the kinds "
                       "of memory, --kinds FILE adds your own rules");
  std::uint64_t undecided_bytes = 0;
  for (const DeviceId device : report.devices) {
    const KindAccount account = kind_account(subject.state, device);
    undecided_bytes += account[static_cast<std::size_t>(MemoryKind::parameter_or_state)].bytes;
  }
  if (undecided_bytes > 0)
    hints.push_back(fmt::format("{} may be weights or an optimizer's state, and are in memviz_report only: record "
                                "from before the model is made",
                                format_bytes(undecided_bytes)));
  return hints;
}

} // namespace memviz
