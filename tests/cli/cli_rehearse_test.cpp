#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/rehearsal_stage.hpp"
#include "support/rehearsal_stub.hpp"

#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

const std::string kTooMuch = "import torch\ntorch.allocate(100 << 20)\ntorch.allocate(2 << 30)\n";

} // namespace

TEST_CASE("rehearse runs a program as it is") {
  const RehearsalStage rehearsal;
  SUBCASE("with its own output and exit code") {
    const Outcome outcome = rehearsal.of({"sh", "-c", "echo out; echo err >&2; exit 7"});
    CHECK(outcome.exit_code == 7);
    CHECK(contains(outcome.out, "out\nNo answer: the program ended with exit code 7"));
    CHECK(outcome.err == "err\n");
    CHECK_FALSE(std::filesystem::exists(rehearsal.output())); // nothing was written into it
  }
  SUBCASE("which may be killed") {
    const Outcome outcome = rehearsal.of({"sh", "-c", "kill -KILL $$"});
    CHECK(outcome.exit_code == 128 + SIGKILL);
    CHECK(contains(outcome.out, "was ended by SIGKILL"));
  }
  SUBCASE("or never use a GPU") {
    const Outcome outcome = rehearsal.of({"true"});
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.out, "No answer. The program never used a GPU: nothing initialised CUDA."));
  }
  SUBCASE("or not be there") {
    const Outcome outcome = rehearsal.of({"no-such-program-at-all"});
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == "memviz: no such program: no-such-program-at-all\n");
  }
  SUBCASE("with what memviz adds to its environment, before what is there") {
    setenv("LD_LIBRARY_PATH", "/own/libraries", 1);
    const Outcome outcome =
        rehearsal.of({"sh", "-c",
                      "echo $LD_PRELOAD; echo $LD_LIBRARY_PATH; echo $PYTHONPATH; echo $MEMVIZ_REHEARSAL_DEVICES; "
                      "echo $MEMVIZ_REHEARSAL_MEMORY; ls $(dirname $MEMVIZ_REHEARSAL_REPORT)"},
                     {"--devices", "4", "--memory", "2GiB"});
    unsetenv("LD_LIBRARY_PATH");
    CHECK(
        contains(outcome.out, rehearsal_stub() + "/libmemviz_rehearsal.so\n" + rehearsal_stub() + ":/own/libraries\n"));
    CHECK(contains(outcome.out, ":" + fake_torch() + "\n4\n2147483648\n"));
    CHECK(contains(outcome.out, "sitecustomize.py"));
  }
  SUBCASE("and leaves no temporary folder") {
    const TemporaryFolder temporary;
    setenv("TMPDIR", std::string(temporary / "").c_str(), 1);
    static_cast<void>(rehearsal.of_python(kFits));
    unsetenv("TMPDIR");
    CHECK(temporary.names().empty());
  }
}

TEST_CASE("a program that fits") {
  const RehearsalStage rehearsal;
  const Outcome outcome = rehearsal.of_python(kFits, kSmall);
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "Fits on Small GPU (small): 151 MiB of 1.00 GiB at the peak, 873 MiB left.\n"));
  CHECK(contains(outcome.out, "Who holds it at the peak, event "));
  CHECK(contains(outcome.out, " (150 MiB asked for, 150 MiB reserved)"));
  CHECK(contains(outcome.out, "step train.py:12"));
  CHECK(contains(outcome.out, "2 copies to the host gave zeros"));
  CHECK(contains(outcome.out, "cuDNN: workspaces are a guess"));
  REQUIRE(rehearsal.files().size() == 1);
  CHECK(contains(outcome.out, rehearsal.output() + "/" + rehearsal.files()[0]));

  const Recording snapshot = rehearsal.file(rehearsal.files()[0]);
  REQUIRE(snapshot.origin.rehearsal);
  CHECK(snapshot.origin.rehearsal->gpu == "Small GPU");
  CHECK(snapshot.origin.rehearsal->profile == "small");
  CHECK(snapshot.origin.rehearsal->total_bytes == 1U << 30U);
  const std::string bytes = read_bytes(rehearsal.output() + "/" + rehearsal.files()[0]);
  CHECK_FALSE(contains(bytes, rehearsal.output()));
  CHECK_FALSE(contains(bytes, rehearsal_stub()));
}

TEST_CASE("a program that does not fit") {
  const RehearsalStage rehearsal;
  SUBCASE("is explained") {
    const Outcome outcome = rehearsal.of_python(kTooMuch, kSmall);
    CHECK(outcome.exit_code == 3);
    CHECK(contains(outcome.err, "CUDA out of memory")); // its own words
    CHECK(contains(outcome.out, "Does not fit on Small GPU (small): it ran out of memory.\n"));
    CHECK(contains(outcome.out, "GPU 0 ran out of memory: 2.00 GiB asked for by step train.py:12"));
    CHECK(contains(outcome.out, "(at an out-of-memory error)"));
    CHECK(rehearsal.files().size() == 2);
  }
  SUBCASE("although it catches the error") {
    const auto answer = rehearsal.json_of(
        "import torch\nfor _ in range(5):\n  try: torch.allocate(2 << 30)\n  except torch.OutOfMemoryError: pass\n",
        kSmall);
    CHECK(answer["verdict"]["outcome"] == "does_not_fit");
    CHECK(answer["verdict"]["ooms"] == 5);
    CHECK(answer["verdict"]["program"]["exit_code"] == 0);
    CHECK(rehearsal.files().size() == 4); // of many errors the first three, and the end
  }
  SUBCASE("until it gets more memory") {
    CHECK(rehearsal.of_python(kTooMuch, {"--memory", "4GiB"}).exit_code == 0);
  }
}

TEST_CASE("the recording follows the program's own wishes") {
  const RehearsalStage rehearsal;
  SUBCASE("its own recorder") {
    const std::string own = rehearsal / "own.pickle";
    const std::string program = "import torch\ntorch.allocate(1 << 20)\ntorch.cuda.memory._record_memory_history()\n"
                                "torch.allocate(2 << 20)\ntorch.cuda.memory._dump_snapshot('" +
                                own + "')\n";
    const auto answer = rehearsal.json_of(program, kSmall);
    CHECK(contains(answer["verdict"]["notes"].dump(), "records its own history"));
    const Recording snapshot = read_snapshot(read_bytes(own));
    CHECK(snapshot.origin.rehearsal);
    REQUIRE(snapshot.traces.size() == 1);
    CHECK(snapshot.traces[DeviceId{0}].size() == 2); // without what was recorded before
  }
  SUBCASE("--no-record") {
    const Outcome outcome = rehearsal.of_python(kTooMuch, {"--gpu", "small", "--no-record"});
    CHECK(outcome.exit_code == 3);
    CHECK(rehearsal.files().empty());
  }
  SUBCASE("--steps") {
    const auto answer =
        rehearsal.json_of("import torch\no = torch.optim.optimizer.Optimizer()\ntorch.allocate(1 << 20)\n"
                          "while True: o.step()\n",
                          {"--gpu", "small", "--steps", "3"});
    CHECK(answer["verdict"]["outcome"] == "fits");
    CHECK(answer["verdict"]["steps"] == 3);
    CHECK(answer["verdict"]["is_stopped"] == true);
    CHECK(rehearsal.files().size() == 1);
  }
  SUBCASE("peaks that the program resets") {
    const auto answer = rehearsal.json_of("import torch\na = torch.allocate(9 << 20)\ntorch.release(a)\n"
                                          "torch._C._cuda_resetPeakMemoryStats(0)\ntorch.allocate(1 << 20)\n",
                                          kSmall);
    CHECK(answer["verdict"]["devices"][0]["peak_reserved_bytes"] == 9U << 20U);
  }
  SUBCASE("a rank") {
    setenv("RANK", "3", 1);
    const auto answer = rehearsal.json_of(kFits, kSmall);
    unsetenv("RANK");
    CHECK(answer["verdict"]["devices"][0]["rank"] == 3);
    REQUIRE(rehearsal.files().size() == 1);
    CHECK(rehearsal.files()[0].starts_with("rehearsal-rank3-"));
  }
  SUBCASE("a torch without CUDA") {
    setenv("FAKE_TORCH_IS_CPU", "1", 1);
    const Outcome outcome = rehearsal.of_python("import torch");
    unsetenv("FAKE_TORCH_IS_CPU");
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.out, "its torch 2.99.0+cu130 was built without CUDA"));
  }
}

TEST_CASE("Python programs are as they were") {
  const RehearsalStage rehearsal;
  SUBCASE("their own sitecustomize runs") {
    std::filesystem::create_directories(rehearsal / "own");
    write_bytes(rehearsal / "own/sitecustomize.py", "print('mine', __name__, __file__)\n");
    setenv("PYTHONPATH", (rehearsal / "own").c_str(), 1);
    const Outcome outcome =
        rehearsal.of_python("import os, sys, sitecustomize\nprint(sitecustomize.__file__)\n"
                            "print(os.path.dirname(os.environ['MEMVIZ_REHEARSAL_REPORT']) in sys.path)");
    const std::string file = rehearsal / "own/sitecustomize.py";
    CHECK(contains(outcome.out, "mine sitecustomize " + file + "\n" + file + "\nFalse\n"));
    CHECK(outcome.err.empty());
  }
  SUBCASE("torch is not imported for them") {
    CHECK(contains(rehearsal.of_python("import sys; print('torch' in sys.modules)").out, "False\n"));
  }
  SUBCASE("a failure of the hook is theirs to ignore") {
    const Outcome outcome = rehearsal.of_python(
        "import torch\ndel torch._C._cuda_attach_out_of_memory_observer\n" + kFits.substr(13), kSmall);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK(contains(outcome.out, "Part of the recording failed, and the program went on: on_cuda: AttributeError"));
  }
}

TEST_CASE("rehearse searches") {
  const RehearsalStage rehearsal;
  const std::string program = "import os, torch\ntorch.allocate(int(os.environ['BATCH']) * (10 << 20))\n";
  SUBCASE("an environment variable") {
    const auto answer = rehearsal.json_of(program, {"--gpu", "small", "--search", "BATCH=1..256"});
    CHECK(answer["search"]["largest"] == 102); // of 1023 MiB
    CHECK(answer["search"]["runs"].size() <= 10);
    CHECK(answer["verdict"]["outcome"] == "fits");
    // Only what the answer is about stays.
    CHECK(std::filesystem::exists(rehearsal.output() + "/BATCH-102"));
    CHECK(std::filesystem::exists(rehearsal.output() + "/BATCH-103"));
    CHECK_FALSE(std::filesystem::exists(rehearsal.output() + "/BATCH-1"));
  }
  SUBCASE("a word of the command") {
    const Outcome outcome =
        rehearsal.of({"python3", "-B", "-c", "import sys, torch\ntorch.allocate(int(sys.argv[1]) << 20)\n", "{}00"},
                     {"--gpu", "small", "--search", "N=1..20"});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.err, "memviz: rehearse: N=1: fits: 101 MiB of 1.00 GiB\n"));
    CHECK(contains(outcome.err, "memviz: rehearse: N=20: does not fit: 1.95 GiB asked for\n"));
    CHECK(contains(outcome.out, "N=10 is the largest that fits; N=11 does not."));
  }
  SUBCASE("where nothing fits") {
    CHECK(rehearsal.of_python(program, {"--gpu", "small", "--search", "BATCH=500..900", "--quiet"}).exit_code == 3);
  }
  SUBCASE("until the program fails otherwise") {
    const Outcome outcome = rehearsal.of_python(
        "import os, torch\ntorch.allocate(1)\nassert int(os.environ['B']) < 4\n", {"--search", "B=1..9"});
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.out, "No answer for B=1..9: with B=9 the program failed for another reason than memory."));
  }
  SUBCASE("without what the program writes") {
    const std::string talks = "import os, sys, torch\nprint('said', os.environ['BATCH'], flush=True)\n"
                              "print('warned', file=sys.stderr, flush=True)\n";
    const std::vector<std::string> options{"--gpu", "small", "--search", "BATCH=1..200"};
    const Outcome outcome = rehearsal.of_python(talks + program, options);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.starts_with("BATCH=102 is the largest"));
    CHECK_FALSE(contains(outcome.err, "warned"));
    CHECK_FALSE(contains(outcome.err, "OutOfMemoryError")); // which is an answer
    std::istringstream lines(outcome.err);
    for (std::string line; std::getline(lines, line);)
      CHECK_MESSAGE(line.starts_with("memviz: rehearse: BATCH="), line);
  }
  SUBCASE("with all that the program writes, where that is asked for") {
    const Outcome outcome = rehearsal.of_python("import os\nprint('said', os.environ['BATCH'], flush=True)\n" + program,
                                                {"--gpu", "small", "--search", "BATCH=101..103", "--show-output"});
    CHECK(outcome.out.starts_with("said 101\nsaid 103\nsaid 102\nBATCH=102 is the largest"));
    CHECK(contains(outcome.err, "OutOfMemoryError"));
  }
  SUBCASE("with what the program wrote where it fails otherwise") {
    const Outcome outcome = rehearsal.of({"sh", "-c", "echo out $B; echo err >&2; exit 7"}, {"--search", "B=3..9"});
    CHECK(outcome.exit_code == 7);
    CHECK(outcome.err.starts_with("out 3\nerr\nmemviz: rehearse: B=3: "));
    CHECK(outcome.out.starts_with("No answer for B=3..9"));
  }
  SUBCASE("with a variable that nobody reads") {
    CHECK(contains(rehearsal.of_python(kFits, {"--search", "B=1..9"}).out,
                   "with the same peak: does the program read B?"));
  }
}

TEST_CASE("rehearse compares settings") {
  const RehearsalStage rehearsal;
  const Outcome outcome =
      rehearsal.of_python("import os, torch\ntorch.allocate(int(os.environ.get('MIB', '2000')) << 20)\n",
                          {"--gpu", "small", "--compare-with", "MIB=500", "--compare-with", "MIB=3000"});
  CHECK(outcome.exit_code == 3); // as it is, it does not fit
  CHECK(contains(outcome.out, "With MIB=500: fits"));
  CHECK(contains(outcome.out, "With MIB=3000: still does not fit"));
  CHECK(contains(outcome.err, "memviz: rehearse: as it is: does not fit"));
  CHECK(std::filesystem::exists(rehearsal.output() + "/variant-1"));
}

TEST_CASE("mistakes in the options of rehearse are found before the program runs") {
  const RehearsalStage rehearsal;
  const std::string witness = rehearsal / "it-ran";
  const auto error_of = [&](std::vector<std::string> options) {
    options.insert(options.begin(), "rehearse");
    options.insert(options.end(), {"--", "touch", witness});
    const Outcome outcome = run(options);
    CHECK(outcome.exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(witness));
    return outcome.err;
  };
  CHECK(contains(error_of({"--gpu", "h1000"}), "'h1000' is not known; there are h100-80, small"));
  CHECK(contains(error_of({"--gpu", "./none"}), "no such file"));
  CHECK(contains(error_of({"--devices", "0"}), "--devices must be a number from 1 to 1024"));
  CHECK(contains(error_of({"--steps", "x"}), "--steps must be"));
  CHECK(contains(error_of({"--memory", "1KiB"}), "the context alone takes 1.00 MiB"));
  CHECK(contains(error_of({"--memory", "much"}), "--memory must be a size"));
  CHECK(contains(error_of({"--max-entries", "0"}), "--max-entries must be"));
  CHECK(contains(error_of({"--search", "BATCH"}), "as in BATCH=1..256"));
  CHECK(contains(error_of({"--compare-with", "x"}), "NAME=VALUE"));
  CHECK(contains(error_of({"--search", "A=1..2", "--compare-with", "B=1"}), "exclude each other"));
  CHECK(contains(error_of({"--show-output"}), "--show-output is for --search"));
  CHECK(contains(error_of({"--nonsense"}), "unknown option '--nonsense'"));
  CHECK(contains(error_of({"-o", "-"}), "names a folder"));
  CHECK(contains(error_of({"python"}), "'python' must stand behind --"));
  CHECK(contains(run({"rehearse"}).err, "needs a program"));
  CHECK(contains(run({"rehearse", "--"}).err, "needs a program"));
  CHECK(run({"rehearse", "--help"}).exit_code == 0);

  setenv("MEMVIZ_REHEARSAL_DIR", "/nowhere", 1);
  const Outcome outcome = run({"rehearse", "--", "true"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "the made-up GPU (libmemviz_rehearsal.so) is not there; looked in /nowhere."));
}

TEST_CASE("a program's own --help is its own") {
  const RehearsalStage rehearsal;
  CHECK(contains(rehearsal.of({"printf", "%s\\n", "--help"}).out, "--help\n"));
}
