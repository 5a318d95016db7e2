#pragma once

// Hooks of the machine for code that takes over some of the values that it makes while it decodes, and leaves stand-ins
// (Kind::record and those after it). Without hooks all values are kept.

#include "value/document.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz::pickle {

class Cursor;
class Memo;
class Progress;

/// The parts of a machine that hooks may read and change. Valid as long as the machine.
struct MachineState {
  const std::uint64_t& opcode_offset; ///< of the current opcode
  Cursor& cursor;
  Document& document;
  Memo& memo;
  std::vector<Value>& stack;
  std::vector<std::size_t>& marks; ///< stack sizes
  Progress& progress;
};

/// The hooks. An exception from one of them ends the decoding.
class MachineHooks {
public:
  virtual ~MachineHooks() = default;

  virtual void after_empty_list() = 0;
  virtual void after_mark() = 0;
  /// Called after an opcode that may have finished a dict: SETITEMS, one that adds to the memo, a FRAME. The two most
  /// frequent are excluded: MEMOIZE, which is as frequent as values are, and SETITEM.
  virtual void after_dict() = 0;
  /// Called for APPENDS or APPEND to a Kind::record_list.
  virtual void append(Value list, std::span<const Value> items) = 0;
  /// Called before the memo returns a stand-in.
  virtual void check_fetched(Value stand_in) = 0;
  /// Called instead of a change to a container that is frozen, or that a stand-in represents. Must throw.
  virtual void refuse_change() = 0;
};

} // namespace memviz::pickle
