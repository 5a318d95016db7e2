import ctypes
import os
import types

import torch

MIB = 1 << 20


def outside_bytes():
    ask = ctypes.CDLL(None).memviz_stub_outside
    ask.restype = ctypes.c_uint64
    return ask()


def init_worker_distributed_environment(vllm_config):
    pass


class Worker:
    """Rank 0, which meets no others."""

    def __init__(self):
        ranks = int(os.environ.get("FAKE_SERVER_RANKS", "1"))
        parallel = types.SimpleNamespace(tensor_parallel_size=ranks, pipeline_parallel_size=1)
        model = types.SimpleNamespace(is_moe=ranks > 1)
        self.vllm_config = types.SimpleNamespace(parallel_config=parallel, model_config=model)
        init_worker_distributed_environment(self.vllm_config)
        self.outside_at_start = outside_bytes()
        if ranks > 1:
            print("outside of PyTorch at the start:", self.outside_at_start // MIB, "MiB")

    def load_model(self):
        torch.allocate(100 * MIB)
        self.model_runner = types.SimpleNamespace(model_memory_usage=100 * MIB, get_model=lambda: None)

    def determine_available_memory(self):
        torch.release(torch.allocate(50 * MIB))
        self.requested_memory = 900 * MIB
        self.peak_activation_memory = 50 * MIB
        self.non_torch_memory = outside_bytes() - self.outside_at_start
        return 750 * MIB

    def initialize_from_config(self):
        torch.allocate(750 * MIB)

    def sleep(self, level=1):
        pass

    def wake_up(self, tags=None):
        pass
