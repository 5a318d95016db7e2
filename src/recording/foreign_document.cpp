#include "recording/foreign_document.hpp"

#include "recording/file_kind.hpp"

#include <cstddef>
#include <string_view>

namespace memviz {
namespace {

constexpr std::string_view kRecordThatRun =
    "record a snapshot of that run with torch.cuda.memory._record_memory_history() and _dump_snapshot(), or with "
    "memviz "
    "run -- python train.py";

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
  if (root.kind() != Kind::list) return;
  bool is_timeline = false;
  document.for_each(root, [&](Value row) {
    is_timeline = is_row_of_timeline(document, row);
    return false;
  });
  if (is_timeline)
    throw_other_file("a memory timeline of PyTorch's profiler (export_memory_timeline), which has no stacks",
                     kRecordThatRun);
}

} // namespace memviz
