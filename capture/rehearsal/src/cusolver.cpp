// cuSOLVER: the workspaces whose sizes are known. Square matrices of real numbers were measured; for other shapes and
// complex numbers the same formulas give an estimate, which a note says.
#include "machine.hpp"
#include "solver_workspaces.hpp"
#include "stubs.hpp"

#include <algorithm>
#include <limits>

using namespace memviz::rehearsal;

namespace {

constexpr int kCusolverInvalidValue = 3;

// The number type of a matrix, and whether its formula was measured for it.
struct Type {
  std::uint64_t bytes;
  bool is_real;
};
constexpr Type kS{4, true}, kD{8, true}, kC{8, false}, kZ{16, false};

// cudaDataType
Type type_of(int data_type) {
  switch (data_type) {
  case 0: return kS;
  case 4: return kC;
  case 5: return kZ;
  default: return kD;
  }
}

std::uint64_t size_of(std::int64_t length) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(length, 0));
}

void note_estimate_unless(bool is_measured) {
  if (!is_measured)
    note(*Locked(), "cuSOLVER: workspaces of matrices that are not square, or of complex numbers, are estimates: only "
                    "others were measured on a GPU");
}

int give_elements(int* out, std::uint64_t elements) {
  if (!out) return kCusolverInvalidValue;
  *out = static_cast<int>(std::min<std::uint64_t>(elements, std::numeric_limits<int>::max()));
  return 0;
}

int give_bytes(std::size_t* device, std::size_t* host, std::uint64_t bytes) {
  if (!device || !host) return kCusolverInvalidValue;
  *device = bytes;
  *host = 0;
  return 0;
}

} // namespace

#define GETRF(letter)                                                                                                  \
  MEMVIZ_EXPORT int cusolverDn##letter##getrf_bufferSize(Handle, int rows, int columns, void*, int, int* out) {        \
    note_estimate_unless(rows == columns && k##letter.is_real);                                                        \
    return give_elements(out, getrf_bytes(size_of(rows)) / k##letter.bytes);                                           \
  }
#define SYTRF(letter)                                                                                                  \
  MEMVIZ_EXPORT int cusolverDn##letter##sytrf_bufferSize(Handle, int size, void*, int, int* out) {                     \
    note_estimate_unless(k##letter.is_real);                                                                           \
    return give_elements(out, sytrf_bytes(size_of(size), k##letter.bytes) / k##letter.bytes);                          \
  }
#define GESVDJ(letter)                                                                                                 \
  MEMVIZ_EXPORT int cusolverDn##letter##gesvdj_bufferSize(Handle, int, int, int rows, int columns, void*, int, void*,  \
                                                          void*, int, void*, int, int* out, Handle) {                  \
    note_estimate_unless(rows == columns && k##letter.is_real);                                                        \
    return give_elements(out, gesvdj_elements(size_of(rows), size_of(columns)));                                       \
  }                                                                                                                    \
  MEMVIZ_EXPORT int cusolverDn##letter##gesvdjBatched_bufferSize(                                                      \
      Handle, int, int rows, int columns, void*, int, void*, void*, int, void*, int, int* out, Handle, int) {          \
    note_estimate_unless(rows == columns && k##letter.is_real);                                                        \
    return give_elements(out, kGesvdjBatchedElements);                                                                 \
  }
#define QR(letter, generate, multiply)                                                                                 \
  MEMVIZ_EXPORT int cusolverDn##letter##generate##_bufferSize(Handle, int rows, int columns, int count, void*, int,    \
                                                              void*, int* out) {                                       \
    note_estimate_unless(rows == columns && rows == count && k##letter.is_real);                                       \
    return give_elements(out, orgqr_elements(size_of(rows), size_of(count)));                                          \
  }                                                                                                                    \
  MEMVIZ_EXPORT int cusolverDn##letter##multiply##_bufferSize(Handle, int, int, int rows, int columns, int count,      \
                                                              void*, int, void*, void*, int, int* out) {               \
    note_estimate_unless(rows == columns && rows == count && k##letter.is_real);                                       \
    return give_elements(out, ormqr_elements(size_of(rows), size_of(columns), size_of(count)));                        \
  }
#define EVJ(letter, name)                                                                                              \
  MEMVIZ_EXPORT int cusolverDn##letter##name##_bufferSize(Handle, int, int, int size, void*, int, void*, int* out,     \
                                                          Handle) {                                                    \
    note_estimate_unless(k##letter.is_real);                                                                           \
    return give_elements(out, syevj_elements(size_of(size)));                                                          \
  }
#define ALL(letter, generate, multiply, eigenvalues)                                                                   \
  GETRF(letter)                                                                                                        \
  SYTRF(letter)                                                                                                        \
  GESVDJ(letter)                                                                                                       \
  QR(letter, generate, multiply)                                                                                       \
  EVJ(letter, eigenvalues)
ALL(S, orgqr, ormqr, syevj)
ALL(D, orgqr, ormqr, syevj)
ALL(C, ungqr, unmqr, heevj)
ALL(Z, ungqr, unmqr, heevj)
#undef ALL
#undef EVJ
#undef QR
#undef GESVDJ
#undef SYTRF
#undef GETRF

MEMVIZ_EXPORT int cusolverDnXpotrf_bufferSize(Handle, Handle, int, std::int64_t size, int type, void*, std::int64_t,
                                              int, std::size_t* device, std::size_t* host) {
  note_estimate_unless(type_of(type).is_real);
  return give_bytes(device, host, potrf_bytes(size_of(size)));
}
MEMVIZ_EXPORT int cusolverDnXgeqrf_bufferSize(Handle, Handle, std::int64_t rows, std::int64_t columns, int type, void*,
                                              std::int64_t, int, void*, int, std::size_t* device, std::size_t* host) {
  note_estimate_unless(rows == columns && type_of(type).is_real);
  return give_bytes(device, host, geqrf_bytes(size_of(columns), type_of(type).bytes));
}
MEMVIZ_EXPORT int cusolverDnXsyevd_bufferSize(Handle, Handle, int, int, std::int64_t size, int type, void*,
                                              std::int64_t, int, void*, int, std::size_t* device, std::size_t* host) {
  note_estimate_unless(type_of(type).is_real);
  return give_bytes(device, host, syevd_bytes(size_of(size), type_of(type).bytes));
}
MEMVIZ_EXPORT int cusolverDnXsyevBatched_bufferSize(Handle, Handle, int, int, std::int64_t size, int type, void*,
                                                    std::int64_t, int, void*, int, std::size_t* device,
                                                    std::size_t* host, std::int64_t count) {
  note_estimate_unless(type_of(type).is_real);
  return give_bytes(device, host, syev_batched_bytes(size_of(size), size_of(count), type_of(type).bytes));
}
MEMVIZ_EXPORT int cusolverDnXgeev_bufferSize(Handle, Handle, int, int, std::int64_t size, int type, void*, std::int64_t,
                                             int, void*, int, void*, std::int64_t, int, void*, std::int64_t, int,
                                             std::size_t* device, std::size_t* host) {
  note_estimate_unless(type_of(type).is_real);
  return give_bytes(device, host, geev_bytes(size_of(size), type_of(type).bytes));
}
