#include "base/hash.hpp"

#include <random>

namespace memviz {

std::uint64_t hash_secret() {
  static const std::uint64_t secret = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32U | device();
  }();
  return secret;
}

} // namespace memviz
