#include "base/json_object_schema.hpp"
#include "export/schemas.hpp"
#include "memviz/export.hpp"

namespace memviz {
namespace {

struct UnreadFile {
  std::string_view file;
  std::string_view reason;
};

constexpr auto kUnread = json_described<UnreadFile>(
    {.schema = "memviz.unread/1.0",
     .title = "A bad file among several",
     .meaning = "The line of one of several files, in place of its document, where it could not be read"},
    member("file", "The file as the command line names it; with --redact its base name or a pseudonym",
           &UnreadFile::file),
    member("error", "Why it could not be read", &UnreadFile::reason));

} // namespace

std::string unread_json(const std::string& file, std::string_view reason) {
  return document_text(kUnread, {file, reason});
}

std::string unread_schema() {
  return schema_text(kUnread);
}

} // namespace memviz
