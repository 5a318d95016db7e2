#pragma once

// A Python program that uses a torch of the tests -> what `memviz rehearse` makes of it, on a made-up GPU that does
// nothing.

#include "memviz/recording.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/rehearsal_stub.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memviz::test {

/// A folder for the output, with a made-up GPU that does nothing, and Python programs that import a torch of the tests.
class RehearsalStage {
public:
  RehearsalStage() {
    setenv("MEMVIZ_REHEARSAL_DIR", rehearsal_stub().c_str(), 1);
    setenv("PYTHONPATH", fake_torch().c_str(), 1);
  }
  RehearsalStage(const RehearsalStage&) = delete;
  RehearsalStage& operator=(const RehearsalStage&) = delete;
  ~RehearsalStage() {
    unsetenv("MEMVIZ_REHEARSAL_DIR");
    unsetenv("PYTHONPATH");
  }

  [[nodiscard]] std::string output() const { return folder_ / "out"; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] Outcome of(std::vector<std::string> program, std::vector<std::string> options = {}) const {
    std::vector<std::string> words{"rehearse", "-o", output()};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return run(words);
  }
  [[nodiscard]] Outcome of_python(const std::string& program, std::vector<std::string> options = {}) const {
    return of({"python3", "-B", "-c", program}, std::move(options));
  }
  /// Returns what --json writes.
  [[nodiscard]] nlohmann::json json_of(const std::string& program, std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--json", folder_ / "answer.json", "--quiet"});
    const Outcome outcome = of_python(program, std::move(options));
    REQUIRE_MESSAGE(std::filesystem::exists(folder_ / "answer.json"), outcome.err);
    return nlohmann::json::parse(read_bytes(folder_ / "answer.json"));
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& path : files_in(output(), ".pickle"))
      names.push_back(path.filename().string());
    return names;
  }
  [[nodiscard]] Recording file(const std::string& name) const {
    return read_snapshot(read_bytes(output() + "/" + name));
  }

private:
  TemporaryFolder folder_;
};

/// A program that fits, and the options of a GPU that it fits on.
inline const std::string kFits =
    "import torch\na = torch.allocate(100 << 20)\nb = torch.allocate(50 << 20)\ntorch.release(a)\n";
inline const std::vector<std::string> kSmall{"--gpu", "small"};

} // namespace memviz::test
