#pragma once

// The JSON documents whose members are described in this folder -> their schemas, which docs/schemas/ holds as files.

#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// A schema, which is docs/schemas/`name`.json.
struct DocumentSchema {
  std::string_view name;
  std::string (*text)();
};

[[nodiscard]] std::span<const DocumentSchema> document_schemas();

// Each is next to the writer of its document.
[[nodiscard]] std::string baseline_schema();
[[nodiscard]] std::string check_schema();
[[nodiscard]] std::string compare_jobs_schema();
[[nodiscard]] std::string compare_schema();
[[nodiscard]] std::string explain_schema();
[[nodiscard]] std::string flops_schema();
[[nodiscard]] std::string leaks_schema();
[[nodiscard]] std::string logged_error_schema();
[[nodiscard]] std::string ranks_schema();
[[nodiscard]] std::string report_schema();
[[nodiscard]] std::string state_schema();
[[nodiscard]] std::string stats_schema();
[[nodiscard]] std::string steps_schema();
[[nodiscard]] std::string timeline_schema();
[[nodiscard]] std::string trace_schema();
[[nodiscard]] std::string tree_schema();
[[nodiscard]] std::string unread_schema();

} // namespace memviz
