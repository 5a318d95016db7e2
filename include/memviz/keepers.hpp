#pragma once

// `memviz_keepers` of a snapshot: the part of the Python heap from which GPU memory can be reached, as flat tables. A
// keeper is an object that refers to memory; references lead from roots (locals of running functions, globals) over
// objects to tensors, and through autograd's graphs. They were read when the file was written: at its end.

#include "memviz/device_id.hpp"
#include "memviz/frames.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {

/// The index of an object in KeeperGraph::objects.
struct KeeperId {
  std::uint32_t value = 0;
  friend auto operator<=>(const KeeperId&, const KeeperId&) = default;
};

enum class KeeperKind : std::uint8_t {
  frame,   ///< a running function
  globals, ///< the variables of a module
  dict,
  list,
  tuple,
  set,
  deque,
  instance, ///< an object of any other class
  module,   ///< a torch.nn.Module
  parameter,
  tensor,
  optimizer, ///< a torch.optim.Optimizer
  exception,
  traceback, ///< a function that no longer runs, kept by the traceback of an exception
  closure,   ///< a variable that an inner function uses
  function,
  method,
  generator, ///< also a coroutine
  class_object,
  autograd, ///< a node of autograd's graph
  object,   ///< unknown to this version of memviz
};

/// The way in which an object refers to another.
enum class ReferenceKind : std::uint8_t {
  local,
  argument, ///< of a function that does not set it: mostly a variable of its caller as well
  global,
  attribute,
  slot,      ///< an attribute by `__slots__`
  parameter, ///< of a module
  buffer,    ///< of a module
  key,
  other_key, ///< a key of a dict that is not a text
  index,
  item, ///< of a set
  closure,
  default_value, ///< of a parameter of a function
  self,          ///< of a method
  grad,
  base,    ///< the tensor of which a tensor is a view
  grad_fn, ///< from a tensor to autograd's graph
  next,    ///< within autograd's graph
  saved,   ///< by autograd, for the backward pass
  context, ///< of an exception
  cause,
  traceback,
  refers, ///< unknown how
};

enum class KeeperRoot : std::uint8_t {
  local,     ///< a running function
  main,      ///< the globals of `__main__`
  exception, ///< an exception that is handled
  global,    ///< the globals of another module
  cycle,     ///< unreachable, but referred to: waits for the garbage collector
  temporary, ///< unreachable, and nothing refers to it: on the interpreter's stack, or held by C++
};

struct KeeperObject {
  KeeperKind kind = KeeperKind::object;
  /// Class of an instance, function of a frame, module of globals, operation of a node of autograd; "" for containers.
  StringId name;
  StringId file;          ///< of code; "" for other objects
  std::uint32_t line = 0; ///< of code that runs or ran; 0 if there is none
  /// The number of items of a container; absent for other objects.
  std::optional<std::uint32_t> items;
  /// The number of tensors that a node of autograd saves and that only a hook could show.
  std::uint32_t hidden_tensors = 0;
  friend bool operator==(const KeeperObject&, const KeeperObject&) = default;
};

struct KeeperReference {
  KeeperId from;
  KeeperId to;
  ReferenceKind how = ReferenceKind::refers;
  StringId label;          ///< the name of a variable, attribute or key; "" if there is none
  std::uint32_t index = 0; ///< of ReferenceKind::index
  friend bool operator==(const KeeperReference&, const KeeperReference&) = default;
};

struct RootObject {
  KeeperRoot kind = KeeperRoot::global;
  KeeperId object;
  friend bool operator==(const RootObject&, const RootObject&) = default;
};

/// The memory of a tensor, or of a tensor that a node of autograd saves.
struct KeptStorage {
  KeeperId object;
  DeviceId device;
  std::uint64_t address = 0; ///< within a block
  std::uint64_t size_bytes = 0;
  friend bool operator==(const KeptStorage&, const KeptStorage&) = default;
};

/// The relation of a line of code to a variable.
enum class CodeRelation : std::uint8_t {
  sets,
  uses,
  would_set, ///< a line that runs, and would set the variable once it ends, which may not exist yet
};

/// A line that sets a variable of a root, or uses it: the line to change. For `would_set` the root is a running
/// function whose value goes to the variable; the line may be that of a function that called it.
struct CodePlace {
  KeeperId root;     ///< the running function or the module that has the variable
  StringId variable; ///< its name
  CodeRelation how = CodeRelation::sets;
  StringId function;
  StringId file;
  std::uint32_t line = 0;
  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

/// The limit that ended the walk over the heap.
enum class KeeperLimit : std::uint8_t { none, time, nodes, objects, depth, unknown };

/// All ids are valid.
struct KeeperGraph {
  bool is_recorded = false; ///< whether the file has the key
  KeeperLimit limit = KeeperLimit::none;
  std::uint64_t walked_objects = 0;
  std::uint64_t walk_ms = 0;
  std::uint64_t unreadable_objects = 0;
  std::vector<KeeperObject> objects;
  std::vector<KeeperReference> references;
  std::vector<RootObject> roots; ///< in the order of the walk: innermost functions first
  std::vector<KeptStorage> storages;
  std::vector<CodePlace> places;
  friend bool operator==(const KeeperGraph&, const KeeperGraph&) = default;
};

/// Returns the word for it in the file: "frame", "class", ...
[[nodiscard]] std::string_view keeper_word(KeeperKind kind);
[[nodiscard]] std::string_view keeper_word(ReferenceKind how);
[[nodiscard]] std::string_view keeper_word(KeeperRoot root);
[[nodiscard]] std::string_view keeper_word(CodeRelation how);
/// Returns "" for KeeperLimit::none.
[[nodiscard]] std::string_view keeper_word(KeeperLimit limit);

} // namespace memviz
