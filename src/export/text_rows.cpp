#include "export/text_rows.hpp"

#include "base/json_writer.hpp"

namespace memviz {

namespace {

class CsvRows final : public TextRows {
public:
  CsvRows(std::span<const TableColumn> columns, TextSink write) : TextRows(std::move(write)) {
    for (const TableColumn& column : columns)
      add(column.name);
    end_row();
  }

private:
  template <class Number> void add_number(Number number) {
    separate();
    add_digits(number);
  }
  void add(std::int64_t number) override { add_number(number); }
  void add(std::uint64_t number) override { add_number(number); }
  void add(Wide<std::int64_t> number) override { add_number(number.value); }
  void add(Wide<std::uint64_t> number) override { add_number(number.value); }
  /// An empty text is in quotes, to distinguish it from null. Spreadsheets calculate a text that begins like a formula,
  /// even one that starts programs, and some of them split lines at semicolons or tabs: an apostrophe keeps it a text
  /// (OWASP, CSV injection).
  void add(std::string_view text) override {
    constexpr std::string_view kBreaks = ";\t\r\n";
    constexpr std::string_view kFormulas = "=+-@\t\r";
    separate();
    const bool is_plain = !text.empty() && kFormulas.find(text.front()) == std::string_view::npos &&
                          text.find_first_of(",\";\t\r\n") == std::string_view::npos;
    if (is_plain) {
      out() += text;
      return;
    }
    out() += '"';
    bool is_at_start = true;
    for (const char c : text) {
      if (is_at_start && kFormulas.find(c) != std::string_view::npos) out() += '\'';
      if (c == '"') out() += '"';
      out() += c;
      is_at_start = kBreaks.find(c) != std::string_view::npos;
    }
    out() += '"';
  }
  void add_null() override { separate(); }
  void end_row() override {
    end_line();
    is_first_ = true;
  }
  void separate() {
    if (!is_first_) out() += ',';
    is_first_ = false;
  }

  bool is_first_ = true;
};

class JsonRows final : public TextRows {
public:
  JsonRows(std::span<const TableColumn> columns, TextSink write) : TextRows(std::move(write)), columns_(columns) {}

private:
  void add_key() {
    out() += column_ == 0 ? "{\"" : ", \"";
    out() += columns_[column_++].name;
    out() += "\": ";
  }
  template <class Number> void add_number(Number number, std::string_view quote) {
    add_key();
    out() += quote;
    add_digits(number);
    out() += quote;
  }
  void add(std::int64_t number) override { add_number(number, ""); }
  void add(std::uint64_t number) override { add_number(number, ""); }
  void add(Wide<std::int64_t> number) override { add_number(number.value, "\""); }
  void add(Wide<std::uint64_t> number) override { add_number(number.value, "\""); }
  void add(std::string_view text) override {
    add_key();
    append_json_text(out(), text);
  }
  void add_null() override {
    add_key();
    out() += "null";
  }
  void end_row() override {
    out() += '}';
    end_line();
    column_ = 0;
  }

  std::span<const TableColumn> columns_;
  std::size_t column_ = 0;
};

} // namespace

std::unique_ptr<TextRows> text_rows(std::span<const TableColumn> columns, TableFormat format, TextSink write) {
  if (format == TableFormat::csv) return std::make_unique<CsvRows>(columns, std::move(write));
  return std::make_unique<JsonRows>(columns, std::move(write));
}

} // namespace memviz
