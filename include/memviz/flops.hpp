#pragma once

// A program that torch.export.save wrote -> the floating point operations of its matrix products, by operator and by
// module, and the bytes of its parameters and of what a forward pass keeps for backward. Tensors are never loaded.

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
  std::optional<std::string> model = {};          ///< of an archive with several programs
  std::map<std::string, std::int64_t> sizes = {}; ///< by symbol, instead of its hint: {"s0", 8}
  Redactor* redactor = nullptr;                   ///< hides names before they are counted by
};

/// A number, or where sizes have no value, what it is made of.
struct Count {
  std::optional<std::uint64_t> value;
  std::string formula = {}; ///< "2*s0*s1 + 40"; "" for a number that holds for all sizes

  friend bool operator==(const Count&, const Count&) = default;
};

/// A size that the program was exported without.
struct ProgramSymbol {
  std::string name;
  std::optional<std::int64_t> value;
  bool is_given = false; ///< by FlopOptions::sizes
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct OperatorFlops {
  std::string name; ///< "aten.addmm"
  std::uint64_t calls = 0;
  Count flops;
};

enum class UncountedReason : std::uint8_t {
  no_product,      ///< it only moves, compares, adds or reduces elements
  unknown_product, ///< it multiplies matrices in a way that is not counted
  not_pytorch,     ///< it is not PyTorch's own
};

struct UncountedOperator {
  std::string name;
  std::uint64_t calls = 0;
  UncountedReason reason = UncountedReason::no_product;
};

enum class FlopAssumption : std::uint8_t {
  while_loop_once, ///< its length depends on the data
  loop_once,       ///< of `name`: its length is not known
  dearer_branch,   ///< of a cond: the branch that runs depends on the data
  unknown_kept,    ///< `name` counts as if it kept nothing for backward
  uncast_kept,     ///< of `name`: its inner operators count as if nothing were cast
  first_kept,      ///< of `name`: its first branch is taken
  fused_cells,     ///< lstm_cell and gru_cell have fused kernels
  fused_norm,      ///< rms_norm has a fused kernel
};

/// An assumption that the figures of a program rest on.
struct FlopNote {
  FlopAssumption assumption = FlopAssumption::while_loop_once;
  std::string name = {}; ///< of the operator, where several operators share the assumption
  std::uint64_t times = 1;
};

enum class ArchiveLayout : std::uint8_t {
  flat_zip, ///< PyTorch 2.7 or older
  pt2,      ///< PyTorch 2.8 or newer
};

/// A module with all that is in it.
struct ModuleFlops {
  std::string path;       ///< "transformer.h.0.attn"; "" for the whole
  std::string type;       ///< "torch.nn.modules.linear.Linear"
  std::size_t parent = 0; ///< index of a module before this one; the whole is its own
  Count flops;
  Count own_flops; ///< of operators that are in it itself
  std::vector<OperatorFlops> own_operators = {};
  std::uint64_t parameter_bytes = 0; ///< tied ones count once, where they are met first
  std::uint64_t parameters = 0;      ///< elements
  Count saved_bytes;                 ///< what is kept for backward of what its operators take and make
};

/// A line of the table of a transformer: "attention/kqv".
struct RoleFlops {
  std::string name;
  Count flops;
};

/// The work of the repeated blocks of a transformer; no lines if the program is none.
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
  std::vector<OperatorFlops> operators;     ///< the dearest first
  std::vector<UncountedOperator> uncounted; ///< those that multiply first, then by name
  std::vector<ModuleFlops> modules;         ///< the whole first, parents before their children, in the order they run
  TransformerTable transformer;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t parameters = 0;
  std::uint64_t buffer_bytes = 0;
  Count saved_bytes;
  std::vector<FlopNote> notes; ///< about loops and branches first, then about what is kept
};

/// `bytes` are the archive. Throws Error, which does not name the file, for what is not such an archive, and UsageError
/// for a symbol that the program does not have or a size outside of its range.
[[nodiscard]] ModelFlops count_flops(std::string_view bytes, const FlopOptions& options = {});

} // namespace memviz
