#include "stack_context.hpp"

#include "native_stack.hpp"

#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace memviz::capture {
namespace {

std::atomic<bool> wants_native = false;
std::atomic<bool> wants_python = false;

/// LibTorch's traceback asks the interpreter; without one it would only cost time.
bool is_python_running() {
  void* const symbol = ::dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  return symbol != nullptr && reinterpret_cast<int (*)()>(symbol)() != 0;
}

/// Distinct native stacks, each with one context; those that the allocator holds no more are dropped when space is
/// short.
class SharedContexts {
public:
  std::shared_ptr<StackContext> find_or_add(NativeStack&& addresses) {
    const std::lock_guard lock(mutex_);
    if (const auto known = contexts_.find(addresses); known != contexts_.end()) return *known;
    const std::size_t bytes = bytes_of(addresses);
    if (bytes_ + bytes > max_bytes_) drop_unused();
    if (bytes_ + bytes > max_bytes_) {
      ++left_out_;
      return nullptr;
    }
    auto context = std::make_shared<StackContext>();
    context->native = std::make_shared<const NativeStack>(std::move(addresses));
    contexts_.insert(context);
    bytes_ += bytes;
    return context;
  }

  void reset(std::size_t max_bytes) {
    const std::lock_guard lock(mutex_);
    contexts_.clear();
    bytes_ = 0;
    max_bytes_ = max_bytes;
    misses_to_wait_ = 0;
    left_out_ = 0;
  }

  std::uint64_t left_out() {
    const std::lock_guard lock(mutex_);
    return left_out_;
  }

private:
  using Pointer = std::shared_ptr<StackContext>;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const NativeStack& stack) const {
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(stack.data()), stack.size() * sizeof(void*)});
    }
    std::size_t operator()(const Pointer& context) const { return (*this)(*context->native); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Pointer& left, const Pointer& right) const { return *left->native == *right->native; }
    bool operator()(const NativeStack& left, const Pointer& right) const { return left == *right->native; }
    bool operator()(const Pointer& left, const NativeStack& right) const { return *left->native == right; }
  };

  /// The two objects with their counts, a node of the table, and the addresses.
  static std::size_t bytes_of(const NativeStack& stack) {
    return sizeof(StackContext) + sizeof(NativeStack) + 96 + stack.size() * sizeof(void*);
  }

  /// Slow, so not at every stack that finds no place.
  void drop_unused() {
    if (misses_to_wait_ > 0 && --misses_to_wait_ > 0) return;
    for (auto context = contexts_.begin(); context != contexts_.end();) {
      // Beside Python's frames the allocator holds the addresses in a context that is not shared.
      if (context->use_count() > 1 || (*context)->native.use_count() > 1) {
        ++context;
        continue;
      }
      bytes_ -= bytes_of(*(*context)->native);
      context = contexts_.erase(context);
    }
    misses_to_wait_ = kMissesBetweenDrops;
  }

  static constexpr std::size_t kMissesBetweenDrops = 1024;

  std::mutex mutex_;
  std::unordered_set<Pointer, Hash, Equal> contexts_;
  std::size_t bytes_ = 0;
  std::size_t max_bytes_ = 0;
  std::size_t misses_to_wait_ = 0;
  std::uint64_t left_out_ = 0;
};

/// Never destroyed: the allocator may outlive static variables.
SharedContexts& shared_contexts() {
  static auto* const instance = new SharedContexts;
  return *instance;
}

std::shared_ptr<StackContext> native_context() {
  return wants_native ? shared_contexts().find_or_add(gather_native_stack()) : nullptr;
}

} // namespace

void start_gathering(bool native, std::size_t max_bytes) {
  shared_contexts().reset(max_bytes);
  wants_python = is_python_running();
  wants_native = native;
}

void stop_gathering() {
  wants_native = false;
  wants_python = false;
  shared_contexts().reset(0);
}

bool has_python() {
  return wants_python;
}

std::uint64_t stacks_left_out() {
  return shared_contexts().left_out();
}

std::shared_ptr<c10::GatheredContext> gather_context() try {
  std::shared_ptr<StackContext> native = native_context();
  if (!wants_python) return native;
  auto context =
      std::make_shared<StackContext>(torch::CapturedTraceback::gather(/*python=*/true, /*script=*/true, /*cpp=*/false));
  if (native != nullptr) context->native = native->native;
  return context;
} catch (...) {
  return nullptr; // into the allocator nothing may be thrown: the event has no stack
}

} // namespace memviz::capture
