// cuSOLVER: the workspaces whose sizes are known. A note says where a formula was not measured for a shape or type.
#include "machine.hpp"
#include "solver_workspaces.hpp"
#include "stubs.hpp"

#include <algorithm>
#include <limits>

using namespace memviz::rehearsal;

namespace {

constexpr int kCusolverInvalidValue = 3;

// The bytes that cudaMemGetInfo showed for a handle on an H100 (PyTorch 2.11, CUDA 13).
constexpr std::uint64_t kSolverHandleBytes = std::uint64_t{96} << 20U;

constexpr int kWithVectors = 1; // cusolverEigMode_t

constexpr Number kS{4, false}, kD{8, false}, kC{8, true}, kZ{16, true};

// cudaDataType
Number number_type(int data_type) {
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
    note(*Locked(),
         "cuSOLVER: some workspaces are estimates: getrf and ormqr were measured on a GPU for square matrices, "
         "ormqr and syevj for real numbers");
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

MEMVIZ_EXPORT int cusolverDnCreate(Handle* out) {
  create_object(out);
  take_device_bytes(*static_cast<LibraryObject*>(*out), kSolverHandleBytes);
  return 0;
}

#define GETRF(letter)                                                                                                  \
  MEMVIZ_EXPORT int cusolverDn##letter##getrf_bufferSize(Handle, int rows, int columns, void*, int, int* out) {        \
    note_estimate_unless(rows == columns);                                                                             \
    return give_elements(out, getrf_bytes(size_of(rows)) / k##letter.bytes);                                           \
  }
#define SYTRF(letter)                                                                                                  \
  MEMVIZ_EXPORT int cusolverDn##letter##sytrf_bufferSize(Handle, int size, void*, int, int* out) {                     \
    return give_elements(out, sytrf_bytes(size_of(size), k##letter.bytes) / k##letter.bytes);                          \
  }
#define GESVDJ(letter)                                                                                                 \
  MEMVIZ_EXPORT int cusolverDn##letter##gesvdj_bufferSize(Handle, int mode, int is_reduced, int rows, int columns,     \
                                                          void*, int, void*, void*, int, void*, int, int* out,         \
                                                          Handle) {                                                    \
    const SingularVectors vectors =                                                                                    \
        mode == kWithVectors && !is_reduced ? SingularVectors::all : SingularVectors::reduced;                         \
    return give_elements(out, gesvdj_elements(size_of(rows), size_of(columns), vectors));                              \
  }                                                                                                                    \
  MEMVIZ_EXPORT int cusolverDn##letter##gesvdjBatched_bufferSize(Handle, int, int, int, void*, int, void*, void*, int, \
                                                                 void*, int, int* out, Handle, int) {                  \
    return give_elements(out, kGesvdjBatchedElements);                                                                 \
  }
#define QR(letter, generate, multiply)                                                                                 \
  MEMVIZ_EXPORT int cusolverDn##letter##generate##_bufferSize(Handle, int rows, int columns, int count, void*, int,    \
                                                              void*, int* out) {                                       \
    return give_elements(out, orgqr_elements(size_of(rows), size_of(columns), size_of(count)));                        \
  }                                                                                                                    \
  MEMVIZ_EXPORT int cusolverDn##letter##multiply##_bufferSize(Handle, int, int, int rows, int columns, int count,      \
                                                              void*, int, void*, void*, int, int* out) {               \
    note_estimate_unless(rows == columns && rows == count && !k##letter.is_complex);                                   \
    return give_elements(out, ormqr_elements(size_of(rows), size_of(count)));                                          \
  }
#define EVJ(letter, name)                                                                                              \
  MEMVIZ_EXPORT int cusolverDn##letter##name##_bufferSize(Handle, int, int, int size, void*, int, void*, int* out,     \
                                                          Handle) {                                                    \
    note_estimate_unless(!k##letter.is_complex);                                                                       \
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

MEMVIZ_EXPORT int cusolverDnXpotrf_bufferSize(Handle, Handle, int, std::int64_t size, int, void*, std::int64_t, int,
                                              std::size_t* device, std::size_t* host) {
  return give_bytes(device, host, potrf_bytes(size_of(size)));
}
MEMVIZ_EXPORT int cusolverDnXgeqrf_bufferSize(Handle, Handle, std::int64_t, std::int64_t columns, int type, void*,
                                              std::int64_t, int, void*, int, std::size_t* device, std::size_t* host) {
  return give_bytes(device, host, geqrf_bytes(size_of(columns), number_type(type).bytes));
}
MEMVIZ_EXPORT int cusolverDnXsyevd_bufferSize(Handle, Handle, int, int, std::int64_t size, int type, void*,
                                              std::int64_t, int, void*, int, std::size_t* device, std::size_t* host) {
  return give_bytes(device, host, syevd_bytes(size_of(size), number_type(type).bytes));
}
MEMVIZ_EXPORT int cusolverDnXsyevBatched_bufferSize(Handle, Handle, int, int, std::int64_t size, int type, void*,
                                                    std::int64_t, int, void*, int, std::size_t* device,
                                                    std::size_t* host, std::int64_t count) {
  return give_bytes(device, host, syev_batched_bytes(size_of(size), size_of(count), number_type(type).bytes));
}
MEMVIZ_EXPORT int cusolverDnXgeev_bufferSize(Handle, Handle, int, int, std::int64_t size, int type, void*, std::int64_t,
                                             int, void*, int, void*, std::int64_t, int, void*, std::int64_t, int,
                                             std::size_t* device, std::size_t* host) {
  return give_bytes(device, host, geev_bytes(size_of(size), number_type(type)));
}
