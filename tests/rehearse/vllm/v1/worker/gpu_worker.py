import ctypes
import types

import torch

MIB = 1 << 20


class Worker:
    def __init__(self):
        parallel = types.SimpleNamespace(tensor_parallel_size=1, pipeline_parallel_size=1)
        self.vllm_config = types.SimpleNamespace(parallel_config=parallel)

    def load_model(self):
        torch.allocate(100 * MIB)
        self.model_runner = types.SimpleNamespace(model_memory_usage=100 * MIB)

    def determine_available_memory(self):
        torch.release(torch.allocate(50 * MIB))
        self.requested_memory = 900 * MIB
        self.peak_activation_memory = 50 * MIB
        self.non_torch_memory = int(ctypes.CDLL(None).memviz_stub_outside())
        return 750 * MIB

    def initialize_from_config(self):
        torch.allocate(750 * MIB)
