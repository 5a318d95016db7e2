#include "recording/foreign_document.hpp"

#include "memviz/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {
namespace {

[[noreturn]] void throw_foreign(std::string_view what) {
  throw Error(
      "byte 0: expected a memory snapshot, found " + std::string(what) +
      ": record a snapshot of that run with torch.cuda.memory._record_memory_history() and _dump_snapshot(), or with "
      "memviz run -- python train.py");
}

bool is_row_of_timeline(const Document& document, Value row) {
  constexpr std::size_t kColumns = 4; // time, action, bytes, category
  if (row.kind() != Kind::list || document.list_size(row) != kColumns) return false;
  bool are_integers = true;
  document.for_each(row, [&](Value cell) { return are_integers = document.as_signed(cell).has_value(); });
  return are_integers;
}

} // namespace

void reject_foreign_document(const Document& document) {
  const Value root = document.root;
  if (root.kind() == Kind::dict && document.get(root, "traceEvents").kind() == Kind::list)
    throw_foreign("a trace of a profiler, which has times, and no stacks of the memory that was in use");
  if (root.kind() != Kind::list) return;
  bool is_timeline = false;
  document.for_each(root, [&](Value row) {
    is_timeline = is_row_of_timeline(document, row);
    return false;
  });
  if (is_timeline)
    throw_foreign("a memory timeline of PyTorch's profiler (export_memory_timeline), which has no stacks");
}

} // namespace memviz
