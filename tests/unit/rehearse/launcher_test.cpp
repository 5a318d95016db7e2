#include "rehearse/launcher.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using memviz::rehearse::Launch;

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

std::optional<Launch> launch_of(const std::string& line) {
  return memviz::rehearse::launch_of(words_of(line));
}

/// Nodes times the ranks of each; 0 where there is no launcher, or it does not say.
std::uint64_t ranks_of(const std::string& line) {
  const auto launch = launch_of(line);
  return launch ? launch->nodes * launch->node_ranks.value_or(0) : 0;
}

} // namespace

TEST_CASE("the ranks that torchrun is asked for") {
  CHECK(ranks_of("torchrun --nnodes 64 --nproc-per-node 8 train.py") == 512);
  CHECK(ranks_of("/venv/bin/torchrun --nnodes=64 --nproc_per_node=8 train.py --nnodes 3") == 512);
  CHECK(ranks_of("torchrun --nnodes 1:4 --nproc-per-node 8 --standalone -m train --nproc-per-node 2") == 32);
  CHECK(ranks_of("torchrun --rdzv-backend c10d --rdzv-endpoint host:29500 --nproc-per-node 4 train.py") == 4);
  CHECK(ranks_of("python3.11 -u -m torch.distributed.run --nproc-per-node 4 train.py") == 4);
  CHECK(ranks_of("python -m torch.distributed.launch --use_env --nproc_per_node 4 train.py") == 4);
  CHECK_FALSE(launch_of("torchrun --nproc-per-node gpu train.py")->node_ranks);
  CHECK(launch_of("torchrun train.py --nnodes 64")->nodes == 1);
}

TEST_CASE("the ranks that accelerate and deepspeed are asked for") {
  CHECK(ranks_of("accelerate launch --multi_gpu --num_machines 4 --num_processes 32 --mixed_precision bf16 train.py") ==
        32);
  CHECK(launch_of("accelerate launch --num_machines 4 --num_processes 32 train.py")->node_ranks == 8);
  CHECK(ranks_of("python -m accelerate.commands.launch --use_fsdp --num-processes 16 train.py") == 16);
  CHECK(ranks_of("deepspeed --num_nodes 8 --num_gpus 8 --master_port 29501 train.py --deepspeed ds.json") == 64);
}

TEST_CASE("srun is taken off, and a launcher within it decides") {
  const auto launch = launch_of("srun -N 4 --ntasks-per-node=8 --export=ALL -l python train.py --nodes 2");
  REQUIRE(launch);
  CHECK(launch->launcher == "srun");
  CHECK(launch->nodes * *launch->node_ranks == 32);
  CHECK(launch->words == words_of("python train.py --nodes 2"));
  CHECK(ranks_of("srun -N4 -n32 python train.py") == 32);
  CHECK(ranks_of("srun --nodes 64 --ntasks-per-node 1 torchrun --nnodes 64 --nproc-per-node 8 train.py") == 512);
  CHECK(launch_of("srun --nodes 64 torchrun --nnodes 64 train.py")->launcher == "torchrun");
}

TEST_CASE("other commands have no launcher") {
  for (const char* const line :
       {"", "python train.py", "python -m train", "python train.py -m torch.distributed.run", "accelerate config",
        "accelerate", "bash torchrun", "python -m", "env torchrun train.py"}) {
    CAPTURE(line);
    CHECK_FALSE(launch_of(line));
  }
}

TEST_CASE("options that end the command, and those that are no numbers, do no harm") {
  for (const char* const line :
       {"torchrun --nnodes", "torchrun", "torchrun -", "srun -N", "torchrun --nnodes= --nproc-per-node x",
        "accelerate launch --num_machines 0 --num_processes 4 train.py"}) {
    CAPTURE(line);
    CHECK(ranks_of(line) == 0);
  }
}
