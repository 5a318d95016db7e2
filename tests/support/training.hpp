#pragma once

// A training loop built event by event, and the kinds of memory found in it.

#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"
#include "memviz/timeline.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <string>

namespace memviz::test {

inline constexpr std::uint64_t kBase = 0x100000;
inline constexpr std::uint64_t kWeightBytes = 4096;
using Bytes = std::map<std::string, std::uint64_t>;

/// A training loop with one parameter, with the stacks that PyTorch gives its parts.
class Training {
public:
  Training()
      : module_(made.stack({"/app/train.py:3:main", "/lib/torch/nn/modules/module.py:900:_apply"})),
        forward_(made.stack(
            {"/app/train.py:9:main", "/lib/torch/nn/modules/module.py:1750:_call_impl", "/app/model.py:5:forward"})),
        backward_(made.stack({"libtorch_cpu.so:1:torch::autograd::Engine::thread_main()",
                              "libtorch_cpu.so:2:torch::autograd::generated::AddmmBackward0::apply()"})),
        state_(made.stack({"/app/train.py:11:main", "/lib/torch/optim/adam.py:100:_init_group"})),
        step_(made.stack({"/app/train.py:11:main", "/lib/torch/optim/adam.py:200:step"})) {}

  void alloc(std::uint64_t address, std::uint64_t bytes, StackId stack) {
    made.event(Action::alloc, address, bytes, stack);
    blocks_[address] = {bytes, stack, true};
  }
  void free(std::uint64_t address) {
    made.event(Action::free_completed, address, blocks_.at(address).bytes);
    blocks_.at(address).is_live = false;
  }
  /// Exists without an event, and to the end.
  void before_recording(std::uint64_t address, std::uint64_t bytes, StackId stack = kNoFrames) {
    blocks_[address] = {bytes, stack, true};
  }

  /// Exists before the events, which free it.
  void old_then_freed(std::uint64_t address) { blocks_[address] = {}; }
  [[nodiscard]] StackId forward_stack() const { return forward_; }
  [[nodiscard]] StackId backward_stack() const { return backward_; }

  void parameter() { alloc(kBase, kWeightBytes, module_); }
  void forward() {
    alloc(kBase + 0x10000, 1000, forward_); // kept for the backward pass
    alloc(kBase + 0x20000, 5000, forward_);
    free(kBase + 0x20000);
  }
  /// Allocates kept memory, and some that is freed.
  void layer(std::uint64_t address, std::uint64_t temporary_bytes = 600) {
    alloc(address, 1000, forward_);
    alloc(address + 0x10000, temporary_bytes, forward_);
    free(address + 0x10000);
  }
  void backward() {
    alloc(kBase + 0x30000, 700, backward_);
    free(kBase + 0x10000);
    alloc(kBase + 0x40000, kWeightBytes, backward_); // the gradient
    free(kBase + 0x30000);
  }
  /// Frees the kept memory at `address`.
  void backward_of(std::uint64_t address) {
    alloc(kBase + 0x30000, 700, backward_);
    free(address);
    free(kBase + 0x30000);
  }
  void first_step() { alloc(kBase + 0x50000, kWeightBytes, state_); }
  void step() {
    alloc(kBase + 0x60000, 64, step_);
    free(kBase + 0x60000);
  }
  void zero_grad() { free(kBase + 0x40000); }

  /// Returns the memory in use at the moment, by kind and evidence: "activation by behaviour".
  std::map<std::string, std::uint64_t> kinds(const MomentChoice& choice = {}, const KindRules& rules = {}) {
    for (const auto& [address, block] : blocks_) {
      made.segment(address, 0x10000);
      if (block.is_live) made.active(block.bytes, block.bytes, block.stack);
      made.inactive(0x10000 - (block.is_live ? block.bytes : 0));
    }
    KindWatch watch(rules);
    MemoryState state = with_births(rewind(std::make_shared<const Recording>(made.take()), choice, &watch));
    CHECK(watch.has_declarations() == expects_declarations);
    add_kinds(state, watch);
    const std::vector<DeviceRecord> record = record_timeline(*state.recording);
    for (const DeviceRecord& one : record)
      CHECK(kinds_of(one, state, watch).lives.size() == one.lives.size());
    std::map<std::string, std::uint64_t> bytes;
    for (std::size_t i = 0; i < state.blocks.size(); ++i)
      if (state.blocks[i].is_active())
        bytes[std::string(kind_name(state.facts[i].kind.kind)) + " by " +
              std::string(evidence_name(state.facts[i].kind.evidence))] += state.blocks[i].requested_bytes;
    std::uint64_t account_bytes = 0;
    for (const KindAmount& amount : kind_account(state, std::nullopt))
      account_bytes += amount.bytes;
    CHECK(account_bytes == sum_of(state.devices).requested_bytes);
    return bytes;
  }

  SmallSnapshot made;
  bool expects_declarations = false;

private:
  struct Block {
    std::uint64_t bytes = 0;
    StackId stack;
    bool is_live = false;
  };
  std::map<std::uint64_t, Block> blocks_;
  StackId module_;
  StackId forward_;
  StackId backward_;
  StackId state_;
  StackId step_;
};

} // namespace memviz::test
