"""A server as one rank of a job whose other ranks are absent: what becomes of its options, and what vLLM's ranks exchange
outside of torch.distributed. Classes of this file stand in for those of vLLM 0.19 and SGLang.

usage: server_rank_test.py MEMVIZ SOURCE
"""

import os
import pathlib
import sys
import types

SOURCE = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "rehearsal/hook"))

from memviz_rehearsal.server import rank as server_rank  # noqa: E402

RANKS = 16
_VLLM = dict(tensor_parallel_size=8, pipeline_parallel_size=2, data_parallel_size=1, distributed_executor_backend=None)
OPTIONS = (
    ("vLLM", {}, RANKS, "--distributed-executor-backend external_launcher", None),
    ("vLLM", {"distributed_executor_backend": "external_launcher"}, RANKS, None, None),
    ("vLLM", {"tensor_parallel_size": 1, "pipeline_parallel_size": 1}, 1, None, None),
    ("vLLM", {}, 8, None, "make a server of 16 ranks, and --world gives it 8 ranks"),
    ("vLLM", {"data_parallel_size": 2}, RANKS, None, "leave --world out"),
    ("SGLang", {"tp_size": 2}, 2, None, "SGLang starts its ranks itself"),
    ("SGLang", {"tp_size": 1}, 2, None, None),
)


class Group(tuple):
    """The ranks of a process group."""


class MessageQueue:
    @staticmethod
    def create_from_process_group(group, bytes, chunks):
        sys.exit("waits for absent ranks")


class CustomAllreduce:
    _ptr, world_size, registered = 5, 2, None

    def register_graph_buffers(self):
        sys.exit("broadcasts to absent ranks")


def check_options():
    for server, changes, ranks, added, reason in OPTIONS:
        arguments = types.SimpleNamespace(**{**_VLLM, **changes})
        found, refused = server_rank.become_rank(server, arguments, ranks)
        if found != added or (reason or "") not in (refused or "") or bool(refused) != bool(reason):
            sys.exit(f"{server} {changes} of {ranks} ranks: {found}, {refused}")
        if added and arguments.distributed_executor_backend != "external_launcher":
            sys.exit(f"{server} {changes}: {arguments}")


def check_exchanges():
    distributed = types.SimpleNamespace(ProcessGroup=Group, get_process_group_ranks=tuple)
    sys.modules["torch"] = types.SimpleNamespace(distributed=distributed)
    os.environ["LOCAL_WORLD_SIZE"] = "8"
    registered = []
    ops = types.SimpleNamespace(
        get_graph_buffer_ipc_meta=lambda pointer: ("handle", "offset"),
        register_graph_buffers=lambda *arguments: registered.append(arguments),
    )
    state = types.SimpleNamespace(in_the_same_node_as=lambda group, source_rank: "asked")
    logger = types.SimpleNamespace(_should_log_with_scope=lambda scope: False)
    modules = {
        "logger": logger,
        "shm_broadcast": types.SimpleNamespace(MessageQueue=MessageQueue),
        "parallel_state": state,
        "custom_all_reduce": types.SimpleNamespace(CustomAllreduce=CustomAllreduce, ops=ops),
    }
    server_rank.install(lambda acts: [act(modules[name.rpartition(".")[2]]) for name, act in acts])
    CustomAllreduce().register_graph_buffers()
    found = [
        MessageQueue.create_from_process_group(Group((0, 1)), 1, 1),
        state.in_the_same_node_as(Group((6, 7, 8, 9))),
        state.in_the_same_node_as(Group((6, 7, 8, 9)), source_rank=2),
        state.in_the_same_node_as("without PyTorch", 0),
        registered,
        logger._should_log_with_scope("local"),
    ]
    halves = [True, True, False, False]
    expected = [None, halves, halves[::-1], "asked", [(5, ["handle"] * 2, ["offset"] * 2)], True]
    if found != expected:
        sys.exit(f"found {found}")


check_options()
check_exchanges()
