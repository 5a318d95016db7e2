#include "io/program.hpp"
#include "memviz/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <thread>

using namespace memviz;
using namespace memviz::test;

namespace {

std::uint32_t word_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word = word << 8U | static_cast<std::uint8_t>(bytes.at(offset + i));
  return word;
}

bool is_png(const std::string& bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n") && bytes.substr(12, 4) == "IHDR";
}

std::uint32_t png_width(const std::string& bytes) {
  return word_at(bytes, 16);
}

class PathSetting {
public:
  explicit PathSetting(const std::string& path) { setenv("PATH", path.c_str(), 1); }
  PathSetting(const PathSetting&) = delete;
  PathSetting& operator=(const PathSetting&) = delete;
  ~PathSetting() { setenv("PATH", before_.c_str(), 1); }

private:
  std::string before_ = std::getenv("PATH");
};

bool has_converter() {
  if (has_program("rsvg-convert")) return true;
  MESSAGE("skipped: no rsvg-convert");
  return false;
}

} // namespace

TEST_CASE("a picture may be a PNG or a PDF, by the name of the output or by --format") {
  if (!has_converter()) return;
  const TemporaryFolder folder;
  CHECK(run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.png"}).exit_code == 0);
  const std::string png = read_bytes(folder / "mem.png");
  REQUIRE(is_png(png));
  CHECK(png_width(png) == 1800);
  const std::string small =
      run({"flame", testdata_file("training_step"), "-q", "-o", "-", "--format", "png", "--zoom", "1"}).out;
  REQUIRE(is_png(small));
  CHECK(png_width(small) == 900);
  CHECK(run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.pdf"}).exit_code == 0);
  CHECK(read_bytes(folder / "mem.pdf").starts_with("%PDF-"));
  CHECK(run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.PNG"}).exit_code == 0);
  CHECK(is_png(read_bytes(folder / "mem.PNG")));
  CHECK(run({"compare", testdata_file("run_main"), testdata_file("run_branch"), "-q", "-o", folder / "diff.png"})
            .exit_code == 0);
  CHECK(is_png(read_bytes(folder / "diff.png")));
  CHECK(run({"flame", testdata_file("training_step"), "-q", "-o", folder / "odd.png", "--format", "svg"}).exit_code ==
        0);
  CHECK(read_bytes(folder / "odd.png").find("<svg") != std::string::npos);
}

TEST_CASE("without rsvg-convert other formats are refused before the work, and say what to install") {
  const TemporaryFolder folder;
  const PathSetting nothing(folder / "");
  const Outcome outcome = run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.png"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.find("librsvg2-bin") != std::string::npos);
  CHECK(folder.names().empty());
}

TEST_CASE("where there is only resvg, it makes the PNG, and no PDF") {
  const TemporaryFolder folder;
  const std::string draws = "#!/bin/sh\nif [ $1 = --list-fonts ]; then echo \"sans-serif: A\n$FONT\"; exit; fi\n";
  write_bytes(folder / "resvg", draws + "echo \"$@\"\n/bin/grep -c '</svg>'\n");
  ::chmod((folder / "resvg").c_str(), 0700);
  const PathSetting only(folder / "");
  const std::vector<std::string> flame{"flame",           testdata_file("training_step"), "-q", "--zoom", "1.5", "-o",
                                       folder / "mem.png"};
  const Outcome without_fonts = run(flame);
  CHECK(without_fonts.exit_code == 1);
  CHECK(without_fonts.err.find("resvg finds none of the fonts") != std::string::npos);
  setenv("FONT", "/fonts/a.ttf: 'DejaVu Sans Mono'", 1);
  CHECK(run(flame).exit_code == 0);
  unsetenv("FONT");
  CHECK(read_bytes(folder / "mem.png") == "--quiet --resources-dir / --zoom 1.5 - -c\n1\n");
  const Outcome pdf = run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.pdf"});
  CHECK(pdf.exit_code == 1);
  CHECK(pdf.err.find("pdf needs the program rsvg-convert") != std::string::npos);
}

TEST_CASE("what another program is given is where TMPDIR says") {
  const TemporaryFolder folder;
  ::setenv("TMPDIR", (folder / "gone").c_str(), 1);
  std::string message;
  try {
    static_cast<void>(output_of({"cat"}, "bytes"));
  } catch (const Error& error) {
    message = error.what();
  }
  ::unsetenv("TMPDIR");
  CHECK(message == "no temporary file (in TMPDIR, else /tmp): no such file or directory");
}

TEST_CASE("a signal ends the converter as well") {
  const TemporaryFolder folder;
  write_bytes(folder / "rsvg-convert", "#!/bin/sh\necho $$ >" + (folder / "id") + "\nexec sleep 600\n");
  ::chmod((folder / "rsvg-convert").c_str(), 0700);
  const PathSetting beside(std::string(folder / "") + ":" + std::getenv("PATH"));
  Process process({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.png"});
  while (!std::filesystem::exists(folder / "id") || read_bytes(folder / "id").find('\n') == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  process.send(SIGTERM);
  CHECK(process.wait().exit_code == 128 + SIGTERM);
  // Whoever adopted it may not have taken note of its end.
  const std::string id = read_bytes(folder / "id");
  const std::string status = "/proc/" + id.substr(0, id.find('\n')) + "/status";
  const auto is_gone = [&] {
    return !std::filesystem::exists(status) || read_bytes(status).find("State:\tZ") != std::string::npos;
  };
  for (int tries = 0; !is_gone() && tries < 1000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(is_gone());
}

TEST_CASE("a program gets bytes and gives bytes, or an error that names it") {
  const std::string bytes(300'000, 'x');
  CHECK(output_of({"cat"}, bytes) == bytes);
  CHECK_THROWS_WITH_AS(static_cast<void>(output_of({"ls", "/no/such/folder"}, "")), doctest::Contains("ls failed: ls:"),
                       Error);
  CHECK_THROWS_AS(static_cast<void>(output_of({"no-such-program-anywhere"}, "")), Error);
  CHECK_FALSE(has_program("no-such-program-anywhere"));
  CHECK(has_program("cat"));
}
