#include "call_stack.hpp"

#include <algorithm>
#include <unwind.h>

namespace memviz::inject {

namespace {

struct Walk {
  void** next;
  void** end;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const _Unwind_Ptr address = _Unwind_GetIP(context);
  if (address == 0 || walk->next == walk->end) return _URC_END_OF_STACK;
  *walk->next++ = reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr): an address is what it is
  return _URC_NO_REASON;
}

} // namespace

// The array is left uninitialised: only size_ entries are written, and zeroing it would cost as much as a shallow walk.
CallStack::CallStack(std::size_t depth) { // NOLINT(cppcoreguidelines-pro-type-member-init)
  if (depth == 0) return;
  Walk walk{addresses_.data(), addresses_.data() + std::min(depth, addresses_.size())};
  _Unwind_Backtrace(visit, &walk);
  size_ = static_cast<std::size_t>(walk.next - addresses_.data());
}

} // namespace memviz::inject
