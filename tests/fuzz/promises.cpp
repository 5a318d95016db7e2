#include "promises.hpp"
#include "memviz/check_report.hpp"

#include "require.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <unordered_set>

namespace memviz::fuzz {
namespace {

bool is_container(Value value) {
  return value.kind() == Kind::list || value.kind() == Kind::tuple || value.kind() == Kind::dict;
}

bool can_be_a_key(Value value) {
  return value.kind() != Kind::list && value.kind() != Kind::dict;
}

class DocumentWalk {
public:
  explicit DocumentWalk(const Document& document) : document_(document) {}

  void run() {
    found(document_.root);
    while (!waiting_.empty()) {
      const Value value = waiting_.back();
      waiting_.pop_back();
      if (value.kind() == Kind::dict)
        look_at_dict(value);
      else
        look_at_list(value);
    }
  }

private:
  void found(Value value) {
    require(value.kind() != Kind::unset && value.kind() < Kind::record, "a kind that a document can hold");
    if (value.kind() == Kind::text || value.kind() == Kind::bytes) length_ += document_.text(value).size();
    if (value.kind() == Kind::real) static_cast<void>(document_.real(value));
    static_cast<void>(document_.as_signed(value));
    static_cast<void>(document_.as_unsigned(value));
    if (is_container(value) && seen_.insert(value.bits()).second) waiting_.push_back(value);
  }

  void look_at_list(Value list) {
    std::uint64_t count = 0;
    document_.for_each(list, [&](Value item) {
      found(item);
      ++count;
      return true;
    });
    require(count == document_.list_size(list), "a list as long as its items are many");
  }

  void look_at_dict(Value dict) {
    document_.for_each_item(dict, [&](Value key, Value value) {
      found(key);
      found(value);
      require(can_be_a_key(key), "a key that can be hashed");
      // Text and small integers of equal value are equal: an existing key can be looked up.
      if (key.kind() == Kind::text)
        require(document_.get(dict, document_.text(key)).kind() != Kind::unset, "a key that is found again");
    });
  }

  const Document& document_;
  std::vector<Value> waiting_;
  std::unordered_set<std::uint64_t> seen_;
  std::size_t length_ = 0;
};

template <class Weight> void check_sums(const Tree<Weight>& tree) {
  require(!tree.nodes.empty(), "a tree with a root");
  std::vector<Weight> sums;
  for (const auto& node : tree.nodes)
    sums.push_back(node.self);
  for (std::size_t i = tree.nodes.size() - 1; i > 0; --i) {
    const std::size_t parent = tree.nodes[i].parent.value;
    require(parent < i, "parents before their children");
    sums[parent] += tree.nodes[i].total;
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    require(sums[i] == tree.nodes[i].total, "a node whose bytes are its own and its children's");
}

bool is_xml_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; }) &&
         text.find("\xed\xa0") == std::string_view::npos && text.find("\xef\xbf\xbe") == std::string_view::npos &&
         text.find("\xef\xbf\xbf") == std::string_view::npos;
}

} // namespace

void check_error(const Error& error, std::size_t size) {
  const std::string_view message = error.what();
  require(message.size() > 5, "an error that says something", message);
  const auto* parse_error = dynamic_cast<const ParseError*>(&error);
  if (parse_error == nullptr) return;
  require(parse_error->offset() <= size, "an offset within the input", message);
  require(message.starts_with("byte " + std::to_string(parse_error->offset()) + ": "), "the offset first", message);
}

void check_document(const Document& document) {
  DocumentWalk(document).run();
}

void check_conserves_bytes(const FrameTree& tree, std::uint64_t total_bytes) {
  check_sums(tree);
  require(tree.root().total.bytes == total_bytes, "a root of all reserved bytes");
}

void check_conserves_bytes(const DiffTree& tree, std::uint64_t before_bytes, std::uint64_t after_bytes) {
  check_sums(tree);
  require(tree.root().total.before.bytes == before_bytes, "a root of all bytes before");
  require(tree.root().total.after.bytes == after_bytes, "a root of all bytes after");
}

void check_svg(const std::string& svg) {
  require(is_xml_text(svg), "characters that XML allows");
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(svg.data(), svg.size(), pugi::parse_default, pugi::encoding_utf8);
  require(static_cast<bool>(result), "an SVG that is XML:", result.description());
  require(std::string_view(document.document_element().name()) == "svg", "an SVG");
  std::set<std::string_view> ids;
  for (const pugi::xpath_node& node : document.select_nodes("//*[@id]")) {
    const std::string_view id = node.node().attribute("id").value();
    require(ids.insert(id).second, "an id once", id);
  }
}

void check_json(const std::string& text) {
  require(nlohmann::json::accept(text), "JSON that is JSON");
}

void check_folded(const std::string& text, std::uint64_t total_bytes) {
  std::string_view rest = text;
  std::string_view previous;
  std::uint64_t sum = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    require(end != std::string_view::npos, "folded lines that end");
    const std::string_view line = rest.substr(0, end);
    const std::size_t space = line.rfind(' ');
    require(space != std::string_view::npos, "a path and its bytes", line);
    std::uint64_t bytes = 0;
    const auto [stop, error] = std::from_chars(line.data() + space + 1, line.data() + line.size(), bytes);
    require(error == std::errc() && stop == line.data() + line.size() && bytes > 0, "bytes that are a number", line);
    const std::string_view path = line.substr(0, space);
    require(sum == 0 || previous < path, "paths once each, sorted", line);
    previous = path;
    sum += bytes;
    rest.remove_prefix(end + 1);
  }
  require(sum <= total_bytes, "no more folded bytes than reserved ones");
}

} // namespace memviz::fuzz
