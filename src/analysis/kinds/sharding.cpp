#include "analysis/kinds/sharding.hpp"

#include "analysis/kinds/frame_marks.hpp"

#include <algorithm>
#include <array>

namespace memviz {

namespace {

bool includes(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t count> bool is_one_of(std::string_view text, const std::array<std::string_view, count>& texts) {
  return std::ranges::find(texts, text) != texts.end();
}

constexpr std::uint64_t kRoles = mark::gathers | mark::reduces;
constexpr std::uint64_t kFiles = mark::fsdp_file | mark::collectives_file | mark::zero_file;

} // namespace

std::uint64_t sharding_file_marks(std::string_view file) {
  if (includes(file, "/fsdp/")) {
    if (file.ends_with("_param.py")) return mark::fsdp_file;
    const bool is_collective = file.ends_with("_collectives.py") || file.ends_with("/_runtime_utils.py");
    return is_collective ? std::uint64_t{mark::collectives_file} : 0;
  }
  if (file.ends_with("deepspeed/runtime/zero/partition_parameters.py")) return mark::zero_file | mark::fsdp_file;
  const bool is_zero =
      includes(file, "deepspeed/runtime/zero/") || file.ends_with("deepspeed/runtime/comm/coalesced_collectives.py");
  return is_zero ? std::uint64_t{mark::zero_file} : 0;
}

std::uint64_t sharding_name_marks(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kGathering{"foreach_all_gather", "_get_param_all_gather_inputs",
                                                              "all_gather_copy_in_cuda", "_all_gather_dtype",
                                                              "_all_gather_coalesced"};
  static constexpr std::array<std::string_view, 4> kFlattening{"flatten_dense_tensors_aligned", "defragment",
                                                               "_create_fp16_partitions_with_defragmentation",
                                                               "_create_fp16_sub_groups"};
  static constexpr std::array<std::string_view, 2> kBuckets{"setup_buckets", "_setup_for_real_optimizer"};
  if (is_one_of(name, kGathering)) return mark::gathers;
  if (is_one_of(name, kFlattening)) return mark::flattens;
  if (std::ranges::any_of(kBuckets, [&](std::string_view bucket) { return name.ends_with(bucket); }))
    return mark::buckets;
  if (name.ends_with("_create_fp32_partitions")) return mark::masters;
  if (includes(name, "norm")) return 0;
  const bool reduces = includes(name, "reduce") || includes(name, "grad") || name == "_post_backward_hook";
  return reduces ? std::uint64_t{mark::reduces} : 0;
}

void ShardingFrames::add(std::uint64_t marks) {
  if (is_in_optimizer_) return;
  // FSDP's collectives share a function that allocates.
  const bool is_decided = innermost_ != 0 && ((innermost_ & mark::collectives_file) == 0 || (innermost_ & kRoles) != 0);
  if (!is_decided && (marks & kFiles) != 0) innermost_ = marks;
  // A step of ZeRO calls the optimizer that it shards.
  is_in_optimizer_ = innermost_ == 0 && (marks & mark::optimizer_file) != 0;
  constexpr std::uint64_t kStep = mark::zero_file | mark::step;
  if ((marks & kStep) == kStep) is_zero_step_ = true;
}

std::optional<StackClass> ShardingFrames::stack_class() const {
  const auto is = [&](std::uint64_t mark) { return (innermost_ & mark) != 0; };
  if (is(mark::zero_file)) return class_of_zero();
  if (!is(mark::collectives_file)) return std::nullopt;
  if (is(mark::gathers)) return StackClass::communication;
  return is(mark::reduces) ? std::optional(StackClass::reduction) : std::nullopt;
}

std::optional<StackClass> ShardingFrames::class_of_zero() const {
  const auto is = [&](std::uint64_t mark) { return (innermost_ & mark) != 0; };
  if (is(mark::gathers)) return StackClass::communication;
  if (is(mark::buckets)) return StackClass::bucket;
  if (is(mark::masters)) return StackClass::master_copy;
  // Before the step, ZeRO casts the gradients of its partition to float32.
  if (is_zero_step_ && (is(mark::step) || is(mark::reduces))) return StackClass::gradient;
  if (is_zero_step_) return StackClass::optimizer;
  if (is(mark::reduces)) return StackClass::reduction;
  // Under zero.Init(), also in a module's constructor.
  if (is(mark::flattens) || is(mark::fsdp_file)) return StackClass::parameter;
  return is(mark::constructor) ? std::optional(StackClass::master_copy) : std::nullopt;
}

} // namespace memviz
