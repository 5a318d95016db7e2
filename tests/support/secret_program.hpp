#pragma once

// A program with secrets in every place where a snapshot has text, and the texts that must not be visible.

#include "support/snapshot_builder.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace memviz::test {

[[nodiscard]] SnapshotBuilder secret_program();

inline constexpr std::array<std::string_view, 5> kSecretPaths{"alice", "acme_project", "hidden_model.py", "run.py",
                                                              "/home"};
inline constexpr std::array<std::string_view, 8> kSecretNames{"train_acme_step", "acme_customer_42", "AcmeRegion_7",
                                                              "acme_phase",      "AcmeStage",        "acme_key",
                                                              "acme_value",      "acme_Action"};

/// Checks that none of `secrets` is in `output`.
void check_none(std::string_view output, std::span<const std::string_view> secrets);

/// "func_k3x9q2ma" -> "func_*"
[[nodiscard]] std::string starred(std::string text);

} // namespace memviz::test
