#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "memviz/export.hpp"

namespace memviz {

std::string unread_json(const std::string& file, std::string_view reason) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.unread/1.0").member("file", file).member("error", reason).end_object();
  });
}

} // namespace memviz
