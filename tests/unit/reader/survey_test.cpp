#include "memviz/error.hpp"
#include "pickle/machine.hpp"
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
  CHECK(target("Pstorage 7\n.") == "storage 7");
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
      if (!pickle::kOpcodeTable[byte].name.empty() || i % 50 == 49) bytes += static_cast<char>(byte);
    }
    const Survey survey = survey_of(bytes);
    CHECK(survey.end_offset <= bytes.size());
    CHECK(survey.refused.size() == std::min<std::size_t>(survey.refused_count, pickle::kMostRefused));
  }
}

TEST_CASE("survey knows every opcode of pickletools, and no other") {
  std::size_t opcodes = 0;
  for (const auto& info : pickle::kOpcodeTable)
    opcodes += info.name.empty() ? 0U : 1U;
  CHECK(opcodes == 68);
}

TEST_CASE("the decoder refuses what the table refuses, and takes the argument that the table names") {
  for (std::size_t byte = 0; byte < pickle::kOpcodeTable.size(); ++byte) {
    const pickle::OpcodeInfo& info = pickle::kOpcodeTable[byte];
    if (info.name.empty()) continue;
    CAPTURE(info.name);
    // Two values, a list or dict to fill, values in pairs: enough for whatever each opcode pops.
    const bool is_dict = info.name.starts_with("SETITEM");
    std::string bytes = is_dict ? "}(" : "](";
    if (info.effect != pickle::Effect::fill_to_mark) bytes.pop_back();
    if (info.effect == pickle::Effect::drop_to_mark || info.effect == pickle::Effect::wrap_to_mark) bytes += '(';
    if (info.popped > 0 || info.effect == pickle::Effect::fill_to_mark) bytes += "K\x01K\x02";
    if (info.popped == 1) bytes.resize(bytes.size() - 2);
    if (info.popped == 3) bytes += "K\x03";
    if (info.name == "GET" || info.name == "BINGET" || info.name == "LONG_BINGET") bytes += std::string("q\x00", 2);
    const std::size_t opcode_offset = bytes.size();
    bytes += static_cast<char>(byte);
    switch (info.argument) {
    case pickle::OpcodeArgument::one_line: bytes += "0\n"; break;
    case pickle::OpcodeArgument::two_lines: bytes += "os\nsystem\n"; break;
    default: bytes.append(pickle::number_bytes(info.argument), '\0'); break;
    }
    if (info.name == "STRING") bytes.replace(opcode_offset + 1, 1, "''");
    const std::size_t end = bytes.size();
    pickle::Machine machine(bytes);
    const auto run = [&] {
      while (machine.offset() < end && machine.step()) {}
    };
    if (info.refused_purpose.empty()) {
      CHECK_NOTHROW(run());
      CHECK(machine.opcode_offset() == opcode_offset);
      CHECK(machine.offset() == end);
    } else {
      CHECK_THROWS_AS(run(), ParseError);
      CHECK(machine.opcode_offset() == opcode_offset);
    }
  }
}

} // namespace memviz
