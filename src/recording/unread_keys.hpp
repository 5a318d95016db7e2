#pragma once

// Keys that memviz does not read: newer writers have more of them, and they may contain memory.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "recording/keys.hpp"
#include "value/document.hpp"
#include "value/fields.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace memviz {

/// Names the first ones in the recording.
class UnreadKeys {
public:
  UnreadKeys(const Document& document, FrameReader& texts, Recording& recording)
      : document_(document), texts_(texts), recording_(recording) {}

  /// Adds the keys of the whole snapshot, in file order.
  void add_keys_of_root(Budget& budget);
  /// Adds the keys of the dicts that `fields` has read and `keys` does not list, sorted, as "PLACE.KEY".
  template <std::size_t Read, std::size_t Redundant>
  void add_others(std::string_view place, const FieldReader<Read>& fields, const Keys<Read, Redundant>& keys) {
    std::set<std::string> names;
    std::size_t count = 0;
    fields.for_each_other([&](Value key) {
      const std::string_view word = key.kind() == Kind::text ? document_.text(key) : "";
      if (std::ranges::find(keys.redundant, word) != keys.redundant.end()) return;
      ++count;
      keep_first(names, name_of(key));
    });
    add_sorted(place, names, count);
  }
  /// Warns about those that could contain memory.
  void warn() const;

private:
  [[nodiscard]] std::string name_of(Value key) const;
  static void keep_first(std::set<std::string>& names, std::string name);
  void add_sorted(std::string_view place, const std::set<std::string>& names, std::size_t count);

  const Document& document_;
  FrameReader& texts_;
  Recording& recording_;
};

} // namespace memviz
