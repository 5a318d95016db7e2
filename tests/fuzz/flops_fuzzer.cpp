// Any bytes -> an archive of an exported program, or the program in one, and everything computed from it.

#include "../support/zip_builder.hpp"
#include "memviz/check_report.hpp"
#include "memviz/error.hpp"
#include "memviz/flops.hpp"
#include "memviz/flops_report.hpp"
#include "memviz/flops_tree.hpp"
#include "memviz/svg.hpp"
#include "promises.hpp"
#include "require.hpp"

#include <cstdint>
#include <string_view>

using namespace memviz;

namespace {

void check_archive(std::string_view bytes) {
  try {
    const ModelFlops model = count_flops(bytes);
    fuzz::check_json(flops_json("model.pt2", model));
    (void)flops_text("model.pt2", model);
    if (!model.flops.value) return;
    fuzz::check_conserves_bytes(flops_tree(model).tree, *model.flops.value);
    fuzz::check_svg(flops_svg("model.pt2", model, {}));
  } catch (const Error& error) {
    fuzz::check_error(error, bytes.size());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_archive(bytes);
  // Most changes of an archive break its checksums, so the bytes are also tried as a program without an archive.
  if (bytes.starts_with('{')) check_archive(test::flat_program(bytes));
  return 0;
}
