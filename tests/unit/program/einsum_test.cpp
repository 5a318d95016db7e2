#include "program/einsum.hpp"

#include "memviz/error.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::program;

namespace {

using Operands = std::vector<std::vector<Polynomial>>;

std::int64_t flops(std::string_view equation, const Operands& operands, const std::vector<Polynomial>& path = {}) {
  return einsum_flops(equation, std::vector<EinsumOperand>(operands.begin(), operands.end()), path).number();
}

} // namespace

TEST_CASE("a contraction costs two operations for each of its products") {
  CHECK(flops("ij,jk->ik", {{2, 3}, {3, 5}}) == 2 * 2 * 3 * 5);
  CHECK(flops("bij,bjk->bik", {{7, 2, 3}, {7, 3, 5}}) == 2 * 7 * 2 * 3 * 5);
  CHECK(flops("bhqd,bhkd->bhqk", {{2, 4, 8, 16}, {2, 4, 9, 16}}) == 2 * 2 * 4 * 8 * 9 * 16);
  CHECK(flops("ij, jk", {{2, 3}, {3, 5}}) == 2 * 2 * 3 * 5);
}

TEST_CASE("letters that one operand alone has are summed before") {
  CHECK(flops("ijx,jk->ik", {{2, 3, 100}, {3, 5}}) == 2 * 2 * 3 * 5);
}

TEST_CASE("products without a sum, and sums without a product, are no work of matrices") {
  CHECK(flops("i,j->ij", {{2}, {3}}) == 0);
  CHECK(flops("ij->i", {{2, 3}}) == 0);
}

TEST_CASE("an ellipsis stands for the dimensions that have no letter") {
  CHECK(flops("...ij,...jk->...ik", {{4, 6, 2, 3}, {4, 6, 3, 5}}) == 2 * 4 * 6 * 2 * 3 * 5);
  CHECK(flops("...ij,jk->...ik", {{4, 6, 2, 3}, {3, 5}}) == 2 * 4 * 6 * 2 * 3 * 5);
  CHECK(flops("...ij,...jk->...ik", {{1, 2, 3}, {4, 3, 5}}) == 2 * 4 * 2 * 3 * 5);
}

TEST_CASE("three operands are contracted from the left, or by the path") {
  CHECK(flops("ij,jk,kl->il", {{2, 3}, {3, 5}, {5, 7}}) == 2 * 2 * 3 * 5 + 2 * 2 * 5 * 7);
  CHECK(flops("ij,jk,kl->il", {{2, 3}, {3, 5}, {5, 7}}, {1, 2, 0, 1}) == 2 * 3 * 5 * 7 + 2 * 2 * 3 * 7);
}

TEST_CASE("an equation that does not fit its operands is an error") {
  CHECK_THROWS_AS(static_cast<void>(flops("ij,jk->ik", {{2, 3}})), Error);
  CHECK_THROWS_AS(static_cast<void>(flops("ijk,jk->ik", {{2, 3}, {3, 5}})), Error);
  CHECK_THROWS_AS(static_cast<void>(flops("...ijk,jk->ik", {{2, 3}, {3, 5}})), Error);
  CHECK_THROWS_AS(static_cast<void>(flops("ij,jk,kl->il", {{2, 3}, {3, 5}, {5, 7}}, {0, 0, 0, 1})), Error);
  CHECK_THROWS_AS(static_cast<void>(flops("ij,jk,kl->il", {{2, 3}, {3, 5}, {5, 7}}, {-1, 9, 0, 1})), Error);
}
