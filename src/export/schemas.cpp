#include "export/schemas.hpp"

#include <array>

namespace memviz {

std::span<const DocumentSchema> document_schemas() {
  static constexpr std::array kSchemas{
      DocumentSchema{"baseline", baseline_schema}, DocumentSchema{"check", check_schema},
      DocumentSchema{"compare", compare_schema},   DocumentSchema{"compare-jobs", compare_jobs_schema},
      DocumentSchema{"explain", explain_schema},   DocumentSchema{"flops", flops_schema},
      DocumentSchema{"leaks", leaks_schema},       DocumentSchema{"logged-error", logged_error_schema},
      DocumentSchema{"ranks", ranks_schema},       DocumentSchema{"report", report_schema},
      DocumentSchema{"state", state_schema},       DocumentSchema{"stats", stats_schema},
      DocumentSchema{"steps", steps_schema},       DocumentSchema{"timeline", timeline_schema},
      DocumentSchema{"tree", tree_schema},         DocumentSchema{"trace", trace_schema},
      DocumentSchema{"unread", unread_schema},
  };
  return kSchemas;
}

} // namespace memviz
