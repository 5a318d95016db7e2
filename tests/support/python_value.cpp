#include "support/python_value.hpp"

#include <bit>
#include <fmt/format.h>
#include <map>

namespace memviz::test {
namespace {

template <class Number> std::string little_endian(Number number) {
  std::string bytes(sizeof number, '\0');
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFF);
  }
  return bytes;
}

/// Two's complement in as few bytes as hold it; `is_negative` shows what the missing ones are.
std::string minimal(std::uint64_t bits, bool is_negative) {
  std::string bytes = little_endian(bits);
  const char sign = is_negative ? '\xFF' : '\0';
  while (bytes.size() > 1 && bytes.back() == sign && ((bytes[bytes.size() - 2] & 0x80) != 0) == is_negative)
    bytes.pop_back();
  if (((bytes.back() & 0x80) != 0) != is_negative) bytes += sign;
  return bytes;
}

class Writer {
public:
  explicit Writer(PickleStyle style) : style_(style) {
    if (style.protocol >= 2) out_ += fmt::format("\x80{:c}", style.protocol);
  }

  std::string finish(const PythonValue& value) {
    std::visit([&](const auto& held) { write(held); }, value.value);
    return out_ + ".";
  }

private:
  void write(const PythonValue& value) {
    std::visit([&](const auto& held) { write(held); }, value.value);
  }
  void write(std::nullptr_t) { out_ += 'N'; }
  void write(bool flag) { out_ += style_.protocol >= 2 ? (flag ? "\x88" : "\x89") : (flag ? "I01\n" : "I00\n"); }
  void write(std::int64_t number) {
    if (style_.protocol == 0) {
      out_ +=
          number == static_cast<std::int32_t>(number) ? fmt::format("I{}\n", number) : fmt::format("L{}L\n", number);
    } else if (number >= 0 && number < 256) {
      out_ += 'K' + little_endian(static_cast<std::uint8_t>(number));
    } else if (number >= 0 && number < 65536) {
      out_ += 'M' + little_endian(static_cast<std::uint16_t>(number));
    } else if (number == static_cast<std::int32_t>(number)) {
      out_ += 'J' + little_endian(static_cast<std::uint32_t>(number));
    } else {
      write_long(static_cast<std::uint64_t>(number), number < 0);
    }
  }
  void write(std::uint64_t number) {
    if (number <= INT64_MAX) return write(static_cast<std::int64_t>(number));
    if (style_.protocol == 0)
      out_ += fmt::format("L{}L\n", number);
    else
      write_long(number, false);
  }
  void write_long(std::uint64_t bits, bool is_negative) {
    if (style_.protocol < 2) {
      out_ += is_negative ? fmt::format("L{}L\n", static_cast<std::int64_t>(bits)) : fmt::format("L{}L\n", bits);
      return;
    }
    const std::string bytes = style_.is_cpp_writer ? little_endian(bits) : minimal(bits, is_negative);
    out_ += fmt::format("\x8A{:c}", static_cast<int>(bytes.size())) + bytes;
  }
  void write(double number) {
    if (style_.protocol == 0) {
      out_ += fmt::format("F{}\n", number);
      return;
    }
    std::string bytes = little_endian(std::bit_cast<std::uint64_t>(number));
    out_ += 'G' + std::string(bytes.rbegin(), bytes.rend());
  }
  void write(const std::string& text) {
    const auto [entry, is_new] = texts_.try_emplace(text, next_memo_);
    if (!is_new) return get(entry->second);
    if (style_.protocol == 0)
      out_ += 'V' + text + '\n';
    else if (style_.protocol >= 4 && text.size() < 256)
      out_ += '\x8C' + little_endian(static_cast<std::uint8_t>(text.size())) + text;
    else
      out_ += 'X' + little_endian(static_cast<std::uint32_t>(text.size())) + text;
    put();
  }
  void write(const PythonList& list) {
    const bool is_new = open(list.items.get(), style_.protocol == 0 ? "(l" : "]");
    if (!is_new) return;
    write_batches(*list.items, 'e', 'a', [&](const PythonValue& item) { write(item); });
    close(list.items.get());
  }
  void write(const PythonDict& dict) {
    const bool is_new = open(dict.pairs.get(), style_.protocol == 0 ? "(d" : "}");
    if (!is_new) return;
    write_batches(*dict.pairs, 'u', 's', [&](const auto& pair) {
      write(pair.first);
      write(pair.second);
    });
    close(dict.pairs.get());
  }
  void write(const PythonTuple& tuple) {
    const std::size_t size = tuple.items->size();
    const bool has_short_form = style_.protocol >= 2 && size >= 1 && size <= 3;
    if (!has_short_form) out_ += '(';
    for (const PythonValue& item : *tuple.items)
      write(item);
    out_ += has_short_form ? static_cast<char>(0x84 + size) : 't';
  }

  /// Python batches by 1000 and writes a single leftover item separately; the C++ writer writes one batch, even an
  /// empty one.
  template <class Items, class WriteItem>
  void write_batches(const Items& items, char many, char one, WriteItem&& write_item) {
    const std::size_t batch = style_.is_cpp_writer ? items.size() + 1 : style_.protocol == 0 ? 1 : 1000;
    for (std::size_t begin = 0; begin < items.size() || (style_.is_cpp_writer && begin == 0); begin += batch) {
      const std::size_t end = std::min(items.size(), begin + batch);
      const bool is_single = end - begin == 1 && !style_.is_cpp_writer;
      if (!is_single) out_ += '(';
      for (std::size_t i = begin; i < end; ++i)
        write_item(items[i]);
      out_ += is_single ? one : many;
    }
  }

  bool open(const void* identity, std::string_view opcodes) {
    if (const auto known = containers_.find(identity); known != containers_.end()) {
      get(known->second);
      return false;
    }
    out_ += opcodes;
    if (!style_.is_cpp_writer) remember(identity);
    return true;
  }
  void close(const void* identity) {
    if (style_.is_cpp_writer) remember(identity);
  }
  void remember(const void* identity) {
    containers_[identity] = next_memo_;
    put();
  }
  void put() {
    if (style_.protocol == 0)
      out_ += fmt::format("p{}\n", next_memo_);
    else if (style_.protocol >= 4)
      out_ += '\x94';
    else if (next_memo_ < 256)
      out_ += 'q' + little_endian(static_cast<std::uint8_t>(next_memo_));
    else
      out_ += 'r' + little_endian(next_memo_);
    ++next_memo_;
  }
  void get(std::uint32_t index) {
    if (style_.protocol == 0)
      out_ += fmt::format("g{}\n", index);
    else if (index < 256)
      out_ += 'h' + little_endian(static_cast<std::uint8_t>(index));
    else
      out_ += 'j' + little_endian(index);
  }

  PickleStyle style_;
  std::string out_;
  std::uint32_t next_memo_ = 0;
  std::map<std::string, std::uint32_t> texts_;
  std::map<const void*, std::uint32_t> containers_;
};

} // namespace

PythonValue& PythonValue::set(std::string_view key, PythonValue item) {
  PythonPairs& pairs = *std::get<PythonDict>(value).pairs;
  for (auto& [existing, held] : pairs) {
    if (std::get<std::string>(existing.value) == key) {
      held = std::move(item);
      return *this;
    }
  }
  pairs.emplace_back(std::string(key), std::move(item));
  return *this;
}

PythonValue& PythonValue::without(std::string_view key) {
  std::erase_if(*std::get<PythonDict>(value).pairs,
                [&](const auto& pair) { return std::get<std::string>(pair.first.value) == key; });
  return *this;
}

PythonValue list(PythonItems items) {
  return PythonList{std::make_shared<PythonItems>(std::move(items))};
}
PythonValue tuple(PythonItems items) {
  return PythonTuple{std::make_shared<PythonItems>(std::move(items))};
}
PythonValue dict(PythonPairs pairs) {
  return PythonDict{std::make_shared<PythonPairs>(std::move(pairs))};
}

std::string pickled(const PythonValue& value, PickleStyle style) {
  return Writer(style).finish(value);
}

} // namespace memviz::test
