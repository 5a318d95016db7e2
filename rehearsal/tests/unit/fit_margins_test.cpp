#include "run/profiles.hpp"
#include "support/files.hpp"
#include "verdict/fit_doubt_words.hpp"
#include "verdict/fit_words.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

using namespace memviz;
using namespace memviz::rehearse;

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

FitVerdict fitting_with(const Profile& profile, std::uint64_t left_bytes) {
  FitVerdict verdict;
  verdict.outcome = FitOutcome::fits;
  verdict.profile = profile;
  verdict.facts.kernel_launches = 1;
  DeviceUse use;
  use.total_bytes = profile.total_bytes;
  use.peak_bytes = use.peak_all_bytes = profile.total_bytes - left_bytes;
  verdict.facts.uses.push_back(use);
  return verdict;
}

/// docs/rehearse.md, "A margin": a program without other libraries, on a GPU whose memory is its own.
std::uint64_t documented_bytes(const Profile& profile) {
  const std::uint64_t kernels_bytes =
      profile.kernels_bytes > 0 ? 4 * kMebibyte : 244 * kMebibyte + profile.context_bytes / 2;
  const std::uint64_t least_bytes = profile.least_total_bytes;
  return kernels_bytes + (least_bytes > 0 ? profile.total_bytes - least_bytes : 0);
}

} // namespace

TEST_CASE("on no GPU a program fits for sure with less left than the range of what is not measured there") {
  std::size_t profiles = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::testdata() / "../rehearsal/gpu/profiles")) {
    const Profile profile = read_profile(entry.path());
    CAPTURE(profile.name);
    ++profiles;
    const std::uint64_t range_bytes = documented_bytes(profile);
    CHECK(uncounted_bytes(fitting_with(profile, 0)) == range_bytes);
    for (const std::uint64_t margin_bytes : {0 * kMebibyte, 10 * kMebibyte, 100 * kMebibyte, 300 * kMebibyte,
                                             700 * kMebibyte, range_bytes - 1, range_bytes}) {
      const FitVerdict verdict = fitting_with(profile, margin_bytes);
      CAPTURE(margin_bytes);
      CHECK(is_sure(verdict) == (margin_bytes >= range_bytes));
      CHECK(headline(verdict).starts_with(is_sure(verdict) ? "Fits on " : "May fit on "));
    }
  }
  CHECK(profiles >= 37);
}
