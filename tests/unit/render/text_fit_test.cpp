#include "page/text_fit.hpp"

#include "page/notes.hpp"

#include "support/files.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace memviz;
using namespace memviz::render;

TEST_CASE("widths are those that the scripts of pictures count with") {
  const auto vectors =
      nlohmann::json::parse(memviz::test::read_bytes(memviz::test::testdata_file("width_vectors.json")));
  for (const auto& row : vectors.at("picture"))
    CHECK_MESSAGE(columns_of(row[0].get<std::string>()) == row[1].get<std::size_t>(), row.dump());
  for (const auto& row : vectors.at("sans_hundredths_of_em"))
    CHECK_MESSAGE(std::lround(sans_width(row[0].get<std::string>(), 100)) == row[1].get<long>(), row.dump());
  CHECK(columns_of("\xff\xfe") == 2); // not UTF-8: a column a byte
}

TEST_CASE("a real font is no wider than the estimate for any, and bold type is wider") {
  for (char letter = ' '; letter <= '~'; ++letter) {
    const std::string text(1, letter);
    CAPTURE(text);
    CHECK(sans_width(text, 1, Font::regular) <= sans_width(text, 1) + 0.001);
    CHECK(sans_width(text, 1, Font::regular) <= sans_width(text, 1, Font::bold));
  }
  // The widths of DejaVu Sans: digits and percents are wide in it.
  CHECK(sans_width("59.9 %", 1000, Font::regular) == doctest::Approx(3 * 637 + 318 + 318 + 951));
  CHECK(fit_sans_prefix("12345", 3 * 0.696 * 24 + 1, 24, Font::bold) == "123");
}

TEST_CASE("cut_end") {
  CHECK(cut_end("forward", 7) == "forward");
  CHECK(cut_end("forward", 6) == "forwa…");
  CHECK(cut_end("forward", 2).empty());
  CHECK(cut_end("模型模型", 6) == "模型…");
}

TEST_CASE("cut_start keeps the end") {
  CHECK(cut_start("/home/me/model.py", 10) == "…/model.py");
  CHECK(cut_start("model.py", 8) == "model.py");
}

TEST_CASE("cut_name") {
  CHECK(cut_name("torch::autograd::Node::apply", 14) == "…Node::apply");
  CHECK(cut_name("torch::autograd::Node::apply", 7) == "…apply");
  CHECK(cut_name("torch::autograd::evaluate_function", 8) == "evaluat…");
  CHECK(cut_name("segment 0x7f064c000000", 10) == "…64c000000");
  CHECK(cut_name("forward", 5) == "forw…");
}

TEST_CASE("fit_label takes the longest form that fits") {
  const Label label{.name = "forward", .place = "model.py:41", .note = "19.5 MiB"};
  CHECK(fit_label(label, 40) == "forward model.py:41  19.5 MiB");
  CHECK(fit_label(label, 28) == "forward model.py:41");
  CHECK(fit_label(label, 18) == "forward :41"); // the line is what a reader goes to
  CHECK(fit_label(label, 11) == "forward :41");
  CHECK(fit_label(label, 10) == "forwa… :41");
  CHECK(fit_label(label, 9) == "forw… :41");
  CHECK(fit_label(label, 8) == "forward");
  CHECK(fit_label(label, 6) == "forwa…");
  CHECK(fit_label(label, 5) == "forw…");
  CHECK(fit_label(label, 4).empty());
  SUBCASE("the text of the line is the first to go") {
    const Label known{.name = "forward", .place = "model.py:41", .note = "19.5 MiB", .source = "h = f(x)"};
    CHECK(fit_label(known, 40) == "forward model.py:41  h = f(x)  19.5 MiB");
    CHECK(fit_label(known, 38) == "forward model.py:41  19.5 MiB");
  }
  SUBCASE("the file goes before the note") {
    const Label far{.name = "forward", .place = "models/transformer.py:41", .note = "19.5 MiB"};
    CHECK(fit_label(far, 32) == "forward models/transformer.py:41");
    CHECK(fit_label(far, 31) == "forward :41  19.5 MiB");
    CHECK(fit_label(far, 20) == "forward :41");
  }
  SUBCASE("a place without a line has none to keep") {
    CHECK(fit_label({.name = "forward", .place = "model.py:", .note = "19.5 MiB"}, 16) == "forward");
    CHECK(fit_label({.name = "forward", .place = "1234567890", .note = "19.5 MiB"}, 16) == "forward");
  }
  SUBCASE("a sign is kept to the last") {
    const Label signed_label{.name = "forward", .place = "model.py:41", .note = "−19.5 MiB"};
    CHECK(fit_label(signed_label, 30) == "forward model.py:41  −19.5 MiB");
    CHECK(fit_label(signed_label, 22) == "forward :41  −19.5 MiB");
    CHECK(fit_label(signed_label, 21) == "forward  −19.5 MiB");
    CHECK(fit_label(signed_label, 17) == "− forward :41");
    CHECK(fit_label(signed_label, 12) == "− forwa… :41");
    CHECK(fit_label(signed_label, 10) == "− forward");
    CHECK(fit_label(signed_label, 9) == "− forward");
    CHECK(fit_label(signed_label, 8) == "− forwa…");
    CHECK(fit_label(signed_label, 6) == "−");
    CHECK(fit_label(signed_label, 3) == "−");
  }
  SUBCASE("a brief form goes before cutting") {
    const Label run{.name = "⋯ 28 frames", .place = "to run_code", .brief = "⋯ 28"};
    CHECK(fit_label(run, 30) == "⋯ 28 frames to run_code");
    CHECK(fit_label(run, 21) == "⋯ 28 frames");
    CHECK(fit_label(run, 22) == "⋯ 28 frames to run_c…");
    CHECK(fit_label(run, 11) == "⋯ run_code"); // the count alone says the least
    CHECK(fit_label(run, 10) == "⋯ 28");
    CHECK(fit_label(run, 7) == "⋯ 28");
    CHECK(fit_label(run, 4).empty());
    const Label state{.name = "free (inactive)", .note = "4.67 GiB", .brief = "free"};
    CHECK(fit_label(state, 25) == "free (inactive)  4.67 GiB");
    CHECK(fit_label(state, 24) == "free  4.67 GiB"); // the bytes go before PyTorch's name of a state
    CHECK(fit_label(state, 13) == "free");
    CHECK(fit_label(state, 3).empty());
  }
}

TEST_CASE("fit_line_label keeps the line to the last") {
  const Label label{.name = "forward", .place = "model.py:41", .note = "19.5 MiB"};
  CHECK(fit_line_label(label, 28) == "forward model.py:41");
  CHECK(fit_line_label(label, 18) == "forward :41");
  CHECK(fit_line_label(label, 9) == "forw… :41");
  CHECK(fit_line_label(label, 8) == ":41");
  CHECK(fit_line_label(label, 2).empty());
  CHECK(fit_line_label({.name = "f", .place = "model.py:41"}, 5) == "f :41");
  const Label library{.name = "cuMemAlloc_v2", .place = "libcuda.so.1"};
  CHECK(fit_line_label(library, 26) == "cuMemAlloc_v2 libcuda.so.1");
  CHECK(fit_line_label(library, 25) == "cuMemAlloc_v2");
  CHECK(fit_line_label(library, 8) == "cuMemAl…");
}

TEST_CASE("sans_width is no less than what DejaVu Sans needs") {
  // Advances in thousandths of an em, from the font.
  CHECK(sans_width("+", 1000) >= 838);
  CHECK(sans_width("<", 1000) >= 838);
  CHECK(sans_width("=", 1000) >= 838);
  CHECK(sans_width("~", 1000) >= 838);
  CHECK(sans_width("#", 1000) >= 838);
  CHECK(sans_width("&", 1000) >= 780);
  CHECK(sans_width("^", 1000) >= 838);
  CHECK(sans_width("%", 1000) >= 950);
  CHECK(sans_width("m", 1000) >= 974);
}

TEST_CASE("fit_sans never gets wider than asked") {
  const std::string text = "WWWWWWWW 模型 iiiiiiii forward 1,234 MiB reserved";
  for (double width = 30; width < 900; width += 7)
    CHECK(sans_width(fit_sans(text, width, 12), 12) <= width);
  CHECK(fit_sans(text, 900, 12) == text);
}

TEST_CASE("wrap") {
  CHECK(wrap("", 100, 12).empty());
  SUBCASE("breaks at spaces and loses no word") {
    const std::string text = "one device reports more bytes than its blocks hold";
    std::string joined;
    for (const std::string& line : wrap(text, 120, 12)) {
      CHECK(sans_width(line, 12) <= 120);
      joined += (joined.empty() ? "" : " ") + line;
    }
    CHECK(joined == text);
  }
  SUBCASE("keeps a number and its unit together") {
    const std::string text = "it holds 12.5 GiB (75.0 %) of 16.0 GiB, and 3.00 KiB (< 0.1 %) of 4 B";
    for (double width = 60; width < 400; width += 3)
      for (const std::string& line : wrap(text, width, 12))
        for (const char* unit : {"GiB", "%", "KiB", "B"})
          CHECK_FALSE(line.starts_with(unit));
  }
  SUBCASE("breaks a word that is longer than a line") {
    const std::string word(500, 'x');
    std::string joined;
    for (const std::string& line : wrap(word, 120, 12))
      joined += line;
    CHECK(joined == word);
  }
}
