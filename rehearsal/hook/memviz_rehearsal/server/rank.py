"""Lets vLLM be one rank of a job whose other ranks are absent (`memviz rehearse --world`). It starts no ranks itself,
and exchanges outside torch.distributed follow the same rule: an absent rank did what this rank did.

This covers vLLM 0.19: the executor of programs whose ranks a launcher starts, message queues and the test for a common
node in shared memory, and the buffers of CUDA graphs that its custom all-reduce exchanges.
"""

import os
import sys

from memviz_rehearsal.journal import is_there

_LAUNCHED = "external_launcher"
_LEAVE_OUT = "leave --world out, and give --devices"


def install(act_at_imports):
    acts = (
        ("vllm.logger", _let_each_rank_log),
        ("vllm.distributed.device_communicators.shm_broadcast", _leave_out_queues),
        ("vllm.distributed.parallel_state", _know_nodes),
        ("vllm.distributed.device_communicators.custom_all_reduce", _answer_graph_buffers),
    )
    act_at_imports(acts)


def become_rank(server, arguments, ranks):
    """Changes the options of a server so that this process is a rank of it; returns the added options, and the
    reason if it cannot be one."""
    if server != "vLLM":
        starts = f"{server} starts its ranks itself"
        return None, f"{starts}: {_LEAVE_OUT}" if getattr(arguments, "tp_size", 1) > 1 else None
    if getattr(arguments, "data_parallel_size", 1) > 1:
        return None, f"--data-parallel-size starts an engine for each of its ranks: {_LEAVE_OUT}"
    tensor, pipeline = arguments.tensor_parallel_size, arguments.pipeline_parallel_size
    if tensor * pipeline != ranks:
        sizes = f"--tensor-parallel-size {tensor} and --pipeline-parallel-size {pipeline}"
        return None, f"{sizes} make a server of {_count(tensor * pipeline)}, and --world gives it {_count(ranks)}"
    if ranks == 1 or arguments.distributed_executor_backend == _LAUNCHED:
        return None, None
    arguments.distributed_executor_backend = _LAUNCHED
    return f"--distributed-executor-backend {_LAUNCHED}", None


def _count(ranks):
    return "1 rank" if ranks == 1 else f"{ranks} ranks"


def _let_each_rank_log(module):
    """The first rank of a node logs for the others, and it may be absent."""
    if is_there(module, "_should_log_with_scope"):
        module._should_log_with_scope = lambda scope: True


def _leave_out_queues(module):
    """The group then sends objects through torch.distributed."""
    if is_there(module.MessageQueue, "create_from_process_group"):
        module.MessageQueue.create_from_process_group = staticmethod(lambda *arguments, **named: None)


def _know_nodes(module):
    """Places ranks on nodes according to `memviz rehearse --local-world`."""
    original = module.in_the_same_node_as

    def in_the_same_node_as(pg, source_rank=0):
        distributed = sys.modules["torch"].distributed
        if not isinstance(pg, distributed.ProcessGroup):
            return original(pg, source_rank)
        node_ranks = int(os.environ["LOCAL_WORLD_SIZE"])
        nodes = [rank // node_ranks for rank in distributed.get_process_group_ranks(pg)]
        return [node == nodes[source_rank] for node in nodes]

    module.in_the_same_node_as = in_the_same_node_as


def _answer_graph_buffers(module):
    """Each rank broadcasts its handles; those of absent ranks are this rank's, which the made-up GPU opens as a
    peer's."""

    def register_graph_buffers(self):
        handle, offset = module.ops.get_graph_buffer_ipc_meta(self._ptr)
        module.ops.register_graph_buffers(self._ptr, [handle] * self.world_size, [offset] * self.world_size)

    if is_there(module.CustomAllreduce, "register_graph_buffers"):
        module.CustomAllreduce.register_graph_buffers = register_graph_buffers
