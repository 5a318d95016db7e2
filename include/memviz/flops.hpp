#pragma once

// A program saved by torch.export.save -> the floating point operations of its matrix products, by operator and by
// module, and the bytes of its parameters and of the tensors that a forward pass keeps for backward. Tensor data is
// never loaded.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

class Redactor;

struct FlopOptions {
  std::optional<std::string> model = {};          ///< in an archive with several programs
  std::map<std::string, std::int64_t> sizes = {}; ///< by symbol, instead of its hint: {"s0", 8}
  Redactor* redactor = nullptr;                   ///< hides names before they are counted by name
};

/// A number, or a formula if sizes have no value.
struct Count {
  std::optional<std::uint64_t> value;
  std::string formula = {}; ///< "2*s0*s1 + 40"; "" for a number that holds for all sizes

  friend bool operator==(const Count&, const Count&) = default;
};

/// A size left symbolic when the program was exported.
struct ProgramSymbol {
  std::string name;
  std::optional<std::int64_t> value;
  bool is_given = false; ///< set by FlopOptions::sizes
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct OperatorFlops {
  std::string name; ///< "aten.addmm"
  std::uint64_t calls = 0;
  Count flops;
};

enum class UncountedReason : std::uint8_t {
  no_product,      ///< only moves, compares, adds or reduces elements
  unknown_product, ///< multiplies matrices, but is not counted
  not_pytorch,     ///< not one of PyTorch's operators
};

struct UncountedOperator {
  std::string name;
  std::uint64_t calls = 0;
  UncountedReason reason = UncountedReason::no_product;
};

enum class FlopAssumption : std::uint8_t {
  while_loop_once, ///< its length depends on the data
  loop_once,       ///< `name` has an unknown number of iterations
  dearer_branch,   ///< `name` is a cond whose branch depends on the data
  unknown_kept,    ///< `name` counts as if it kept nothing for backward
  uncast_kept,     ///< the inner operators of `name` count as if nothing were cast
  first_kept,      ///< `name` takes its first branch
  fused_cells,     ///< lstm_cell and gru_cell have fused kernels
  fused_norm,      ///< rms_norm has a fused kernel
};

/// An assumption behind the figures of a program.
struct FlopNote {
  FlopAssumption assumption = FlopAssumption::while_loop_once;
  std::string name = {}; ///< the operator, if several operators share the assumption
  std::uint64_t times = 1;
};

enum class ArchiveLayout : std::uint8_t {
  flat_zip, ///< PyTorch 2.7 or older
  pt2,      ///< PyTorch 2.8 or newer
};

/// A module, including everything in it.
struct ModuleFlops {
  std::string path;       ///< "transformer.h.0.attn"; "" for the whole
  std::string type;       ///< "torch.nn.modules.linear.Linear"
  std::size_t parent = 0; ///< index of a module before this one; the root is its own parent
  Count flops;
  Count own_flops; ///< operators that are directly in it
  std::vector<OperatorFlops> own_operators = {};
  std::uint64_t parameter_bytes = 0; ///< tied parameters count once, where they are first encountered
  std::uint64_t parameters = 0;      ///< elements
  Count saved_bytes;                 ///< kept for backward from the inputs and outputs of its operators
};

/// A row of a transformer's table: "attention/kqv".
struct RoleFlops {
  std::string name;
  Count flops;
};

/// The work of the repeated blocks of a transformer; no rows if the program is not one.
struct TransformerTable {
  std::string blocks; ///< "transformer.h", the module that holds them
  std::uint64_t block_count = 0;
  std::vector<RoleFlops> lines;
};

struct ModelFlops {
  std::string torch_version;
  std::string schema_version;
  ArchiveLayout layout = ArchiveLayout::flat_zip;
  std::string model; ///< the program's name in the archive; "" where it has none
  std::vector<ProgramSymbol> symbols;
  Count flops;
  std::vector<OperatorFlops> operators;     ///< the most expensive first
  std::vector<UncountedOperator> uncounted; ///< those that multiply first, then by name
  std::vector<ModuleFlops> modules;         ///< the root first, parents before their children, in execution order
  TransformerTable transformer;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t parameters = 0;
  std::uint64_t buffer_bytes = 0;
  Count saved_bytes;
  std::vector<FlopNote> notes; ///< about loops and branches first, then about kept tensors
};

/// Throws Error if the first bytes of a file are not those of a zip archive.
void reject_foreign_archive(std::string_view head);

/// Counts the operations of a program. `bytes` is the archive. Throws Error, which does not name the file, if it is not
/// such an archive, and UsageError for a symbol that the program does not have or a size outside its range.
[[nodiscard]] ModelFlops count_flops(std::string_view bytes, const FlopOptions& options = {});

} // namespace memviz
