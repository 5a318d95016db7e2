#include "program/einsum.hpp"

#include "base/printable.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

namespace memviz::program {
namespace {

/// The maximum number of operands, because each step looks at all remaining ones.
constexpr std::size_t kMostOperands = 256;

/// A letter, or a dimension of "...", counted from the last: -1, -2, ...
using Index = int;
using Indices = std::set<Index>;

struct Equation {
  std::vector<Indices> operands;
  Indices result;
  std::map<Index, const Polynomial*> sizes;
};

[[noreturn]] void throw_misfit(std::string_view equation) {
  throw Error(fmt::format("the equation '{}' of an einsum does not fit its operands", elided(equation, 80)));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text = text.substr(end + 1);
  }
}

/// Returns each letter of a part; for "..." as many as `ellipsis` says.
std::vector<Index> indices_of(std::string_view part, std::size_t ellipsis) {
  std::vector<Index> indices;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part.substr(i).starts_with("...")) {
      for (std::size_t rest = ellipsis; rest > 0; --rest)
        indices.push_back(-static_cast<Index>(rest));
      i += 2;
    } else {
      indices.push_back(static_cast<unsigned char>(part[i]));
    }
  }
  return indices;
}

/// A dimension of 1 is broadcast to the others'.
void note_size(Equation& equation, Index index, const Polynomial& size) {
  const auto [known, is_new] = equation.sizes.try_emplace(index, &size);
  if (!is_new && *known->second == Polynomial(1)) known->second = &size;
}

/// Returns the result if "->" is missing: the letters that occur once, in order, and the dimensions of "...".
Indices implied_result(const std::vector<std::vector<Index>>& operands) {
  std::map<Index, int> times;
  for (const std::vector<Index>& operand : operands) {
    for (const Index index : operand)
      ++times[index];
  }
  Indices result;
  for (const auto& [index, count] : times) {
    if (count == 1 || index < 0) result.insert(index);
  }
  return result;
}

Equation parse(std::string_view text, std::span<const EinsumOperand> operands) {
  std::string plain;
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c != ' '; });
  const std::size_t arrow = plain.find("->");
  const std::vector<std::string_view> parts = parts_of(std::string_view(plain).substr(0, arrow), ',');
  if (parts.size() != operands.size()) throw_misfit(text);
  Equation equation;
  std::vector<std::vector<Index>> listed;
  std::size_t most_ellipsis = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::vector<Polynomial>& sizes = operands[i];
    const std::size_t letters = indices_of(parts[i], 0).size();
    if (letters > sizes.size()) throw_misfit(text);
    most_ellipsis = std::max(most_ellipsis, sizes.size() - letters);
    const std::vector<Index> indices = indices_of(parts[i], sizes.size() - letters);
    if (indices.size() != sizes.size()) throw_misfit(text);
    for (std::size_t j = 0; j < indices.size(); ++j)
      note_size(equation, indices[j], sizes[j]);
    equation.operands.emplace_back(indices.begin(), indices.end());
    listed.push_back(indices);
  }
  if (arrow == std::string::npos) {
    equation.result = implied_result(listed);
  } else {
    const std::vector<Index> result = indices_of(std::string_view(plain).substr(arrow + 2), most_ellipsis);
    equation.result = {result.begin(), result.end()};
  }
  return equation;
}

/// Contracts two operands; keeps the letters that the remaining operands and the result need.
Polynomial contract(Equation& equation, std::size_t left, std::size_t right) {
  const Indices one = equation.operands[left];
  const Indices other = equation.operands[right];
  equation.operands.erase(equation.operands.begin() + static_cast<std::ptrdiff_t>(std::max(left, right)));
  equation.operands.erase(equation.operands.begin() + static_cast<std::ptrdiff_t>(std::min(left, right)));
  Indices needed = equation.result;
  for (const Indices& operand : equation.operands)
    needed.insert(operand.begin(), operand.end());
  Polynomial flops = 2;
  Indices kept;
  bool sums_products = false;
  Indices all = one;
  all.insert(other.begin(), other.end());
  for (const Index index : all) {
    const bool is_common = one.contains(index) && other.contains(index);
    if (needed.contains(index)) kept.insert(index);
    if (!is_common && !needed.contains(index)) continue; // summed before the product
    sums_products = sums_products || !needed.contains(index);
    flops *= *equation.sizes[index];
  }
  equation.operands.push_back(kept);
  // Without a sum it is an elementwise product, which counts as little as any other.
  return sums_products ? flops : Polynomial();
}

} // namespace

Polynomial einsum_flops(std::string_view equation, std::span<const EinsumOperand> operands,
                        std::span<const Polynomial> path) {
  if (operands.size() > kMostOperands) throw Error("an einsum of more than 256 operands, which no real model has");
  Equation left_over = parse(equation, operands);
  Polynomial flops;
  std::size_t step = 0;
  while (left_over.operands.size() > 1) {
    std::size_t left = 0;
    std::size_t right = 1;
    if (2 * step + 1 < path.size()) {
      left = static_cast<std::size_t>(path[2 * step].number());
      right = static_cast<std::size_t>(path[2 * step + 1].number());
      if (left == right || std::max(left, right) >= left_over.operands.size()) throw_misfit(equation);
    }
    // Without a path, the result of a step is the first operand of the next.
    flops += contract(left_over, left, right);
    if (path.empty()) std::rotate(left_over.operands.begin(), left_over.operands.end() - 1, left_over.operands.end());
    ++step;
  }
  return flops;
}

} // namespace memviz::program
