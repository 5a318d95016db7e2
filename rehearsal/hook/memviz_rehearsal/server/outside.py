"""Models the memory that the driver and libraries take of a GPU outside PyTorch while vLLM runs. The made-up GPU cannot
know it, because it depends on the driver and on kernels whose code is not read.

docs/servers-truth.md has the evidence: the logs that the model was fitted on, those that it was tested on, and its errors. It
applies only where such logs exist: to vLLM from 0.19, on GPUs of compute capability 9.0.
"""

import ctypes
import re
import sys

_GIB = 1 << 30
_LEAST_VLLM = (0, 19)
_CAPABILITY = (9, 0)
# By tensor and pipeline parallel size, and from which hidden size of the model on: the growth outside PyTorch in vLLM's
# profile run, as the minimum and maximum of the logs, in GiB. With tensor parallelism most of it is NCCL's. For pipelines
# there is one log of each size; all show 0.07.
_OUTSIDE_GIB = {
    (1, 1): {0: (0.25, 0.24, 0.27)},
    (2, 1): {0: (2.07, 2.06, 2.07), 8192: (2.10, 2.09, 2.11)},
    (4, 1): {0: (2.13, 2.13, 2.13), 5120: (2.17, 2.17, 2.17), 8192: (2.21, 2.21, 2.21)},
    (1, 2): {0: (0.07, 0.06, 0.08)},
    (1, 4): {0: (0.07, 0.06, 0.08)},
}
# Granite 3 as text, on one GPU, from three logs. An uneven size of the vocabulary makes the stack of a kernel larger.
_OUTSIDE_OF_GRANITE_GIB = (0.46, 0.45, 0.47)
# By tensor and pipeline parallel size: NCCL's memory when vLLM starts, before it reads the free memory for the first
# time, in GiB; and the additional memory for models with experts (three logs with two GPUs).
_START_GIB = {(2, 1): 1.00, (4, 1): 1.02, (1, 2): 0.92, (1, 4): 0.97}
_START_OF_EXPERTS_GIB = 0.48
# The bytes of each instantiated graph and of each of its nodes, and the range of what the logs show for each byte of
# their sum.
_GRAPH_BYTES = 123_500
_NODE_BYTES = 10_430
_GRAPH_RANGE = (0.84, 1.25)


def start_without_kernels():
    """Sets the memory of kernels of a server's worker to 0: servers read the free memory at moments that a typical figure
    of the GPU does not know, and those with a model get it below."""
    ctypes.CDLL(None).memviz_rehearsal_set_outside(ctypes.c_uint64(0))


class OutsideModel:
    """The model of a worker's GPU. ``is_given``: the user set the memory outside PyTorch."""

    def __init__(self, is_given):
        self._is_given = is_given
        self._has_graph_model = False
        self._start_bytes = 0

    def start_for_vllm(self, vllm_config):
        """Sets NCCL's memory on a worker's GPU when its processes meet."""
        parallel = vllm_config.parallel_config
        start = _START_GIB.get((parallel.tensor_parallel_size, parallel.pipeline_parallel_size))
        if start is None or self._is_given or not _is_known():
            return
        if parallel.pipeline_parallel_size == 1 and getattr(vllm_config.model_config, "is_moe", False):
            start += _START_OF_EXPERTS_GIB
        self._start_bytes = int(start * _GIB)
        ctypes.CDLL(None).memviz_rehearsal_set_outside(ctypes.c_uint64(self._start_bytes))

    def install_for_vllm(self, worker):
        """Sets the model of a worker's GPU before it launches a kernel; returns its facts for the answer."""
        if not _is_known():
            return {}
        library = ctypes.CDLL(None)
        library.memviz_rehearsal_set_graph_model(ctypes.c_uint64(_GRAPH_BYTES), ctypes.c_uint64(_NODE_BYTES))
        self._has_graph_model = True
        outside = _outside_gib(worker.vllm_config)
        if outside is None or self._is_given:
            return {}
        likely, least, most = (int(gib * _GIB) for gib in outside)
        library.memviz_rehearsal_set_outside(ctypes.c_uint64(self._start_bytes + likely))
        return {"outside_model_bytes": likely, "outside_least_bytes": least, "outside_most_bytes": most}

    def graph_facts(self):
        """Returns the made-up GPU's count of instantiated graphs, and their memory according to the model."""
        numbers = (ctypes.c_uint64 * 3)()
        ctypes.CDLL(None).memviz_rehearsal_graphs(numbers)
        graphs, nodes, model_bytes = numbers
        facts = {"graphs": graphs, "graph_nodes": nodes}
        if self._has_graph_model and graphs > 0:
            facts["graph_model_bytes"] = model_bytes
            facts["graph_least_bytes"], facts["graph_most_bytes"] = (int(model_bytes * share) for share in _GRAPH_RANGE)
        return facts


def _outside_gib(vllm_config):
    parallel, model = vllm_config.parallel_config, vllm_config.model_config
    sizes = (parallel.tensor_parallel_size, parallel.pipeline_parallel_size)
    if sizes == (1, 1) and getattr(model, "architecture", "") == "GraniteForCausalLM":
        return _OUTSIDE_OF_GRANITE_GIB
    hidden = model.get_hidden_size() if hasattr(model, "get_hidden_size") else 0
    by_hidden = _OUTSIDE_GIB.get(sizes, {})
    return by_hidden.get(max((least for least in by_hidden if least <= hidden), default=None))


def _is_known():
    version = tuple(map(int, re.findall(r"\d+", sys.modules["vllm"].__version__)[:2]))
    return version >= _LEAST_VLLM and sys.modules["torch"].cuda.get_device_capability() == _CAPABILITY
