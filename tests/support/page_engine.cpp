#include "support/page_engine.hpp"

#include "support/files.hpp"

#include <algorithm>
#include <cstring>

namespace memviz::test {

std::size_t add_testdata(view::Engine& engine, const std::string& name) {
  return engine.add(name, input_of(read_bytes(testdata_file(name))));
}

std::string answered(view::Engine& engine, const nlohmann::json& request) {
  return engine.answer(request.dump());
}

nlohmann::json answered_json(view::Engine& engine, const nlohmann::json& request) {
  return nlohmann::json::parse(answered(engine, request));
}

std::vector<double> doubles_of(const std::string& answer, std::size_t count) {
  std::vector<double> numbers(std::min(count, answer.size() / sizeof(double)));
  if (!numbers.empty()) std::memcpy(numbers.data(), answer.data(), numbers.size() * sizeof(double));
  return numbers;
}

} // namespace memviz::test
