// NCCL: communicators of any size that come to be at once, and collectives that are done when they are called. Ranks do
// not meet: each process takes what it sends for what it receives, which is right for what all ranks say alike (DDP's
// numbers of parameters) and unknown, zeros, for sums. What real communicators take of device memory is not counted.
#include "machine.hpp"
#include "nccl_group.hpp"
#include "numbers.hpp"
#include "real_library.hpp"
#include "stubs.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unistd.h>

using namespace memviz::rehearsal;

namespace {

constexpr int kNcclInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr int kNcclVersion = 22907; // 2.29.7
constexpr int kNoColor = -1;

struct UniqueId {
  char bytes[128];
};

struct Communicator {
  int ranks;
  int rank;
  int device;
};

int make(Communicator** out, int ranks, int rank) {
  if (!out || ranks < 1 || rank < 0 || rank >= ranks) return kNcclInvalidArgument;
  return driver_call([&](Machine& machine) {
    // NVIDIA/nccl issues 864 and 1685: 1.6 to 6 GB outside of PyTorch, the context included
    note(machine, "NCCL: the device memory of communicators is not counted, which is 1 to 6 GB in public reports; "
                  "--outside SIZE takes as much as you give");
    touch(machine, current_device());
    *out = new Communicator{ranks, rank, current_device()};
    return Error::success;
  });
}

std::size_t nccl_element_bytes(int type) {
  constexpr std::size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < 12 ? kBytes[type] : 0;
}

// Runs a collective on `stream`: a node if it captures. `result`: what becomes known of the memory that it writes.
template <typename Result> int collective(Handle stream, Result result) {
  return driver_call([&](Machine& machine) {
    Stream* const found = machine.streams.find(stream, current_device());
    if (!found) return Error::invalid_handle;
    if (const Error error = machine.streams.add_node(*found, 0); error != Error::success) return error;
    if (!found->capture) result(machine.memory.writes());
    return Error::success;
  });
}

int copies(const void* from, void* to, std::size_t count, int type, int times, Handle stream) {
  const std::size_t bytes = count * nccl_element_bytes(type);
  return collective(stream, [&](RecentWrites& writes) {
    for (int slot = 0; slot < times; ++slot)
      if (const std::uint64_t target = number_of(to) + static_cast<std::uint64_t>(slot) * bytes;
          target != number_of(from))
        writes.copy(target, number_of(from), bytes);
  });
}

int forgets(void* to, std::size_t count, int type, Handle stream) {
  return collective(stream,
                    [&](RecentWrites& writes) { writes.forget(number_of(to), count * nccl_element_bytes(type)); });
}

int& ranks_of_splits() {
  thread_local int of_this_thread = 0;
  return of_this_thread;
}

NcclGroup& group() {
  thread_local NcclGroup of_this_thread;
  return of_this_thread;
}

int exchanges(const Exchange& exchange, Handle stream) {
  return collective(stream, [&](RecentWrites& writes) { group().add(exchange, writes); });
}

// A rank that is not the root may pass any buffer to send from, and PyTorch passes the one that it receives in.
int broadcasts(const void* from, void* to, std::size_t count, int type, int root, const Communicator* communicator,
               Handle stream) {
  const bool sends = communicator->rank == root || from != to;
  return exchanges({communicator, Exchange::kBroadcast, count * nccl_element_bytes(type), sends ? number_of(from) : 0,
                    number_of(to)},
                   stream);
}

} // namespace

MEMVIZ_EXPORT int ncclGetVersion(int* version) {
  const auto real = real_function<int (*)(int*)>("libnccl.so", "ncclGetVersion");
  if (real) return real(version);
  *version = kNcclVersion;
  return 0;
}

MEMVIZ_EXPORT const char* ncclGetErrorString(int error) {
  switch (error) {
  case 0: return "no error";
  case kNcclInvalidArgument: return "invalid argument";
  case kInvalidUsage: return "invalid usage";
  default: return "not made up yet, or failed, in a rehearsal by memviz";
  }
}
MEMVIZ_EXPORT const char* ncclGetLastError(Communicator*) {
  return "";
}

MEMVIZ_EXPORT int ncclGetUniqueId(UniqueId* id) {
  static std::atomic<unsigned> next{1};
  std::memset(id, 0, sizeof *id);
  const unsigned words[] = {static_cast<unsigned>(getpid()), next++};
  std::memcpy(id->bytes, words, sizeof words);
  return 0;
}

MEMVIZ_EXPORT int ncclCommInitRank(Communicator** out, int ranks, UniqueId, int rank) {
  return make(out, ranks, rank);
}
MEMVIZ_EXPORT int ncclCommInitRankConfig(Communicator** out, int ranks, UniqueId, int rank, void*) {
  return make(out, ranks, rank);
}
MEMVIZ_EXPORT int ncclCommInitRankScalable(Communicator** out, int ranks, int rank, int, UniqueId*, void*) {
  return make(out, ranks, rank);
}
MEMVIZ_EXPORT int ncclCommInitAll(Communicator** out, int devices, const int*) {
  for (int rank = 0; rank < devices; ++rank)
    if (const int error = make(&out[rank], devices, rank)) return error;
  return 0;
}

// If the number of ranks is unknown, all are assumed to have chosen this color, because absent ranks do what this one
// does. PyTorch passes the rank in the new group as the key.
MEMVIZ_EXPORT int ncclCommSplit(Communicator* of, int color, int key, Communicator** out, void*) {
  if (!of || !out) return kNcclInvalidArgument;
  *out = nullptr;
  if (color == kNoColor) return 0;
  const int ranks = ranks_of_splits();
  return ranks == 0 ? make(out, of->ranks, of->rank) : make(out, ranks, key);
}

// Sets the number of ranks in each communicator that this thread splits off from now on; 0 if unknown.
MEMVIZ_EXPORT void memviz_rehearsal_split_ranks(int ranks) {
  ranks_of_splits() = std::max(0, ranks);
}

MEMVIZ_EXPORT int ncclCommShrink(Communicator* of, int* excluded, int count, Communicator** out, void*, int) {
  if (!of || !out || count < 0 || count >= of->ranks) return kNcclInvalidArgument;
  int rank = of->rank;
  for (int index = 0; index < count; ++index)
    rank -= excluded[index] < of->rank;
  return make(out, of->ranks - count, rank);
}

MEMVIZ_EXPORT int ncclCommFinalize(Communicator*) {
  return 0;
}
MEMVIZ_EXPORT int ncclCommDestroy(Communicator* communicator) {
  delete communicator;
  return 0;
}
MEMVIZ_EXPORT int ncclCommAbort(Communicator* communicator) {
  delete communicator;
  return 0;
}
MEMVIZ_EXPORT int ncclCommGetAsyncError(Communicator*, int* error) {
  *error = 0;
  return 0;
}
MEMVIZ_EXPORT int ncclCommCount(const Communicator* communicator, int* ranks) {
  *ranks = communicator->ranks;
  return 0;
}
MEMVIZ_EXPORT int ncclCommUserRank(const Communicator* communicator, int* rank) {
  *rank = communicator->rank;
  return 0;
}
MEMVIZ_EXPORT int ncclCommCuDevice(const Communicator* communicator, int* device) {
  *device = communicator->device;
  return 0;
}

MEMVIZ_EXPORT int ncclGroupStart() {
  group().start();
  return 0;
}
MEMVIZ_EXPORT int ncclGroupEnd() {
  if (!group().is_open()) return kInvalidUsage;
  return driver_call([](Machine& machine) {
    group().end(machine.memory.writes());
    return Error::success;
  });
}

// Buffers that a program registers take no memory; only their handle is released.
MEMVIZ_EXPORT int ncclCommRegister(Communicator*, void* buffer, std::size_t, Handle* handle) {
  *handle = buffer;
  return 0;
}
MEMVIZ_EXPORT int ncclCommDeregister(Communicator*, Handle) {
  return 0;
}
MEMVIZ_EXPORT int ncclCommWindowRegister(Communicator*, void* buffer, std::size_t, Handle* window, int) {
  *window = buffer;
  return 0;
}
MEMVIZ_EXPORT int ncclCommWindowDeregister(Communicator*, Handle) {
  return 0;
}

MEMVIZ_EXPORT int ncclMemAlloc(void** out, std::size_t bytes) {
  return driver_call([&](Machine& machine) {
    // NCCL takes whole pages of the driver, however little is requested.
    return machine.memory.allocate(current_device(), round_up(bytes, kPageBytes), out);
  });
}
MEMVIZ_EXPORT int ncclMemFree(void* pointer) {
  return driver_call([&](Machine& machine) { return machine.memory.free(pointer); });
}

MEMVIZ_EXPORT int ncclRedOpCreatePreMulSum(int* operation, void*, int, int, Communicator*) {
  *operation = 5; // the first number after NCCL's own operations
  return 0;
}
MEMVIZ_EXPORT int ncclRedOpDestroy(int, Communicator*) {
  return 0;
}

MEMVIZ_EXPORT int ncclAllReduce(const void*, void* to, std::size_t count, int type, int, Communicator*, Handle stream) {
  return forgets(to, count, type, stream);
}
MEMVIZ_EXPORT int ncclReduce(const void*, void* to, std::size_t count, int type, int, int, Communicator*,
                             Handle stream) {
  return forgets(to, count, type, stream);
}
MEMVIZ_EXPORT int ncclReduceScatter(const void*, void* to, std::size_t count, int type, int, Communicator*,
                                    Handle stream) {
  return forgets(to, count, type, stream);
}
MEMVIZ_EXPORT int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root,
                                Communicator* communicator, Handle stream) {
  return broadcasts(from, to, count, type, root, communicator, stream);
}
MEMVIZ_EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int root, Communicator* communicator,
                            Handle stream) {
  return broadcasts(buffer, buffer, count, type, root, communicator, stream);
}
MEMVIZ_EXPORT int ncclAllGather(const void* from, void* to, std::size_t count, int type, Communicator* communicator,
                                Handle stream) {
  return copies(from, to, count, type, communicator->ranks, stream);
}
MEMVIZ_EXPORT int ncclGather(const void* from, void* to, std::size_t count, int type, int root,
                             Communicator* communicator, Handle stream) {
  return copies(from, to, count, type, communicator->rank == root ? communicator->ranks : 0, stream);
}
MEMVIZ_EXPORT int ncclAlltoAll(const void* from, void* to, std::size_t count, int type, Communicator* communicator,
                               Handle stream) {
  return copies(from, to, count * static_cast<std::size_t>(communicator->ranks), type, 1, stream);
}
MEMVIZ_EXPORT int ncclSend(const void* from, std::size_t count, int type, int peer, Communicator* communicator,
                           Handle stream) {
  return exchanges({communicator, peer, count * nccl_element_bytes(type), number_of(from), 0}, stream);
}
MEMVIZ_EXPORT int ncclRecv(void* to, std::size_t count, int type, int peer, Communicator* communicator, Handle stream) {
  return exchanges({communicator, peer, count * nccl_element_bytes(type), 0, number_of(to)}, stream);
}
