// cuDNN: descriptors and plans. Attention, recurrent networks (cudnn_rnn.cpp) and batch normalization
// (cudnn_tensor.cpp) request the memory that they were measured to request; convolutions, only a part of it
// (convolution_space.hpp), because which algorithm cuDNN's heuristics would choose on the GPU is unknown.
#include "convolution_space.hpp"
#include "cudnn_tensor.hpp"
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
constexpr int kFilterStrides = 103;
constexpr int kTensorType = 901;
constexpr int kTensorDimensions = 902;
constexpr int kTensorStrides = 903;
constexpr int kPlanText = 405;
constexpr int kEngineCount = 802;
constexpr int kEngineIndex = 1301;

// cudnnBackendAttributeType_t
constexpr int kHandle = 0;
constexpr int kPointer = 6;
constexpr int kDescriptor = 15;

struct ConvolutionAttributes {
  ConvolutionPass pass;
  int form, weight, input, output;
};

constexpr ConvolutionAttributes kConvolutionAttributes[] = {
    {ConvolutionPass::forward, 702, 703, 704, 705},
    {ConvolutionPass::weight_gradient, 714, 715, 716, 717},
    {ConvolutionPass::input_gradient, 708, 709, 710, 711},
};

struct Attribute {
  std::int64_t count = 0;
  std::vector<char> bytes;
};

struct Descriptor {
  int type = 0;
  std::int64_t workspace_bytes = 0; // of the operations that it is or refers to
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
  for (std::int64_t index = 0; index < count; ++index)
    if (others[index])
      descriptor.workspace_bytes = std::max(descriptor.workspace_bytes, others[index]->workspace_bytes);
}

const Descriptor* referred(const Descriptor& descriptor, int name) {
  const auto found = descriptor.attributes.find(name);
  if (found == descriptor.attributes.end() || found->second.count != 1) return nullptr;
  const Descriptor* other = nullptr;
  std::memcpy(&other, found->second.bytes.data(), sizeof other);
  return other;
}

std::vector<std::int64_t> numbers(const Descriptor& descriptor, int name) {
  const auto found = descriptor.attributes.find(name);
  if (found == descriptor.attributes.end()) return {};
  std::vector<std::int64_t> list(found->second.bytes.size() / sizeof(std::int64_t));
  std::memcpy(list.data(), found->second.bytes.data(), list.size() * sizeof(std::int64_t));
  return list;
}

std::uint64_t element_bytes_of(const Descriptor& tensor) {
  const auto found = tensor.attributes.find(kTensorType);
  int type = -1;
  if (found != tensor.attributes.end() && found->second.count == 1)
    std::memcpy(&type, found->second.bytes.data(), sizeof type);
  return type == kCudnnFloat ? 4 : is_16_bit(type) ? 2 : 0;
}

// An operation of a convolution is complete: its tensors exist until then.
std::int64_t operation_workspace_bytes(const Descriptor& operation) {
  const int pass = operation.type - kFirstConvolution;
  const ConvolutionAttributes& names = kConvolutionAttributes[pass];
  const Descriptor* const form = referred(operation, names.form);
  const Descriptor* const input = referred(operation, names.input);
  const Descriptor* const weight = referred(operation, names.weight);
  const Descriptor* const output = referred(operation, names.output);
  if (!form || !input || !weight || !output) return 0;
  const auto tensor = [](const Descriptor& of) {
    return ConvolutionTensor{numbers(of, kTensorDimensions), numbers(of, kTensorStrides)};
  };
  const std::vector<std::int64_t> strides = numbers(*form, kFilterStrides);
  const bool has_strides = std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride > 1; });
  return static_cast<std::int64_t>(convolution_workspace_bytes(
      {names.pass, tensor(*input), tensor(*weight), tensor(*output), element_bytes_of(*input), has_strides}));
}

// Returns the workspace of attention besides what cudnn-frontend, PyTorch's part of cuDNN, adds to it. On an H100 it is
// always 256 bytes (cuDNN 9.19); other GPUs were not measured.
std::int64_t attention_workspace_bytes() {
  const Locked machine;
  const Profile& profile = machine->settings.profile;
  return profile.capability_major == 9 && profile.capability_minor == 0 ? 256 : 0;
}

bool is_convolution(int type) {
  return type >= kFirstConvolution && type <= kLastConvolution;
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
  return create_object(handle);
}

MEMVIZ_EXPORT int cudnnGetStream(Handle handle, Handle* stream) {
  *stream = static_cast<LibraryObject*>(handle)->stream;
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendCreateDescriptor(int type, Handle* out) {
  if (is_convolution(type)) ++Locked()->counts.convolutions;
  const bool is_attention = type == kMatmul || type == kAttentionForward || type == kAttentionBackward;
  *out = new Descriptor{type, is_attention ? attention_workspace_bytes() : 0, {}};
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendDestroyDescriptor(Handle descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return 0;
}

MEMVIZ_EXPORT int cudnnBackendFinalize(Handle handle) {
  auto& descriptor = *static_cast<Descriptor*>(handle);
  if (is_convolution(descriptor.type)) descriptor.workspace_bytes = operation_workspace_bytes(descriptor);
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

// One engine for every graph of operations, in up to two configurations: that which was measured, and one without
// workspace, to which PyTorch falls back if the memory for the first is not there.
MEMVIZ_EXPORT int cudnnBackendGetAttribute(Handle handle, int name, int type, std::int64_t requested,
                                           std::int64_t* count, void* elements) {
  const auto& descriptor = *static_cast<const Descriptor*>(handle);
  switch (name) {
  case kHeuristicResults:
    if (count) *count = descriptor.workspace_bytes > 0 && requested != 1 ? 2 : 1;
    if (requested > 0 && elements) refer_to(**static_cast<Descriptor**>(elements), &handle, 1);
    return 0;
  case kPlanWorkspace:
    if (descriptor.workspace_bytes > 0)
      Locked()->optional_workspaces.insert(static_cast<std::uint64_t>(descriptor.workspace_bytes));
    return give_number(descriptor.workspace_bytes, requested, count, elements);
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
