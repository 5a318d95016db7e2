#include "program/archive.hpp"

#include "memviz/error.hpp"
#include "support/contains.hpp"
#include "support/zip_builder.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;
using program::Archive;
using program::read_archive;

namespace {

constexpr const char* kFlat = "serialized_exported_program.json";

std::string error_of(std::string_view bytes, const std::optional<std::string>& model = {}) {
  try {
    (void)read_archive(bytes, model);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("both layouts give the program's JSON, stored, deflated and with sizes of zip64") {
  for (const bool is_deflated : {false, true}) {
    for (const bool is_zip64 : {false, true}) {
      const Archive flat = read_archive(zip_archive({{kFlat, "{}", is_deflated, is_zip64}}), {});
      CHECK(flat.program_json == "{}");
      CHECK(flat.weights_json.empty());
      const Archive packed = read_archive(zip_archive({{"a/models/model.json", "{}", is_deflated, is_zip64},
                                                       {"a/data/weights/model_weights_config.json", "[]"}}),
                                          {});
      CHECK(packed.program_json == "{}");
      CHECK(packed.weights_json == "[]");
      CHECK(packed.model == "model");
    }
  }
}

TEST_CASE("numbers that JSON does not have become 0, in the place that they took, and texts stay") {
  const Archive archive =
      read_archive(zip_archive({{kFlat, R"([-Infinity, Infinity, NaN, -1, "NaN \" -Infinity", Null])"}}), {});
  CHECK(archive.program_json == R"([0        , 0       , 0  , -1, "NaN \" -Infinity", Null])");
}

TEST_CASE("an archive with several programs wants one of them named") {
  const std::string bytes = zip_archive({{"a/models/encoder.json", "1"}, {"a/models/decoder.json", "2"}});
  CHECK(contains(error_of(bytes), "several programs, choose one with --model: encoder, decoder"));
  CHECK(contains(error_of(bytes, "model"), "no program 'model'; it has encoder, decoder"));
  CHECK(read_archive(bytes, "decoder").program_json == "2");
  CHECK(contains(error_of(zip_archive({{kFlat, "{}"}}), "a"), "leave --model a out"));
}

TEST_CASE("what is not an exported program is named for what it is") {
  CHECK(contains(error_of("\x80\x04."), "expected a zip archive, as torch.export.save writes it"));
  CHECK(contains(error_of(""), "zip archive"));
  CHECK(contains(error_of(zip_archive({{"a/data.pkl", ""}})), "found tensors that torch.save wrote"));
  CHECK(contains(error_of(zip_archive({{"a/code/x.py", ""}, {"a/constants.pkl", ""}})), "found TorchScript"));
  CHECK(contains(error_of(zip_archive({{"a/data/aotinductor/model/x.so", ""}})), "AOTInductor package"));
  CHECK(contains(error_of(zip_archive({{"readme", ""}})), "a zip archive without one"));
}

TEST_CASE("archives that no writer makes are refused") {
  CHECK(contains(error_of(zip_archive({{"../x", ""}, {kFlat, "{}"}})), "an entry outside of it: ../x"));
  CHECK(contains(error_of(zip_archive({{"a/../../x", ""}, {kFlat, "{}"}})), "an entry outside"));
  CHECK(contains(error_of(zip_archive({{"/etc/passwd", ""}, {kFlat, "{}"}})), "an entry outside"));
  CHECK(contains(error_of(zip_archive({{"C:\\x", ""}, {kFlat, "{}"}})), "an entry outside"));
  CHECK(error_of(zip_archive({{kFlat, "{}"}, {kFlat, "{}"}})) != "no error");
  CHECK(error_of(zip_archive({{.name = kFlat, .content = "{}", .flags = 1}})) ==
        "serialized_exported_program.json is encrypted");
  CHECK(contains(error_of(zip_archive({{.name = kFlat, .content = "{}", .method = std::uint16_t{12}}})),
                 "compressed by method 12, expected stored or deflated"));
}

TEST_CASE("entries that share their bytes are refused") {
  std::vector<ZipEntry> entries{{kFlat, std::string(2000, ' ')}};
  for (int i = 0; i < 4; ++i)
    entries.push_back({.name = kFlat, .content = std::string(2000, ' '), .shares_data_of = std::size_t{0}});
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (i > 0) entries[i].name += std::to_string(i);
  CHECK(error_of(zip_archive(entries)) != "no error");
}

TEST_CASE("an entry that is not what the directory says is refused") {
  CHECK(error_of(zip_archive({{.name = kFlat, .content = "{}", .checksum = std::uint32_t{7}}})) ==
        "serialized_exported_program.json: CRC error");
  CHECK(error_of(
            zip_archive({{.name = kFlat, .content = "{}", .is_deflated = true, .stated_bytes = std::uint32_t{1}}})) ==
        "serialized_exported_program.json is longer than the archive's directory says");
  CHECK(error_of(
            zip_archive({{.name = kFlat, .content = "{}", .is_deflated = true, .stated_bytes = std::uint32_t{9}}})) ==
        "serialized_exported_program.json is shorter than the archive's directory says");
}

TEST_CASE("a bomb is refused before it is inflated") {
  const std::string bomb = zip_archive({{kFlat, std::string(std::size_t{100} << 20U, ' '), true}});
  CHECK(contains(error_of(bomb), "100 MiB in"));
  CHECK(contains(error_of(bomb), "out of proportion"));
}
