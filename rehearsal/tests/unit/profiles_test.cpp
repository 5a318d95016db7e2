#include "run/profiles.hpp"

#include "memviz/error.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::rehearse;

namespace {

/// A folder with a profile for each pair of its name and its device's name.
class Gpus {
public:
  Gpus() {
    std::filesystem::create_directories(folder_ / "profiles");
    const std::vector<std::pair<std::string, std::string>> gpus{{"h100-nvl", "NVIDIA H100 NVL"},
                                                                {"h200", "NVIDIA H200"},
                                                                {"h20", "NVIDIA H20"},
                                                                {"l20", "NVIDIA L20"},
                                                                {"rtx-5060-ti", "NVIDIA GeForce RTX 5060 Ti"},
                                                                {"rtx-6000-ada", "NVIDIA RTX 6000 Ada Generation"},
                                                                {"a100-40", "NVIDIA A100-SXM4-40GB"},
                                                                {"a100-80", "NVIDIA A100-SXM4-80GB"},
                                                                {"a10g", "NVIDIA A10G"},
                                                                {"rtx-4090", "NVIDIA GeForce RTX 4090"},
                                                                {"rtx-3090", "NVIDIA GeForce RTX 3090"},
                                                                {"t4", "Tesla T4"},
                                                                {"a6000", "NVIDIA RTX A6000"}};
    for (const auto& [name, device] : gpus)
      test::write_bytes(folder_ / ("profiles/" + name + ".profile"), "device = " + device + "\ntotal_bytes = 1000\n");
    test::write_bytes(folder_ / "profiles/h100-80.profile",
                      "device = NVIDIA H100 80GB HBM3\nalso_called = h100\ntotal_bytes = 1000\n");
    test::write_bytes(
        folder_ / "profiles/h100-80-mig-3g.40gb.profile",
        "device = NVIDIA H100 80GB HBM3 MIG 3g.40gb\nalso_called = h100-mig-3g.40gb\ntotal_bytes = 1000\n");
  }
  [[nodiscard]] std::string named(const std::string& name) const {
    return profile_file(std::string(folder_ / ""), name).stem().string();
  }

private:
  test::TemporaryFolder folder_;
};

} // namespace

TEST_CASE("profiles of GPUs") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "profiles");
  test::write_bytes(folder / "profiles/t4.profile",
                    "# a comment\nname = Tesla T4 # its name\n total_bytes=1000\ncontext_bytes = 10\nother = x\n");
  test::write_bytes(folder / "profiles/wrong.profile", "total_bytes = many\n");
  test::write_bytes(folder / "profiles/empty.profile", "");
  CHECK(profile_names(std::string(folder / "")) == std::vector<std::string>{"empty", "t4", "wrong"});
  const Profile profile = read_profile(profile_file(std::string(folder / ""), "t4"));
  CHECK(profile.name == "t4");
  CHECK(profile.gpu == "Tesla T4");
  CHECK(profile.total_bytes == 1000);
  CHECK(profile.context_bytes == 10);
  CHECK(read_profile(profile_file("/nowhere", folder / "profiles/t4.profile")).gpu == "Tesla T4");
  CHECK_THROWS_AS(static_cast<void>(read_profile(folder / "profiles/wrong.profile")), UsageError);
  CHECK_THROWS_AS(static_cast<void>(read_profile(folder / "profiles/empty.profile")), UsageError);
  CHECK_THROWS_AS(static_cast<void>(read_profile("/dev/zero")), UsageError);
  CHECK_THROWS_WITH_AS(static_cast<void>(profile_file(std::string(folder / ""), "t5")),
                       "--gpu: 't5' is unknown; there are empty, t4, wrong; a profile of your own has a '/' in its "
                       "name",
                       UsageError);
  CHECK_THROWS_AS(static_cast<void>(profile_file(std::string(folder / ""), "./none")), UsageError);
}

TEST_CASE("GPUs have the names that people give them") {
  const Gpus gpus;
  for (const auto& [name, profile] :
       std::vector<std::pair<std::string, std::string>>{{"h100", "h100-80"},
                                                        {"H100 80GB", "h100-80"},
                                                        {"h100-nvl", "h100-nvl"},
                                                        {"h100-mig-3g.40gb", "h100-80-mig-3g.40gb"},
                                                        {"NVIDIA H100 80GB HBM3 MIG 3g.40gb", "h100-80-mig-3g.40gb"},
                                                        {"H200", "h200"},
                                                        {"H20", "h20"},
                                                        {"A100-80", "a100-80"},
                                                        {"a100 40gb", "a100-40"},
                                                        {"NVIDIA A100-SXM4-40GB", "a100-40"},
                                                        {"A10G", "a10g"},
                                                        {"4090", "rtx-4090"},
                                                        {"RTX 4090", "rtx-4090"},
                                                        {"rtx4090", "rtx-4090"},
                                                        {"GeForce RTX 3090", "rtx-3090"},
                                                        {"RTX A6000", "a6000"},
                                                        {"Tesla T4", "t4"}}) {
    const std::string asked = name;
    CAPTURE(asked);
    CHECK(gpus.named(asked) == profile);
  }
}

TEST_CASE("a name that several GPUs have lists them, and one of AMD's is refused with the reason") {
  const Gpus gpus;
  CHECK_THROWS_WITH_AS(static_cast<void>(gpus.named("A100")), "--gpu: 'A100' may be a100-40 or a100-80", UsageError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gpus.named("rtx")),
                       "--gpu: 'rtx' may be rtx-3090, rtx-4090, rtx-5060-ti or rtx-6000-ada", UsageError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gpus.named("")), doctest::Contains("'' is unknown"), UsageError);
  for (const char* const name : {"RTX 30", "h1", "a1", "A10", "rtx-5060", "Quadro RTX 6000", "l2"})
    CHECK_THROWS_WITH_AS(static_cast<void>(gpus.named(name)), doctest::Contains("is unknown"), UsageError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gpus.named("h1000")), doctest::Contains("'h1000' is unknown"), UsageError);
  for (const char* const name : {"mi300x", "MI250", "AMD Instinct MI300X", "gfx942", "Radeon RX 7900 XTX", "rx7900"})
    CHECK_THROWS_WITH_AS(static_cast<void>(gpus.named(name)), doctest::Contains("through ROCm"), UsageError);
}

TEST_CASE("a list of GPUs") {
  CHECK(parse_gpus("h100, RTX 4090") == std::vector<std::string>{"h100", "RTX 4090"});
  CHECK_THROWS_AS(static_cast<void>(parse_gpus("h100,")), UsageError);
  CHECK_THROWS_AS(static_cast<void>(parse_gpus("")), UsageError);
}
