#include "pickle/opcode_table.hpp"
#include "pickle/survey.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <doctest/doctest.h>

namespace memviz {

using test::testdata_file;

using pickle::Survey;
using pickle::SurveyEnd;

namespace {

Survey survey_of(std::string_view bytes) {
  return pickle::survey(bytes);
}

} // namespace

TEST_CASE("survey counts") {
  SUBCASE("nesting as it is written, however it is written") {
    CHECK(survey_of("N.").deepest_nesting == 0);
    CHECK(survey_of("].").deepest_nesting == 1);
    CHECK(survey_of("]]]aa.").deepest_nesting == 3);
    CHECK(survey_of("](](NNe]e.").deepest_nesting == 2);
    CHECK(survey_of("}(K\x01}(K\x02)uu.").deepest_nesting == 3);
    CHECK(survey_of("((((tttt.").deepest_nesting == 4);
    CHECK(survey_of("N\x85\x85\x85.").deepest_nesting == 3);
    CHECK(survey_of("(lp0\n(dp1\na.").deepest_nesting == 2);
    CHECK(survey_of("]q\x01h\x01"
                    "a.")
              .deepest_nesting == 1);
    CHECK(survey_of("(((]a1110]0.").deepest_nesting == 1);
  }
  SUBCASE("texts and memo entries") {
    const Survey survey = survey_of("\x80\x04]\x94(\x8c\x03"
                                    "abc\x94\x8c\x05"
                                    "abcde\x94"
                                    "e.");
    CHECK(survey.longest_text_bytes == 5);
    CHECK(survey.memo_entries == 3);
    CHECK(survey.opcodes == 10);
    CHECK(survey.counts[0x94] == 3);
    CHECK(survey.end == SurveyEnd::stop);
    CHECK(survey.end_offset == 21);
  }
}

TEST_CASE("survey names what STACK_GLOBAL imports") {
  const auto target = [](const std::string& bytes) {
    const Survey survey = survey_of(bytes);
    REQUIRE(survey.refused.size() == 1);
    return survey.refused.front().target;
  };
  const std::string os = "\x8c\x02os";
  const std::string system = "\x8c\x06system";
  CHECK(target(os + system + "\x93.") == "os.system");
  CHECK(target(os + "\x94" + system + "\x94\x93.") == "os.system");
  CHECK(target(system + "\x94" + "0" + os + "h" + std::string(1, '\0') + "\x93.") == "os.system");
  CHECK(target("Vsystem\np7\n0Vos\ng7\n\x93.") == "os.system");
  CHECK(target(os + system + "N0\x93.").empty()); // by a detour: not named, but counted
}

TEST_CASE("survey ends where the bytes do, at every prefix, and where they mean nothing") {
  for (const char* name :
       {"encodings/every_opcode.pickle", "encodings/protocol0.pickle", "hostile/opcode_inst.pickle"}) {
    const std::string bytes = test::read_bytes(testdata_file(name));
    CHECK(survey_of(bytes).end == SurveyEnd::stop);
    const std::size_t step = bytes.size() > 10'000 ? 97 : 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      const Survey survey = survey_of(std::string_view(bytes).substr(0, size));
      CHECK(survey.end == SurveyEnd::truncated);
      CHECK(survey.end_offset <= size);
    }
  }
  const Survey survey = survey_of("]\xffN.");
  CHECK(survey.end == SurveyEnd::unknown_opcode);
  CHECK(survey.end_offset == 1);
  CHECK(survey_of(std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
                              "abc",
                              12))
            .end == SurveyEnd::truncated);
}

TEST_CASE("survey takes any bytes") {
  std::uint32_t state = 1;
  for (std::size_t round = 0; round < 2000; ++round) {
    std::string bytes;
    for (std::size_t i = 0; i < 200; ++i) {
      state = state * 1664525U + 1013904223U;
      // Opcodes that are there, for the most part: others end the survey at once.
      const auto byte = static_cast<std::uint8_t>(state >> 24U);
      if (!pickle::opcode_table()[byte].name.empty() || i % 50 == 49) bytes += static_cast<char>(byte);
    }
    const Survey survey = survey_of(bytes);
    CHECK(survey.end_offset <= bytes.size());
    CHECK(survey.refused.size() == std::min<std::size_t>(survey.refused_count, pickle::kMostRefused));
  }
}

TEST_CASE("survey knows every opcode of pickletools, and no other") {
  std::size_t opcodes = 0;
  for (const auto& info : pickle::opcode_table())
    opcodes += info.name.empty() ? 0U : 1U;
  CHECK(opcodes == 68);
}

} // namespace memviz
