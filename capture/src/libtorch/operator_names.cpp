#include "operator_names.hpp"

#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <unordered_set>

namespace memviz::capture {
namespace {

// Neither constructor nor destructor: tensors are freed by destructors of other thread-local objects, too.
constinit thread_local OperatorStack stack_of_thread{};

std::atomic<ScopeObserver> scope_observer = nullptr;
at::CallbackHandle callback_handle = at::INVALID_CALLBACK_HANDLE;

bool is_user_scope(const at::RecordFunction& function) {
  return function.scope() == at::RecordScope::USER_SCOPE;
}

void report_scope(const at::RecordFunction& function, const char* stage) {
  const char* name = function.name();
  if (const ScopeObserver observer = scope_observer; observer != nullptr && name != nullptr) observer(name, stage);
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
  if (is_user_scope(function)) {
    report_scope(function, "START");
    return nullptr;
  }
  OperatorStack& stack = stack_of_thread;
  const char* name = function.name();
  if (stack.depth == OperatorStack::kMaxDepth || name == nullptr) return nullptr;
  OperatorStack::Entry& entry = stack.entries[stack.depth++];
  entry.function = &function;
  entry.length = static_cast<std::uint8_t>(std::min(std::strlen(name), entry.characters.size()));
  std::memcpy(entry.characters.data(), name, entry.length);
  return nullptr;
}

void on_end(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
  if (is_user_scope(function)) return report_scope(function, "END");
  // Usually the innermost entry. One that began in another thread is not here; what an operator left above it goes too.
  OperatorStack& stack = stack_of_thread;
  for (std::size_t depth = stack.depth; depth > 0; --depth) {
    if (stack.entries[depth - 1].function != &function) continue;
    stack.depth = depth - 1;
    return;
  }
}

} // namespace

const OperatorStack& running_operators() {
  return stack_of_thread;
}

void watch_operators(bool operators, ScopeObserver observer) {
  stop_watching_operators();
  scope_observer = observer;
  std::unordered_set<at::RecordScope, std::hash<at::RecordScope>> scopes{at::RecordScope::USER_SCOPE};
  if (operators) scopes.insert({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION});
  callback_handle = at::addGlobalCallback(at::RecordFunctionCallback(on_start, on_end).scopes(scopes));
}

void stop_watching_operators() {
  scope_observer = nullptr;
  if (callback_handle == at::INVALID_CALLBACK_HANDLE) return;
  at::removeCallback(callback_handle);
  callback_handle = at::INVALID_CALLBACK_HANDLE;
}

} // namespace memviz::capture
