// cuDNN: descriptors and plans. Attention and recurrent networks (cudnn_rnn.cpp) request the memory that they were
// measured to request. Convolutions request no workspace: which algorithm cuDNN's heuristics would choose on the GPU is
// unknown.
#include "machine.hpp"
#include "real_library.hpp"
#include "stubs.hpp"

#include <algorithm>
#include <cstring>
#include <map>

using namespace memviz::rehearsal;

namespace {

// The version if no cuDNN is in the process to ask: PyTorch refuses one older than it was compiled with, and 2.15 was
// compiled with 9.26.0.
constexpr std::size_t kVersion = 92600;
constexpr std::size_t kCudartVersion = 13000;
// PyTorch 2.15 requests engines of attention by number (heads of 256 on a B200), which must be below the count.
constexpr std::int64_t kEngines = 1000;

// cudnnBackendAttributeName_t, the attributes with made-up values
constexpr int kHeuristicResults = 202;
constexpr int kConfigWorkspace = 303;
constexpr int kPlanWorkspace = 402;
// Types of descriptors: a convolution forward, and backward to its weight and to its input.
constexpr int kFirstConvolution = 10;
constexpr int kLastConvolution = 12;
// Types of the operations that attention consists of, by cuDNN's version.
constexpr int kMatmul = 19;
constexpr int kAttentionForward = 41;
constexpr int kAttentionBackward = 43;
constexpr int kPlanText = 405;
constexpr int kEngineCount = 802;
constexpr int kEngineIndex = 1301;

// cudnnBackendAttributeType_t
constexpr int kHandle = 0;
constexpr int kPointer = 6;
constexpr int kDescriptor = 15;

struct Attribute {
  std::int64_t count = 0;
  std::vector<char> bytes;
};

struct Descriptor {
  int type = 0;
  bool is_attention = false; // it is, or refers to, an operation of attention
  std::map<int, Attribute> attributes;
};

// Bytes of an element, by cudnnBackendAttributeType_t: most are enumerations of 4 bytes.
std::size_t attribute_bytes(int type) {
  switch (type) {
  case kHandle:
  case 3: // int64
  case 5: // double
  case kPointer:
  case kDescriptor: return 8;
  case 2:  // bool
  case 24: // char
    return 1;
  case 26: // fraction: two int64
    return 16;
  default: return 4;
  }
}

int give_number(std::int64_t value, std::int64_t requested, std::int64_t* count, void* out) {
  if (count) *count = 1;
  if (requested > 0 && out) std::memcpy(out, &value, sizeof value);
  return 0;
}

int give_text(const char* text, std::int64_t requested, std::int64_t* count, void* out) {
  const auto length = static_cast<std::int64_t>(std::strlen(text)) + 1;
  if (count) *count = length;
  if (requested >= length && out) std::memcpy(out, text, static_cast<std::size_t>(length));
  return 0;
}

// The descriptors that an attribute refers to may be destroyed before the one that has it, so what is needed of them is
// copied from each to the next: operation, graph, engine or heuristic, configuration, plan.
void refer_to(Descriptor& descriptor, const void* elements, std::int64_t count) {
  const auto* const others = static_cast<const Descriptor* const*>(elements);
  descriptor.is_attention = descriptor.is_attention || std::any_of(others, others + count, [](const Descriptor* other) {
                              return other && other->is_attention;
                            });
}

// Returns the workspace of a plan besides what cudnn-frontend, PyTorch's part of cuDNN, adds to it. On an H100
// attention always requests 256 bytes (cuDNN 9.19); other GPUs were not measured.
std::int64_t plan_workspace_bytes(const Descriptor& plan) {
  const Locked machine;
  const Profile& profile = machine->settings.profile;
  return plan.is_attention && profile.capability_major == 9 && profile.capability_minor == 0 ? 256 : 0;
}

// Returns what the program set itself, and zeros for the rest. Descriptors belong to the program and are not changed.
int give_stored(const Descriptor& descriptor, int name, int type, std::int64_t requested, std::int64_t* count,
                void* out) {
  const auto stored = descriptor.attributes.find(name);
  const std::int64_t stored_count = stored == descriptor.attributes.end() ? 0 : stored->second.count;
  if (count) *count = stored_count;
  const bool is_number = type != kHandle && type != kPointer && type != kDescriptor;
  if (!out || requested <= 0 || !is_number) return 0;
  std::memset(out, 0, attribute_bytes(type));
  const std::size_t given = static_cast<std::size_t>(std::min(requested, stored_count)) * attribute_bytes(type);
  if (given > 0) std::memcpy(out, stored->second.bytes.data(), given);
  return 0;
}

} // namespace

MEMVIZ_EXPORT std::size_t cudnnGetVersion() {
  const auto real = real_function<std::size_t (*)()>("libcudnn.so", "cudnnGetVersion");
  return real ? real() : kVersion;
}

MEMVIZ_EXPORT std::size_t cudnnGetCudartVersion() {
  const auto real = real_function<std::size_t (*)()>("libcudnn.so", "cudnnGetCudartVersion");
  return real ? real() : kCudartVersion;
}

// libraryPropertyType: 0 major, 1 minor, 2 patch
MEMVIZ_EXPORT int cudnnGetProperty(int property, int* value) {
  const auto version = static_cast<int>(cudnnGetVersion());
  *value = property == 0 ? version / 10000 : property == 1 ? version / 100 % 100 : version % 100;
  return 0;
}

MEMVIZ_EXPORT const char* cudnnGetErrorString(int status) {
  return status == 0 ? "CUDNN_STATUS_SUCCESS" : "a cuDNN error in a rehearsal by memviz";
}

MEMVIZ_EXPORT void cudnnGetLastErrorString(char* text, std::size_t bytes) {
  if (text && bytes > 0) text[0] = 0;
}

MEMVIZ_EXPORT int cudnnCreate(Handle* handle) {
  driver_call([](Machine& machine) {
    note(machine, "cuDNN: the workspaces of convolutions and normalizations are unknown, and counted as 0 bytes");
    return Error::success;
  });
  return create_object(handle);
}

MEMVIZ_EXPORT int cudnnGetStream(Handle handle, Handle* stream) {
  *stream = static_cast<LibraryObject*>(handle)->stream;
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendCreateDescriptor(int type, Handle* out) {
  if (type >= kFirstConvolution && type <= kLastConvolution) ++Locked()->counts.convolutions;
  *out = new Descriptor{type, type == kMatmul || type == kAttentionForward || type == kAttentionBackward, {}};
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendDestroyDescriptor(Handle descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendFinalize(Handle) {
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendSetAttribute(Handle handle, int name, int type, std::int64_t count,
                                           const void* elements) {
  const auto* const begin = static_cast<const char*>(elements);
  const std::size_t bytes = elements ? static_cast<std::size_t>(count) * attribute_bytes(type) : 0;
  auto& descriptor = *static_cast<Descriptor*>(handle);
  if (type == kDescriptor && elements) refer_to(descriptor, elements, count);
  descriptor.attributes[name] = {elements ? count : 0, std::vector<char>(begin, begin + bytes)};
  return 0;
}

// One engine for every graph of operations.
MEMVIZ_EXPORT int cudnnBackendGetAttribute(Handle handle, int name, int type, std::int64_t requested,
                                           std::int64_t* count, void* elements) {
  const auto& descriptor = *static_cast<const Descriptor*>(handle);
  switch (name) {
  case kHeuristicResults:
    if (count) *count = 1;
    if (requested > 0 && elements) refer_to(**static_cast<Descriptor**>(elements), &handle, 1);
    return 0;
  case kPlanWorkspace: return give_number(plan_workspace_bytes(descriptor), requested, count, elements);
  case kConfigWorkspace:
  case kEngineIndex: return give_number(0, requested, count, elements);
  case kEngineCount: return give_number(kEngines, requested, count, elements);
  case kPlanText: return give_text("{}", requested, count, elements);
  default: return give_stored(descriptor, name, type, requested, count, elements);
  }
}

MEMVIZ_EXPORT int cudnnBackendExecute(Handle handle, Handle, Handle) {
  return launch_for(Library::cudnn, handle);
}
