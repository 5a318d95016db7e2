#include "json/json_reader.hpp"

#include "json/surrogates.hpp"

#include "memviz/error.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz::json {
namespace {

/// Receives nlohmann's parse events: finished values wait on a stack until their container is closed.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  bool null() override { return push(Value::none()); }
  bool boolean(bool value) override { return push(Value::boolean(value)); }
  bool number_integer(number_integer_t value) override { return push(document_.add_integer(value)); }
  bool number_unsigned(number_unsigned_t value) override { return push(document_.add_unsigned(value)); }
  bool number_float(number_float_t value, const string_t& /*token*/) override {
    return push(document_.add_real(value));
  }
  bool string(string_t& value) override { return push(document_.add_owned_text(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool key(string_t& value) override { return push(document_.add_owned_text(std::move(value))); }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_object() override {
    const Value dict = document_.add_dict();
    document_.set_items(dict, items());
    return close(dict);
  }
  bool end_array() override {
    const Value list = document_.add_list();
    document_.append(list, items());
    return close(list);
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& /*error*/) override {
    throw ParseError(position == 0 ? 0 : position - 1, "expected JSON, found '" + token.substr(0, 40) + "'");
  }

  [[nodiscard]] Document result() && {
    document_.root = stack_.back();
    return std::move(document_);
  }

private:
  bool push(Value value) {
    stack_.push_back(value);
    return true;
  }
  bool open() {
    marks_.push_back(stack_.size());
    return true;
  }
  [[nodiscard]] std::span<const Value> items() const { return std::span(stack_).subspan(marks_.back()); }
  bool close(Value container) {
    stack_.resize(marks_.back());
    marks_.pop_back();
    return push(container);
  }

  Document document_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
};

} // namespace

Document read(std::string_view bytes) {
  Builder builder;
  const std::string mended = without_lone_surrogates(bytes);
  if (!mended.empty()) bytes = mended;
  // nlohmann's parser keeps a stack: nesting costs memory, not recursion.
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &builder);
  return std::move(builder).result();
}

} // namespace memviz::json
