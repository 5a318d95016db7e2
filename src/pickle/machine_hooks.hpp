#pragma once

// Hooks of the machine for code that takes over a part of what it makes while it decodes, and leaves stand-ins
// (Kind::record and those after it) instead. Without hooks everything is kept.

#include "value/document.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz::pickle {

class Cursor;
class Memo;
class Progress;

/// The parts of a machine, for hooks to read and change. Valid as long as the machine.
struct MachineState {
  const std::uint64_t& opcode_offset; ///< of the opcode that runs
  Cursor& cursor;
  Document& document;
  Memo& memo;
  std::vector<Value>& stack;
  std::vector<std::size_t>& marks; ///< stack sizes
  Progress& progress;
};

/// The hooks. An exception of theirs ends the decoding.
class MachineHooks {
public:
  virtual ~MachineHooks() = default;

  virtual void after_empty_list() = 0;
  virtual void after_mark() = 0;
  /// After an opcode that may have finished a dict: SETITEMS, one that puts something into the memo, a FRAME. The two
  /// commonest are not among them: MEMOIZE, which is as frequent as values are, and SETITEM.
  virtual void after_dict() = 0;
  /// APPENDS or APPEND to a Kind::record_list.
  virtual void append(Value list, std::span<const Value> items) = 0;
  /// The memo is about to give away a stand-in.
  virtual void check_fetched(Value stand_in) = 0;
  /// A container that is frozen, or one that a stand-in stands for, was to be changed; nothing was done. Must throw.
  virtual void refuse_change() = 0;
};

} // namespace memviz::pickle
