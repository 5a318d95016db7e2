#pragma once

// Opcodes and their arguments where enough bytes are known to follow, according to the table.

#include "pickle/opcode_table.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memviz::pickle {

inline Opcode opcode_at(const char* at) {
  return static_cast<Opcode>(static_cast<unsigned char>(*at));
}

template <class Number> Number number_at(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

template <std::size_t kBytes> struct UnsignedOf;
template <> struct UnsignedOf<1> { using Type = std::uint8_t; };
template <> struct UnsignedOf<2> { using Type = std::uint16_t; };
template <> struct UnsignedOf<4> { using Type = std::uint32_t; };
template <> struct UnsignedOf<8> { using Type = std::uint64_t; };

/// The type of the number or the length after an opcode.
template <Opcode kOpcode> using ArgumentNumber = typename UnsignedOf<number_bytes(opcode_info(kOpcode).argument)>::Type;

/// Returns the bytes of an opcode including its number or length.
template <Opcode kOpcode> inline constexpr std::size_t kHeadBytes = 1 + number_bytes(opcode_info(kOpcode).argument);

/// Returns the number or length of the opcode at `at`.
template <Opcode kOpcode> ArgumentNumber<kOpcode> argument_at(const char* at) {
  return number_at<ArgumentNumber<kOpcode>>(at + 1);
}

/// Returns the bytes of the opcode at `at` if it fetches from the memo; 0 for any other.
inline std::size_t fetch_bytes(const char* at) {
  if (opcode_at(at) == Opcode::long_binget) return kHeadBytes<Opcode::long_binget>;
  return opcode_at(at) == Opcode::binget ? kHeadBytes<Opcode::binget> : 0;
}

/// Returns the number of the memo entry that such an opcode fetches.
inline std::uint32_t fetched_number(const char* at) {
  return opcode_at(at) == Opcode::long_binget ? argument_at<Opcode::long_binget>(at) : argument_at<Opcode::binget>(at);
}

} // namespace memviz::pickle
