// cuSPARSE's products of sparse matrices, and cuSPARSELt. Kernels compute nothing; the size of a sparse product
// depends on the positions of the factors' elements, which are unknown.
#include "machine.hpp"
#include "sparse_workspaces.hpp"
#include "stubs.hpp"

#include <cmath>
#include <cstring>

using namespace memviz::rehearsal;

namespace {

constexpr int kCusparseInvalidValue = 3;

LibraryObject* matrix(Handle descriptor) {
  return static_cast<LibraryObject*>(descriptor);
}

// Returns the number of terms that the elements of a product sum, if the factors' elements are spread at random: for
// each element of the first, as many as a row of the second has.
double product_terms(const LibraryObject& first, const LibraryObject& second) {
  if (second.rows == 0) return 0;
  return static_cast<double>(first.elements) * static_cast<double>(second.elements) / static_cast<double>(second.rows);
}

// Returns the number of elements of such a product: some terms meet in one element.
std::int64_t product_elements(const LibraryObject& first, const LibraryObject& second) {
  const double room = static_cast<double>(first.rows) * static_cast<double>(second.columns);
  return room > 0 ? std::llround(-room * std::expm1(-product_terms(first, second) / room)) : 0;
}

// cusparseIndexType_t: 1 to 3 are 16, 32 and 64 bits.
std::uint64_t index_bytes(int type) {
  return std::uint64_t{1} << type;
}

} // namespace

MEMVIZ_EXPORT int cusparseCreateCsr(Handle* out, std::int64_t rows, std::int64_t columns, std::int64_t elements, void*,
                                    void*, void*, int, int index_type) {
  *out = new LibraryObject{nullptr, rows, columns, elements, index_bytes(index_type)};
  return 0;
}
MEMVIZ_EXPORT int cusparseCreateDnMat(Handle* out, std::int64_t rows, std::int64_t columns) {
  *out = new LibraryObject{nullptr, rows, columns};
  return 0;
}
MEMVIZ_EXPORT int cusparseSpMM_bufferSize(Handle, int, int, const void*, Handle sparse, Handle, const void*,
                                          Handle product, int, int algorithm, std::size_t* workspace_bytes) {
  if (!sparse || !product) return kCusparseInvalidValue;
  const std::optional<std::uint64_t> bytes =
      spmm_bytes({algorithm, static_cast<std::uint64_t>(matrix(sparse)->elements),
                  static_cast<std::uint64_t>(matrix(product)->columns), matrix(sparse)->index_bytes});
  *workspace_bytes = bytes.value_or(0);
  return bytes ? 0 : no_workspace(Library::cusparse, "cusparseSpMM_bufferSize");
}

MEMVIZ_EXPORT int cusparseSpGEMM_workEstimation(Handle, int, int, const void*, Handle first, Handle, const void*,
                                                Handle, int, int, Handle, std::size_t* workspace_bytes, void*) {
  if (!first) return kCusparseInvalidValue;
  *workspace_bytes = spgemm_estimation_bytes(static_cast<std::uint64_t>(matrix(first)->elements));
  return 0;
}

MEMVIZ_EXPORT int cusparseSpGEMM_compute(Handle library, int, int, const void*, Handle first, Handle second,
                                         const void*, Handle product, int, int, Handle, std::size_t* workspace_bytes,
                                         void*) {
  if (!first || !second || !product) return kCusparseInvalidValue;
  *workspace_bytes = spgemm_compute_bytes(static_cast<std::uint64_t>(product_terms(*matrix(first), *matrix(second))));
  matrix(product)->elements = product_elements(*matrix(first), *matrix(second));
  {
    const Locked machine;
    note(*machine, "cuSPARSE: which elements a product of sparse matrices has is not known; it is as large as that of "
                   "matrices whose elements are spread at random, and its workspaces are estimates");
  }
  return launch_for(Library::cusparse, library);
}

MEMVIZ_EXPORT int cusparseSpMatGetSize(Handle of, std::int64_t* rows, std::int64_t* columns, std::int64_t* elements) {
  if (!of) return kCusparseInvalidValue;
  *rows = matrix(of)->rows;
  *columns = matrix(of)->columns;
  *elements = matrix(of)->elements;
  return 0;
}

MEMVIZ_EXPORT int cusparseLtMatmulAlgGetAttribute(const void*, const void*, int, void* data, std::size_t bytes) {
  std::memset(data, 0, bytes);
  return 0;
}

MEMVIZ_EXPORT int cusparseLtMatmul(const void*, const void*, const void*, const void*, const void*, const void*,
                                   const void*, void*, void*, Handle* streams, int count) {
  return launch_on_stream(Library::cusparselt, streams && count > 0 ? *streams : nullptr);
}

MEMVIZ_EXPORT int cusparseLtMatmulSearch(const void*, void*, const void*, const void*, const void*, const void*,
                                         const void*, void*, void*, Handle* streams, int count) {
  return launch_on_stream(Library::cusparselt, streams && count > 0 ? *streams : nullptr);
}

MEMVIZ_EXPORT int cusparseLtSpMMACompress2(const void*, const void*, int, int, const void*, void*, void*,
                                           Handle stream) {
  return launch_on_stream(Library::cusparselt, stream);
}
