#pragma once

// Values -> opcodes at the end of a pickle that another program wrote, without numbers of its memo.

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::capture {

/// Appends a text, BINUNICODE; bytes that are not UTF-8 become U+FFFD.
void append_text(std::string_view text, std::string& pickle);
/// Appends an integer, LONG1 of nine bytes, the highest of which is the sign.
void append_natural(std::uint64_t number, std::string& pickle);

/// Appends one key to the dict that `pickle` holds; the function appends the key's value. Its protocol is at least 2.
template <class AppendValue> void add_key(std::string_view key, std::string& pickle, const AppendValue& append_value) {
  pickle.pop_back(); // STOP: the unpickler's stack contains the dict here
  append_text(key, pickle);
  append_value(pickle);
  pickle += "s."; // SETITEM, STOP
}

} // namespace memviz::capture
