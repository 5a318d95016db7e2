#pragma once

// The account of every reserved byte, in JSON.

#include "base/json_object_schema.hpp"
#include "memviz/memory_ledger.hpp"

namespace memviz {

/// The form of a MemoryLedger, whose unknown parts follow the known ones.
struct LedgerForm {
  template <class Subject> void write(JsonWriter& json, const Subject& /*subject*/, const MemoryLedger& ledger) const {
    write_ledger(json, ledger);
  }
  void write_rules(SchemaWriter& writer, const ValueRule& rule) const;

private:
  static void write_ledger(JsonWriter& json, const MemoryLedger& ledger);
};
inline constexpr LedgerForm kLedger;

} // namespace memviz
