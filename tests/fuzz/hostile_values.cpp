#include "../support/zip_builder.hpp"
#include "hostile_shapes.hpp"
#include "pickle_pieces.hpp"

namespace memviz::fuzz {
namespace {

/// Returns protocol 4, a MARK, `piece` as often as it fits, and a list of all of it.
std::string repeated(std::size_t bytes, std::string_view piece) {
  std::string file = std::string(kProtocol4) + "(";
  while (file.size() < bytes)
    file += piece;
  return file + "l.";
}

/// Returns the same with different pieces: `piece` gets their number.
template <class Piece> std::string numbered(std::size_t bytes, Piece piece) {
  std::string file = std::string(kProtocol4) + "(";
  for (std::uint64_t number = 0; file.size() < bytes; ++number)
    file += piece(number);
  return file + "l.";
}

std::string nested_lists(std::size_t bytes) {
  return std::string(bytes / 2, ']') + std::string(bytes / 2 - 1, 'a') + ".";
}

std::string nested_dicts(std::size_t bytes) {
  std::string file;
  for (std::size_t i = 0; i < bytes / 4; ++i)
    file += "}K\1";
  return file + "N" + std::string(bytes / 4, 's') + ".";
}

std::string sparse_memo(std::size_t bytes) {
  return numbered(bytes, [](std::uint64_t number) { return "Nr" + number_bytes(number * 1021 % 0xFFFFFFFF, 4); });
}

std::string batches_of_two_lists(std::size_t bytes) {
  // Each APPEND is to a list other than the last one.
  std::string file = std::string(kProtocol4) + "]q\0]q\1"s;
  while (file.size() < bytes)
    file += "h\0Na0h\1Na0"s;
  return file + ".";
}

std::string snapshots_in_a_list(std::size_t bytes) {
  return repeated(bytes, "}h\0]s"s).insert(3, "}\x8c\x08segments\x94]s");
}

std::string one_snapshot_in_a_list(std::size_t bytes) {
  return repeated(bytes, "h\1"s)
      .insert(3, "\x8c\x08segments\x94"
                 "0}\x94h\0]s"s);
}

/// A list of one list of events, of which each is at another address.
std::string events_alone(std::size_t bytes, std::string_view action) {
  std::string file = std::string(kProtocol4) + "\x8c\x06"
                                               "action\x94\x8c\x04"
                                               "addr\x94\x8c\x04size\x94\x8c";
  file += static_cast<char>(action.size());
  file += std::string(action) + "\x94"
                                "0000]](";
  for (std::uint64_t number = 0; file.size() < bytes; ++number)
    file += "}(h\0h\3h\1J"s + number_bytes(number * 7, 4) + "h\2K\1u"s;
  return file + "ea.";
}

std::string members_of_a_zip(std::size_t bytes) {
  constexpr std::size_t kEntryBytes = 110;
  std::vector<test::ZipEntry> entries;
  for (std::size_t i = 0; i < bytes / kEntryBytes; ++i)
    entries.push_back({.name = std::to_string(i) + ".pkl", .content = std::string(kProtocol4) + "]."});
  return test::zip_archive(entries);
}

std::string one_dict_of_many_keys(std::size_t bytes) {
  std::string file = std::string(kProtocol4) + "}(";
  for (std::uint64_t number = 0; file.size() < bytes; ++number)
    file += "J" + number_bytes(number, 4) + "N";
  return file + "u.";
}

std::string one_key_again_and_again(std::size_t bytes) {
  std::string file = std::string(kProtocol4) + "}";
  while (file.size() < bytes)
    file += "K\1Ns";
  return file + ".";
}

/// Dicts of 64 keys that differ in one.
std::string wide_shapes(std::size_t bytes) {
  std::string file = std::string(kProtocol4) + "(";
  for (std::uint64_t number = 0; number < 64; ++number)
    file += text_piece("k" + std::to_string(number)) + "\x94";
  for (std::uint64_t number = 0; file.size() < bytes; ++number) {
    file += "}(M" + number_bytes(number, 2) + "N";
    for (std::uint64_t key = 0; key < 63; ++key)
      file += "h" + number_bytes(key, 1) + "N";
    file += "u";
  }
  return file + "l.";
}

std::string distinct_texts(std::size_t bytes) {
  return numbered(bytes, [](std::uint64_t number) { return "\x8C\3" + number_bytes(number, 3); });
}

std::string distinct_texts_of_protocol_0(std::size_t bytes) {
  return numbered(bytes, [](std::uint64_t number) { return "V" + std::to_string(number) + "\n"; });
}

std::string dicts_of_a_new_key(std::size_t bytes) {
  return numbered(bytes, [](std::uint64_t number) { return "}M" + number_bytes(number, 2) + "Ns"; });
}

std::string dicts_of_a_new_key_in_batches(std::size_t bytes) {
  return numbered(bytes, [](std::uint64_t number) { return "}(J" + number_bytes(number, 4) + "Nu"; });
}

std::string wide_integers(std::size_t bytes) {
  return numbered(bytes, [](std::uint64_t number) { return "\x8A\x08" + number_bytes(~number, 7) + "\x7f"; });
}

std::string reals(std::size_t bytes) {
  return repeated(bytes, "F0\n");
}

std::string tuples_in_tuples(std::size_t bytes) {
  return ")" + std::string(bytes, '\x85') + ".";
}

/// JSON that repeats `piece` within a list.
std::string json_of(std::size_t bytes, std::string_view piece) {
  std::string file = "[0";
  while (file.size() < bytes)
    (file += ',') += piece;
  return file + "]";
}

std::string json_nested_dicts(std::size_t bytes) {
  std::string file;
  while (file.size() < bytes * 5 / 6)
    file += "{\"a\":";
  const std::size_t depth = file.size() / 5;
  return file + "0" + std::string(depth, '}');
}

std::string json_distinct_texts(std::size_t bytes) {
  std::string file = "[0";
  for (std::uint64_t number = 0; file.size() < bytes; ++number)
    file += ",\"" + std::to_string(number) + "\"";
  return file + "]";
}

std::string json_distinct_keys(std::size_t bytes) {
  std::string file = "[0";
  for (std::uint64_t number = 0; file.size() < bytes; ++number)
    file += ",{\"" + std::to_string(number) + "\":0}";
  return file + "]";
}

/// Sums by category of a profiler's memory timeline, of which three rise and fall in turn.
std::string sums_of_a_timeline(std::size_t bytes) {
  constexpr std::size_t kRowBytes = 22;
  std::string times = "0";
  std::string rows = "[0,0,0,0,0,0,0,0,0]";
  for (std::size_t i = 1; i < bytes / kRowBytes; ++i) {
    times += ",1";
    rows += i % 2 == 0 ? ",[0,0,0,0,0,0,0,0,0]" : ",[0,9,9,9,0,0,0,0,0]";
  }
  return "[[" + times + "],[" + rows + "]]";
}

} // namespace

std::vector<HostileShape> value_shapes() {
  return {
      {"empty lists", [](std::size_t n) { return repeated(n, "]"); }},
      {"empty dicts", [](std::size_t n) { return repeated(n, "}"); }},
      {"empty tuples", [](std::size_t n) { return repeated(n, ")"); }},
      {"empty sets", [](std::size_t n) { return repeated(n, "\x8f"); }},
      {"empty frozensets", [](std::size_t n) { return repeated(n, "(\x91"); }},
      {"lists of one", [](std::size_t n) { return repeated(n, "]Na"); }},
      {"tuples of one", [](std::size_t n) { return repeated(n, "N\x85"); }},
      {"dicts of one key", [](std::size_t n) { return repeated(n, "}K\1Ns"); }},
      {"tuples in tuples", tuples_in_tuples},
      {"lists in lists", nested_lists},
      {"dicts in dicts", nested_dicts},
      {"marks", [](std::size_t n) { return std::string(n, '('); }},
      {"DUP", [](std::size_t n) { return repeated(n, "2").insert(3, "N"); }},
      {"MEMOIZE", [](std::size_t n) { return repeated(n, "\x94").insert(3, "N"); }},
      {"memoized lists", [](std::size_t n) { return repeated(n, "]\x94"); }},
      {"sparse memo", sparse_memo},
      {"references", [](std::size_t n) { return repeated(n, "h\0"s).insert(2, "]\x94"); }},
      {"two lists in turn", batches_of_two_lists},
      {"snapshots in a list", snapshots_in_a_list},
      {"one snapshot in a list", one_snapshot_in_a_list},
      {"events alone", [](std::size_t n) { return events_alone(n, "alloc"); }},
      {"segments in events alone", [](std::size_t n) { return events_alone(n, "segment_alloc"); }},
      {"members of a zip archive", members_of_a_zip},
      {"one dict of many keys", one_dict_of_many_keys},
      {"one key again and again", one_key_again_and_again},
      {"wide shapes", wide_shapes},
      {"distinct texts", distinct_texts},
      {"distinct texts of protocol 0", distinct_texts_of_protocol_0},
      {"empty texts of protocol 0", [](std::size_t n) { return repeated(n, "V\n"); }},
      {"dicts of a new key", dicts_of_a_new_key},
      {"dicts of a new key in batches", dicts_of_a_new_key_in_batches},
      {"wide integers", wide_integers},
      {"reals", reals},
      {"JSON lists in lists", [](std::size_t n) { return std::string(n / 2, '[') + std::string(n / 2, ']'); }},
      {"JSON lists", [](std::size_t n) { return json_of(n, "[]"); }},
      {"JSON dicts", [](std::size_t n) { return json_of(n, "{}"); }},
      {"JSON numbers", [](std::size_t n) { return json_of(n, "1"); }},
      {"JSON reals", [](std::size_t n) { return json_of(n, "1e0"); }},
      {"JSON texts", [](std::size_t n) { return json_of(n, "\"\""); }},
      {"JSON dicts in dicts", json_nested_dicts},
      {"JSON distinct texts", json_distinct_texts},
      {"JSON distinct keys", json_distinct_keys},
      {"sums of a timeline", sums_of_a_timeline},
  };
}

} // namespace memviz::fuzz
