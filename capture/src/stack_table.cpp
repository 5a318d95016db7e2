#include "native_stack.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace memviz::capture {
namespace {

/// Finalizer of SplitMix64 over the addresses, so that stacks which differ in one frame fall apart.
std::uint64_t hash_of(std::span<void* const> addresses) {
  std::uint64_t hash = addresses.size();
  for (const void* address : addresses) {
    hash += 0x9E3779B97F4A7C15U + reinterpret_cast<std::uintptr_t>(address);
    hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
    hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
    hash ^= hash >> 31U;
  }
  return hash;
}

/// Frames of the recorder itself, which stand innermost in every stack.
bool is_recorder(const FrameData& frame) {
  return frame.name.find("torch::unwind::") != std::string::npos ||
         frame.name.find("memviz::capture::") != std::string::npos;
}

/// Gives equal frames one index: two addresses of one line are one frame.
class FrameTable {
public:
  explicit FrameTable(std::vector<FrameData>& frames) : frames_(frames) {}
  std::uint32_t add(const FrameData& frame) {
    const auto [place, is_new] = indices_.try_emplace(std::tuple(frame.name, frame.filename, frame.line),
                                                      static_cast<std::uint32_t>(frames_.size()));
    if (is_new) frames_.push_back(frame);
    return place->second;
  }

private:
  std::vector<FrameData>& frames_;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::uint32_t> indices_;
};

} // namespace

StackIndex StackTable::add(std::span<void* const> addresses) {
  const std::uint64_t hash = hash_of(addresses);
  const auto [first, last] = index_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const auto other = (*this)[known->second];
    if (std::equal(addresses.begin(), addresses.end(), other.begin(), other.end())) return known->second;
  }
  const auto stack = static_cast<StackIndex>(begins_.size());
  begins_.push_back(addresses_.size());
  addresses_.insert(addresses_.end(), addresses.begin(), addresses.end());
  index_.emplace(hash, stack);
  return stack;
}

std::size_t StackTable::bytes() const {
  // A node of the hash table: the next node, the key and the value.
  constexpr std::size_t node_bytes = sizeof(void*) + sizeof(decltype(index_)::value_type);
  return addresses_.capacity() * sizeof(void*) + begins_.capacity() * sizeof(std::size_t) + index_.size() * node_bytes +
         index_.bucket_count() * sizeof(void*);
}

std::span<void* const> StackTable::operator[](StackIndex index) const {
  const std::size_t begin = begins_.at(index);
  const std::size_t end = index + std::size_t{1} < begins_.size() ? begins_[index + std::size_t{1}] : addresses_.size();
  return std::span(addresses_).subspan(begin, end - begin);
}

StackIndex add_native_stacks(const StackTable& table, SnapshotData& snapshot, const Symbolizer& symbolizer) {
  std::unordered_map<void*, std::size_t> indices;
  std::vector<void*> distinct;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (void* address : table[static_cast<StackIndex>(i)]) {
      if (indices.try_emplace(address, distinct.size()).second) distinct.push_back(address);
    }
  }

  FrameTable frame_table(snapshot.frames);
  std::vector<std::uint32_t> frames;
  std::vector<bool> is_recorders;
  for (const FrameData& frame : symbolizer(distinct)) {
    frames.push_back(frame_table.add(frame));
    is_recorders.push_back(is_recorder(frame));
  }

  const auto first = static_cast<StackIndex>(snapshot.stacks.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::vector<std::uint32_t>& stack = snapshot.stacks.emplace_back();
    for (void* address : table[static_cast<StackIndex>(i)]) {
      const std::size_t index = indices.at(address);
      if (stack.empty() && is_recorders[index]) continue;
      stack.push_back(frames[index]);
    }
  }
  return first;
}

} // namespace memviz::capture
