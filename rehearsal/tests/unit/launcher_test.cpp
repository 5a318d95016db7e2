#include "run/launcher.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
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

/// The ranks of the job on nodes of 8, where the launcher does not say how many they have; 0 where there is none.
std::uint64_t ranks_of(const std::string& line) {
  const auto launch = launch_of(line);
  const auto size = launch ? memviz::rehearse::size_of(*launch, 8) : std::nullopt;
  return size ? size->ranks : 0;
}

std::uint64_t node_ranks_of(const std::string& line) {
  const auto launch = launch_of(line);
  const auto size = launch ? memviz::rehearse::size_of(*launch, 8) : std::nullopt;
  return size ? size->node_ranks : 0;
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
  CHECK(ranks_of("torchrun train.py") == 1);
  CHECK(ranks_of("torchrun --nnodes") == 1);
  CHECK(ranks_of("torchrun -") == 1);
  CHECK(ranks_of("torchrun --nnodes 64 --nproc-per-node gpu train.py") == 512);
}

TEST_CASE("the ranks that accelerate and deepspeed are asked for") {
  CHECK(ranks_of("accelerate launch --multi_gpu --num_machines 4 --num_processes 32 --mixed_precision bf16 train.py") ==
        32);
  CHECK(ranks_of("accelerate launch --num_machines 0 --num_processes 4 train.py") == 4);
  CHECK(node_ranks_of("accelerate launch --num_machines 4 --num_processes 32 train.py") == 8);
  CHECK(ranks_of("python -m accelerate.commands.launch --use_fsdp --num-processes 16 train.py") == 16);
  CHECK(ranks_of("deepspeed --num_nodes 8 --num_gpus 8 --master_port 29501 train.py --deepspeed ds.json") == 64);
}

TEST_CASE("srun is taken off, and a launcher within it decides") {
  const auto launch = launch_of("srun -N 4 --ntasks-per-node=8 --export=ALL -l python train.py --nodes 2");
  REQUIRE(launch);
  CHECK(launch->launcher == "srun");
  CHECK(launch->nodes == 4);
  CHECK(launch->node_ranks == 8);
  CHECK(launch->needs_cluster);
  CHECK(launch->words == words_of("python train.py --nodes 2"));
  CHECK(ranks_of("srun -N4 -n32 python train.py") == 32);
  CHECK(ranks_of("srun --nodes 64 --ntasks-per-node 1 torchrun --nnodes 64 --nproc-per-node 8 train.py") == 512);
  CHECK(launch_of("srun --nodes 64 torchrun --nnodes 64 train.py")->launcher == "torchrun");
  CHECK(launch_of("srun --nodes 64 torchrun --nnodes 64 train.py")->needs_cluster);
  CHECK(ranks_of("srun -n 512 python train.py") == 512);
  CHECK(node_ranks_of("srun -n 512 python train.py") == 8);
  CHECK(ranks_of("srun python train.py") == 0);
}

TEST_CASE("mpirun and mpiexec are taken off") {
  const auto launch = launch_of("mpirun -np 512 --map-by ppr:4:node -x NCCL_DEBUG=INFO --mca btl self,tcp -bind-to "
                                "none --allow-run-as-root python train.py -np 2");
  REQUIRE(launch);
  CHECK(launch->launcher == "mpirun");
  CHECK(launch->ranks == 512);
  CHECK(launch->node_ranks == 4);
  CHECK_FALSE(launch->needs_cluster);
  CHECK(launch->words == words_of("python train.py -np 2"));
  CHECK(ranks_of("/opt/bin/mpirun -np 16 -H a:8,b:8 python train.py") == 16);
  CHECK(node_ranks_of("mpirun -np 16 -H a:4,b:4,c:4,d:4 python train.py") == 4);
  CHECK(node_ranks_of("mpirun -np 64 -npernode 4 python train.py") == 4);
  CHECK(node_ranks_of("mpirun -np 64 python train.py") == 8);
  CHECK(node_ranks_of("mpirun -np 4 python train.py") == 4);
  CHECK(ranks_of("mpirun python train.py") == 0);
  CHECK(ranks_of("mpirun -H a:8,b:8 python train.py") == 0);
  CHECK(ranks_of("mpirun -H a,b -npernode 8 python train.py") == 16);
  CHECK(launch_of("mpirun -np 1 ./a : -np 2 ./b")->has_several_programs);
}

TEST_CASE("mpiexec of MPICH and of Intel takes options with two values") {
  const auto launch =
      launch_of("mpiexec.hydra -n 32 -ppn 8 -genv NCCL_DEBUG INFO -genv A=1 -l -hosts a,b,c,d python train.py");
  REQUIRE(launch);
  CHECK(launch->words == words_of("python train.py"));
  CHECK(ranks_of("mpiexec -n 32 -ppn 8 python train.py") == 32);
  CHECK(node_ranks_of("mpiexec -n 32 -ppn 8 python train.py") == 8);
  CHECK(ranks_of("mpirun -np 64 --map-by ppr:1:node torchrun --nnodes 64 --nproc-per-node 8 train.py") == 512);
}

TEST_CASE("Lightning's fabric run is a launcher") {
  CHECK(ranks_of("fabric run --accelerator=cuda --devices=8 --num-nodes=64 train.py --devices 2") == 512);
  CHECK(ranks_of("lightning run model --strategy ddp --devices 4 --num_nodes 2 train.py") == 8);
  CHECK(launch_of("fabric run --devices 4 train.py")->words == words_of("fabric run --devices 4 train.py"));
  CHECK(node_ranks_of("fabric run --devices auto train.py") == 8);
  CHECK_FALSE(launch_of("fabric consolidate checkpoint"));
  CHECK_FALSE(launch_of("lightning"));
}

TEST_CASE("other commands have no launcher") {
  for (const char* const line :
       {"", "python train.py", "python -m train", "python train.py -m torch.distributed.run", "accelerate config",
        "accelerate", "bash torchrun", "python -m", "env torchrun train.py"}) {
    CAPTURE(line);
    CHECK_FALSE(launch_of(line));
  }
}

TEST_CASE("a job too large for a number is the largest number") {
  CHECK(ranks_of("torchrun --nnodes 18446744073709551615 --nproc-per-node 8 a") ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(ranks_of("mpirun -np 18446744073709551615 -N 18446744073709551615 a") ==
        std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("options that end the command, and those that are not numbers, do no harm") {
  for (const char* const line :
       {"srun -N", "torchrun --nnodes 0 --nproc-per-node x", "mpirun", "mpirun -np", "mpirun -np x python train.py",
        "mpirun --mca", "mpirun -H , --map-by ppr:: a", "mpirun -N 8 a", "mpirun -np 0 a", "srun -N 0 a"}) {
    CAPTURE(line);
    CHECK(ranks_of(line) == 0);
  }
}
