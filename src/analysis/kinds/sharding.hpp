#pragma once

// The frames of FSDP and of DeepSpeed's ZeRO on a stack -> which part of sharded training allocates there. The
// innermost of these frames decides. The names are from torch 2.13 and DeepSpeed 0.19.8.

#include "analysis/kinds/stack_class.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memviz {

/// Returns the marks of a file of FSDP or ZeRO; 0 for other files. `file` has no backslashes.
[[nodiscard]] std::uint64_t sharding_file_marks(std::string_view file);
/// Returns the marks of a Python function that is part of FSDP or ZeRO; 0 for others.
[[nodiscard]] std::uint64_t sharding_name_marks(std::string_view name);

/// The frames of a stack, innermost first.
class ShardingFrames {
public:
  void add(std::uint64_t marks);
  /// Returns the class of the stack; nullopt if these frames do not decide it.
  [[nodiscard]] std::optional<StackClass> stack_class() const;

private:
  [[nodiscard]] std::optional<StackClass> class_of_zero() const;

  std::uint64_t innermost_ = 0;
  bool is_zero_step_ = false;
  bool is_in_optimizer_ = false;
};

} // namespace memviz
