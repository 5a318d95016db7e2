// Linked into the fuzzer of JSON files: three of four changes replace, remove or copy a value of the JSON in a line or
// in the whole, so that it stays JSON. Changes of single bytes hardly ever do.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

// Keys keep their order, because the first ones say what a file is.
using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// Every value in `json`, with those that hold others before them.
std::vector<Json*> values_in(Json& json) {
  std::vector<Json*> values{&json};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]->is_structured())
      for (Json& value : *values[i])
        values.push_back(&value);
  return values;
}

Json odd_value(Random& random) {
  static const std::array<Json, 14> odd{
      nullptr, true, false, 0, -1, 7, 1000, INT64_MAX, INT64_MIN, UINT64_MAX, 1.5, "", Json::array(), Json::object()};
  return odd[below(random, odd.size())];
}

void change(Json& json, Random& random) {
  const std::vector<Json*> values = values_in(json);
  Json& value = *values[below(random, values.size())];
  switch (below(random, 4)) {
  case 0: value = Json(*values[below(random, values.size())]); break;
  case 1:
    if (value.is_structured() && !value.empty())
      value.erase(std::next(value.begin(), static_cast<int>(below(random, value.size()))));
    break;
  case 2:
    if (value.is_array()) value.push_back(odd_value(random));
    break;
  default: value = odd_value(random);
  }
}

/// Returns the begin and the size of the JSON to change: a line of several, or everything.
std::pair<std::size_t, std::size_t> chosen_part(std::string_view bytes, Random& random) {
  if (Json::accept(bytes)) return {0, bytes.size()};
  const std::size_t before = bytes.substr(0, below(random, bytes.size())).rfind('\n');
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {begin, std::min(bytes.find('\n', begin), bytes.size()) - begin};
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  if (size == 0 || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Random random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // Deeper values would fill the stack of nlohmann's functions.
  constexpr std::ptrdiff_t kMostContainers = 2000;
  if (std::ranges::count(bytes, '[') + std::ranges::count(bytes, '{') > kMostContainers)
    return LLVMFuzzerMutate(data, size, max_size);
  const auto [begin, length] = chosen_part(bytes, random);
  Json json = Json::parse(bytes.substr(begin, length), nullptr, false);
  if (json.is_discarded()) return LLVMFuzzerMutate(data, size, max_size);
  change(json, random);
  bytes.replace(begin, length, json.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
