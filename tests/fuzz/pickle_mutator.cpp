#include "pickle_mutator.hpp"

#include "pickle_program.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace memviz::fuzz {
namespace {

/// Keys and values of snapshots, separated by spaces.
constexpr std::string_view kWords =
    "segments device_traces allocator_settings external_annotations trace_alloc_overflowed trace_alloc_max_entries "
    "address addr total_size size requested_size allocated_size active_size stream device segment_type "
    "segment_pool_id pool_id is_expandable blocks state frames history cpp_frames real_size forward_frames action "
    "time_us device_free compile_context user_metadata name filename line stage category fx_node_op fx_original_trace "
    "active_allocated active_pending_free active_awaiting_free inactive alloc free_requested free_completed free "
    "segment_alloc segment_free segment_map segment_unmap snapshot oom large small START END ?? a;b "
    "memviz_keepers texts kinds hows root_kinds node_kind node_name node_file node_line node_items edge_from edge_to "
    "edge_how edge_label root_kind root_node storage_node storage_device storage_address storage_bytes place_node "
    "place_variable place_how place_name place_file place_line place_hows set used frame list "
    "tensor autograd local argument index grad_fn main cycle "
    "<&\"']]> \x01\x1f\x7f \xed\xa0\x80\xff \xe2\x80\xae PyEval_EvalFrameDefault ";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t space = text.find(' '); space != std::string_view::npos; space = text.find(' ')) {
    words.push_back(text.substr(0, space));
    text.remove_prefix(space + 1);
  }
  words.emplace_back();
  return words;
}

constexpr std::array<std::uint64_t, 22> kMagnitudes{0,
                                                    1,
                                                    2,
                                                    127,
                                                    255,
                                                    256,
                                                    512,
                                                    513,
                                                    65535,
                                                    65536,
                                                    2097152,
                                                    0x7FFFFFFF,
                                                    0x80000000,
                                                    0xFFFFFFFF,
                                                    0x100000000,
                                                    (1ULL << 59U) - 1,
                                                    1ULL << 59U,
                                                    1ULL << 60U,
                                                    (1ULL << 60U) + 1,
                                                    (1ULL << 63U) - 1,
                                                    1ULL << 63U,
                                                    ~0ULL};

constexpr std::string_view kPlainOpcodes = "(.012)]}Nlduase\x85\x86\x87\x88\x89\x8f\x90\x91\x94t";
constexpr std::string_view kRefusedOpcodes = "RbocQ\x81\x92\x93\x97\x98";

class Mutator {
public:
  Mutator(Program program, std::size_t max_bytes, std::uint32_t seed)
      : program_(std::move(program)), max_bytes_(max_bytes), random_(seed) {}

  std::string run() {
    const std::size_t changes = std::size_t{1} << below(4);
    for (std::size_t i = 0; i < changes && !program_.empty(); ++i)
      change();
    return fitting();
  }

  std::string graft(const Program& other) {
    const auto own = expressions_of(program_);
    const auto others = expressions_of(other);
    if (!own.empty() && !others.empty()) {
      const Expression taken = others[below(others.size())];
      Program piece(other.begin() + at(taken.begin), other.begin() + at(taken.end));
      replace(own[below(own.size())], as_stranger(std::move(piece)));
    }
    return fitting();
  }

private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_()) % bound; }
  static std::ptrdiff_t at(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

  std::string fitting() {
    std::string bytes = serialized(program_, below(8) != 0);
    if (bytes.size() > max_bytes_) bytes.resize(max_bytes_);
    return bytes;
  }

  void change() {
    switch (below(16)) {
    case 0:
    case 1: return change_integer();
    case 2:
    case 3: return change_text();
    case 4: return copy_value_over_another();
    case 5: return copy_value_behind_another();
    case 6: return remove_value();
    case 7: return repeat_value();
    case 8: return insert_opcode();
    case 9: return change_fetch();
    case 10: return change_length();
    case 11: return remove_operations();
    case 12: return swap_operations();
    case 13: return fetch_instead_of_value();
    case 14: return change_byte();
    default: return replace_value_by_plain();
    }
  }

  template <class Predicate> Operation* any(Predicate predicate) {
    const std::size_t start = below(program_.size());
    for (std::size_t i = 0; i < program_.size(); ++i) {
      Operation& candidate = program_[(start + i) % program_.size()];
      if (predicate(candidate)) return &candidate;
    }
    return nullptr;
  }

  std::string_view any_word() {
    static const std::vector<std::string_view> words = words_of(kWords);
    return words[below(words.size())];
  }

  std::string any_integer() {
    const bool is_negative = below(4) == 0;
    const std::uint64_t magnitude = kMagnitudes[below(kMagnitudes.size())];
    return integer_operation(is_negative, magnitude, static_cast<std::uint32_t>(below(6)));
  }

  void change_integer() {
    Operation* operation = any(pushes_integer);
    if (operation == nullptr) return;
    if (below(3) == 0 && operation->bytes.size() > 1) {
      char& byte = operation->bytes.back();
      byte = static_cast<char>(byte + (below(2) == 0 ? 1 : -1));
      return;
    }
    operation->bytes = any_integer();
  }

  void change_text() {
    Operation* operation = any([](const Operation& candidate) { return text_of(candidate).has_value(); });
    if (operation == nullptr) return;
    if (below(4) == 0) {
      const Operation* other = any([](const Operation& candidate) { return text_of(candidate).has_value(); });
      operation->bytes = std::string(other->bytes);
      return;
    }
    operation->bytes = text_operation(any_word());
  }

  void change_fetch() {
    Operation* fetch = any([](const Operation& candidate) { return candidate.fetches != 0; });
    const Operation* store = any([](const Operation& candidate) { return candidate.stores != 0; });
    if (fetch == nullptr || store == nullptr) return;
    fetch->fetches = store->stores;
  }

  void change_length() {
    Operation* operation = any([](const Operation& candidate) { return length_bytes(candidate.code()) > 0; });
    if (operation == nullptr) return;
    const std::size_t size = std::min(length_bytes(operation->code()), operation->bytes.size() - 1);
    if (size == 0) return;
    static constexpr std::array<char, 6> kValues{'\0', '\1', '\x7f', '\x80', '\xff', '\x10'};
    operation->bytes[1 + below(size)] = kValues[below(kValues.size())];
  }

  void change_byte() {
    std::string& bytes = program_[below(program_.size())].bytes;
    bytes[below(bytes.size())] = static_cast<char>(below(256));
  }

  void insert_opcode() {
    const std::string_view opcodes = below(16) == 0 ? kRefusedOpcodes : kPlainOpcodes;
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) {
      program_.insert(program_.begin() + at(below(program_.size() + 1)),
                      {std::string(1, opcodes[below(opcodes.size())]), 0, 0});
    }
  }

  void remove_operations() {
    const std::size_t begin = below(program_.size());
    const std::size_t count = std::min(program_.size() - begin, 1 + below(4));
    program_.erase(program_.begin() + at(begin), program_.begin() + at(begin + count));
  }

  void swap_operations() { std::swap(program_[below(program_.size())], program_[below(program_.size())]); }

  std::vector<Expression> values() { return expressions_of(program_); }

  [[nodiscard]] Program piece_of(const Expression& value) const {
    return {program_.begin() + at(value.begin), program_.begin() + at(value.end)};
  }

  void replace(const Expression& value, const Program& piece) {
    const auto begin = program_.erase(program_.begin() + at(value.begin), program_.begin() + at(value.end));
    program_.insert(begin, piece.begin(), piece.end());
  }

  void copy_value_over_another() {
    const auto all = values();
    if (all.empty()) return;
    replace(all[below(all.size())], piece_of(all[below(all.size())]));
  }

  void copy_value_behind_another() {
    const auto all = values();
    if (all.empty()) return;
    const std::size_t end = all[below(all.size())].end;
    replace({end, end}, piece_of(all[below(all.size())]));
  }

  void repeat_value() {
    const auto all = values();
    if (all.empty()) return;
    const Expression value = all[below(all.size())];
    const Program piece = piece_of(value);
    const std::size_t count = std::min<std::size_t>(std::size_t{1} << below(7), 4096 / piece.size() + 1);
    for (std::size_t i = 0; i < count; ++i)
      replace({value.end, value.end}, piece);
  }

  void remove_value() {
    const auto all = values();
    if (all.empty()) return;
    const Expression value = all[below(all.size())];
    // Often with the preceding key, so that pairs stay pairs.
    const std::size_t begin = value.begin > 0 && below(2) == 0 ? value.begin - 1 : value.begin;
    replace({begin, value.end}, {});
  }

  void fetch_instead_of_value() {
    const auto all = values();
    const Operation* store = any([](const Operation& candidate) { return candidate.stores != 0; });
    if (all.empty() || store == nullptr) return;
    replace(all[below(all.size())], {{std::string("h\0", 2), store->stores, 0}});
  }

  void replace_value_by_plain() {
    const auto all = values();
    if (all.empty()) return;
    static const std::array<std::string, 9> plain{
        "N", "\x88", "]", "}", ")", "\x8f", std::string("G\x7f\xf0\0\0\0\0\0\0", 9), "C\x01x", "F1.5\n"};
    const std::size_t choice = below(plain.size() + 2);
    const std::string bytes = choice < plain.size()    ? plain[choice]
                              : choice == plain.size() ? any_integer()
                                                       : text_operation(any_word());
    replace(all[below(all.size())], {{bytes, 0, 0}});
  }

  /// Memo numbers of another program are meaningless here.
  Program as_stranger(Program piece) {
    for (Operation& operation : piece) {
      operation.stores = 0;
      if (operation.fetches == 0) continue;
      const Operation* store = any([](const Operation& candidate) { return candidate.stores != 0; });
      operation.fetches = store == nullptr ? 0 : store->stores;
    }
    return piece;
  }

  Program program_;
  std::size_t max_bytes_;
  std::minstd_rand random_;
};

} // namespace

std::string mutated(std::string_view bytes, std::size_t max_bytes, std::uint32_t seed) {
  return Mutator(parsed(bytes), max_bytes, seed).run();
}

std::string crossed(std::string_view bytes, std::string_view other, std::size_t max_bytes, std::uint32_t seed) {
  return Mutator(parsed(bytes), max_bytes, seed).graft(parsed(other));
}

} // namespace memviz::fuzz
