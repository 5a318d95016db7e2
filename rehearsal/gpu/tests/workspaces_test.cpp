// The sizes are those that PyTorch 2.11 requested on an H100 or an H200.
#include "fft_workspace.hpp"
#include "solver_workspaces.hpp"
#include "sparse_workspaces.hpp"

#include <doctest/doctest.h>

using namespace memviz::rehearsal;

namespace {

std::uint64_t complex_bytes_of(std::uint64_t length, std::uint64_t rows) {
  return fft_workspace_bytes({.length = length, .rows = rows});
}

std::uint64_t real_bytes_of(std::uint64_t length, std::uint64_t rows, int dimensions = 1) {
  return fft_workspace_bytes({.length = length, .rows = rows, .is_real = true, .dimensions = dimensions});
}

} // namespace

TEST_CASE("a transform of complex numbers") {
  SUBCASE("takes no workspace for a row that one kernel transforms") {
    CHECK(complex_bytes_of(1009, 256) == 0);
    CHECK(complex_bytes_of(16384, 16) == 0);
  }
  SUBCASE("takes a copy of longer rows") {
    CHECK(complex_bytes_of(100000, 16) == 12800000);
  }
  SUBCASE("takes two convolutions for a large prime factor") {
    CHECK(complex_bytes_of(4097, 1) == 139264);
    CHECK(complex_bytes_of(4099, 256) == 35389440);
  }
  SUBCASE("takes twice as much in double precision") {
    CHECK(fft_workspace_bytes({.length = 100000, .rows = 16, .complex_bytes = 16}) == 25600000);
  }
}

TEST_CASE("a transform of real numbers") {
  SUBCASE("takes no workspace for short rows and powers of two") {
    CHECK(real_bytes_of(1000, 256) == 0);
    CHECK(real_bytes_of(8192, 16) == 0);
    CHECK(real_bytes_of(256, 2048, 2) == 0);
    CHECK(real_bytes_of(300, 1500, 2) == 0);
    CHECK(real_bytes_of(101, 291, 2) == 0);
    CHECK(real_bytes_of(198, 256) == 0);
    CHECK(real_bytes_of(2187, 50) == 0);
  }
  SUBCASE("takes half as many complex numbers for an even length") {
    CHECK(real_bytes_of(10000, 16) == 640000);
    CHECK(real_bytes_of(500, 2000, 2) == 4000000);
    CHECK(real_bytes_of(484, 50) == 96800);
    CHECK(real_bytes_of(190, 3) == 2280);
  }
  SUBCASE("takes one more for a prime factor above 37, and for long rows") {
    CHECK(real_bytes_of(1022, 16) == 65536);
    CHECK(real_bytes_of(1048576, 16) == 67108992);
  }
  SUBCASE("takes convolutions for a large prime factor") {
    CHECK(real_bytes_of(4372, 3) == 105712);
    CHECK(real_bytes_of(8196, 16) == 2738432);
    CHECK(real_bytes_of(8196, 256) == 43786240);
    CHECK(real_bytes_of(24688, 50) == 24940416);
    CHECK(real_bytes_of(199998, 1) == 4001016);
  }
  SUBCASE("is one of complex numbers, two rows in one, for an odd length") {
    CHECK(real_bytes_of(12345, 3) == 998288);
    CHECK(real_bytes_of(1009, 1) == 16264);
    CHECK(real_bytes_of(1009, 16) == 130112);
    CHECK(real_bytes_of(4097, 1) == 172040);
    CHECK(real_bytes_of(4099, 256) == 21894144);
  }
}

TEST_CASE("the workspaces of cuSOLVER are those of a GPU") {
  CHECK(potrf_bytes(513) == 1312);
  CHECK(getrf_bytes(200) == 4096);
  CHECK(getrf_bytes(1000) == 12544);
  CHECK(getrf_bytes(1500) == 21152);
  CHECK(sytrf_bytes(256, 4) == 98432);
  CHECK(sytrf_bytes(513, 8) == 263168);
  CHECK(geqrf_bytes(4, 4) == 3145856);
  CHECK(geqrf_bytes(1000, 8) == 12386432);
  CHECK(8 * orgqr_elements(33, 33, 33) == 273152);
  CHECK(4 * orgqr_elements(100, 100, 100) == 186624);
  CHECK(4 * orgqr_elements(1000, 1000, 1000) == 1602560);
  CHECK(4 * ormqr_elements(33, 33) == 373632);
  CHECK(8 * ormqr_elements(1000, 1000) == 22678528);
  CHECK(4 * syevj_elements(200) == 194380);
  CHECK(4 * gesvdj_elements(32, 32, SingularVectors::all) == 3968);
  CHECK(4 * gesvdj_elements(33, 33, SingularVectors::all) == 29568);
  CHECK(8 * gesvdj_elements(500, 500, SingularVectors::all) == 4282880);
  CHECK(syevd_bytes(4, 4) == 274924);
  CHECK(syevd_bytes(24, 4) == 342988);
  CHECK(syevd_bytes(300, 8) == 4528088);
  CHECK(syevd_bytes(513, 8) == 9992880);
  CHECK(syevd_bytes(700, 8) == 16655064);
  CHECK(syevd_bytes(1000, 4) == 16640076);
  CHECK(syev_batched_bytes(16, 8, 4) == 2514912);
  CHECK(syev_batched_bytes(32, 16, 4) == 5962304);
  CHECK(geev_bytes(33, {8, false}) == 273920);
  CHECK(geev_bytes(500, {4, false}) == 1008128);
}

TEST_CASE("the workspaces of cuSOLVER for matrices that are not square are those of a GPU") {
  SUBCASE("QR") {
    CHECK(geqrf_bytes(513, 4) == 4198528);
    CHECK(4 * orgqr_elements(100, 40, 40) == 148096);
    CHECK(4 * orgqr_elements(513, 200, 200) == 534016);
    CHECK(4 * orgqr_elements(1000, 64, 64) == 388096);
  }
  SUBCASE("SVD factorizes as Q R first") {
    CHECK(4 * gesvdj_elements(100, 40, SingularVectors::reduced) == 3146112);
    CHECK(8 * gesvdj_elements(513, 200, SingularVectors::all) == 6293504);
  }
  SUBCASE("SVD multiplies by Q for all singular vectors") {
    CHECK(4 * gesvdj_elements(1000, 64, SingularVectors::all) == 3611904);
  }
  SUBCASE("SVD copies a wide matrix") {
    CHECK(8 * gesvdj_elements(200, 513, SingularVectors::all) == 7114496);
  }
}

TEST_CASE("eig of complex numbers takes a row of real ones") {
  CHECK(geev_bytes(150, {8, true}) == 595456);
  CHECK(geev_bytes(300, {8, true}) == 1060352);
}

TEST_CASE("a tall matrix takes no workspace of the square of its rows") {
  CHECK(gesvdj_elements(1000000, 10, SingularVectors::reduced) < 12000000);
  CHECK(ormqr_elements(1000000, 10) < 800000000);
  CHECK(orgqr_elements(1000000, 10, 10) < 40000000);
}

TEST_CASE("a product of a sparse and a dense matrix takes an index for each block of elements") {
  CHECK(spmm_bytes({4, 970757, 1, 4}) == 959);
  CHECK(spmm_bytes({4, 970922, 16, 4}) == 15179);
  CHECK(spmm_bytes({6, 971154, 1, 8}) == 2551);
  CHECK(spmm_bytes({6, 970803, 16, 8}) == 323615);
  CHECK(spmm_bytes({6, 100, 64, 8}) == 47);
  CHECK_FALSE(spmm_bytes({0, 100, 64, 8}).has_value());
}

TEST_CASE("the workspaces of a product of two sparse matrices are those of a GPU") {
  CHECK(spgemm_estimation_bytes(49928) == 600983);
  CHECK(spgemm_compute_bytes(610097) == 14642335);
}
