#pragma once

// A program -> every product that a run of it computes, in order, with its place in the model and its cost.

#include "memviz/flops.hpp"
#include "program/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::program {

/// A node that counts.
struct Product {
  const Node* node = nullptr;
  GraphId graph = 0;
  ModuleId module = kWholeModel;
  std::uint64_t calls = 1; ///< for a node in a loop: how often it runs, if known
  Polynomial flops;        ///< of all its calls
};

struct Uncounted {
  std::string name; ///< "aten.add"
  UncountedReason reason = UncountedReason::no_product;
  std::uint64_t calls = 0;
};

struct Counting {
  std::vector<Product> products;
  std::vector<Uncounted> uncounted; ///< by name
  std::vector<FlopNote> notes;      ///< about branches and loops
};

/// Counts the products. Refers to `program`. Of two branches the more expensive one counts, as in
/// torch.utils.flop_counter; a loop whose length is in its data counts once. Throws Error if a product does not match
/// the sizes of its tensors.
[[nodiscard]] Counting count_products(const Program& program);

} // namespace memviz::program
