// cuSPARSE's products of two sparse matrices, and cuSPARSELt. Kernels compute nothing; the size of a sparse product
// depends on the positions of the factors' elements, which are unknown.
#include "machine.hpp"
#include "stubs.hpp"

#include <algorithm>
#include <cstring>

using namespace memviz::rehearsal;

namespace {

constexpr int kCusparseInvalidValue = 3;

LibraryObject* matrix(Handle descriptor) {
  return static_cast<LibraryObject*>(descriptor);
}

// Returns the number of elements of a product whose factors have evenly spread elements: for each element of the first,
// as many as a row of the second has; never more than there is room for.
std::int64_t product_elements(const LibraryObject& first, const LibraryObject& second) {
  if (second.rows == 0) return 0;
  const double expected =
      static_cast<double>(first.elements) * static_cast<double>(second.elements) / static_cast<double>(second.rows);
  const double room = static_cast<double>(first.rows) * static_cast<double>(second.columns);
  return static_cast<std::int64_t>(std::min(expected, room));
}

} // namespace

MEMVIZ_EXPORT int cusparseCreateCsr(Handle* out, std::int64_t rows, std::int64_t columns, std::int64_t elements) {
  *out = new LibraryObject{nullptr, rows, columns, elements};
  return 0;
}

MEMVIZ_EXPORT int cusparseSpGEMM_workEstimation(Handle, int, int, const void*, Handle, Handle, const void*, Handle, int,
                                                int, Handle, std::size_t* workspace_bytes, void*) {
  *workspace_bytes = 0;
  return no_workspace(Library::cusparse, "cusparseSpGEMM_workEstimation");
}

MEMVIZ_EXPORT int cusparseSpGEMM_compute(Handle library, int, int, const void*, Handle first, Handle second,
                                         const void*, Handle product, int, int, Handle, std::size_t* workspace_bytes,
                                         void*) {
  if (!first || !second || !product) return kCusparseInvalidValue;
  *workspace_bytes = 0;
  matrix(product)->elements = product_elements(*matrix(first), *matrix(second));
  {
    const Locked machine;
    note(*machine, "cuSPARSE: which elements a product of sparse matrices has is not known; it is as large as that of "
                   "matrices whose elements are spread evenly");
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
