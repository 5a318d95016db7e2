#include "pickler.hpp"

#include <bit>
#include <stdexcept>

namespace memviz::bench {

void Pickler::put_get(std::uint32_t memo) {
  const bool is_short = memo < 256;
  put(is_short ? 'h' : 'j');
  put_number(memo, is_short ? 1 : 4);
}

void Pickler::put_real(double value) {
  put('G');
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned i = 0; i < 8; ++i)
    put_number(bits >> (56 - 8 * i), 1);
}

bool Pickler::put_short_integer(std::int64_t value) {
  if (value >= 0 && value < 1 << 8) {
    put('K');
    put_number(static_cast<std::uint64_t>(value), 1);
  } else if (value >= 0 && value < 1 << 16) {
    put('M');
    put_number(static_cast<std::uint64_t>(value), 2);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    put('J');
    put_number(static_cast<std::uint64_t>(value), 4);
  } else {
    return false;
  }
  return true;
}

void Pickler::flush(std::string_view before) {
  const auto write = [&](std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
      throw std::runtime_error("the output could not be written");
  };
  write(before);
  write(buffer_);
  buffer_.clear();
}

} // namespace memviz::bench
