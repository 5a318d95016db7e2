#pragma once

// A Python program that uses a torch of the tests -> what `memviz rehearse` makes of it, on a made-up GPU that does
// nothing.

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/rehearsal_stub.hpp"

#include <cstdlib>
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

private:
  TemporaryFolder folder_;
};

/// A program that fits, and the options of a GPU that it fits on.
inline const std::string kFits =
    "import torch\na = torch.allocate(100 << 20)\nb = torch.allocate(50 << 20)\ntorch.release(a)\n";
inline const std::vector<std::string> kSmall{"--gpu", "small"};

} // namespace memviz::test
