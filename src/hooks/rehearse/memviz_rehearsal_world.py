"""Lets one process be a rank of a job whose other ranks are absent (`memviz rehearse --world`): puts a store that answers
for them under torch.distributed, and gives collectives over objects and CPU tensors the result that follows from one
rule: an absent rank did what this rank did. Collectives over CUDA tensors stay PyTorch's own, on the made-up NCCL.
"""

import atexit
import os
import re
import sys
import time
from datetime import timedelta
from urllib.parse import parse_qs, urlparse

import memviz_rehearsal_symmetric

_NCCL_ID_BYTES = 128  # sizeof(ncclUniqueId)
_MOST_WAIT_SECONDS = 20


class UnansweredKey(RuntimeError):
    """A key of a store that this rank does not write, and that no rule answers."""


def install(torch, world_size, log):
    distributed = torch.distributed
    if not distributed.is_available():
        return
    rank = int(os.environ["RANK"])
    c10d = distributed.distributed_c10d
    world_store = _store_class(distributed.Store, rank, world_size, log)
    for name in ("TCPStore", "FileStore", "HashStore"):
        _replace((distributed, c10d, sys.modules["torch.distributed.rendezvous"]), name, type(name, (world_store,), {}))
    _answer_rendezvous(world_store, rank, world_size)
    _answer_gloo(c10d)
    _answer_collectives(distributed, c10d)
    # PyTorch's threads that watch over NCCL ask the store: they have to end before Python does.
    atexit.register(lambda: distributed.is_initialized() and distributed.destroy_process_group())


def _replace(modules, name, value):
    for module in modules:
        if hasattr(module, name):
            setattr(module, name, value)


def _store_class(base, rank, world_size, log):
    class WorldStore(base):
        """Keeps what this rank writes, and answers for the absent ranks. Stores of one place share what they keep."""

        _places = {}

        def __init__(self, *place, **_):
            super().__init__()
            self._kept = self._places.setdefault(tuple(map(str, place[:2])), {})
            self._timeout = timedelta(seconds=300)

        def set(self, key, value):
            self._kept[key] = value if isinstance(value, bytes) else value.encode()

        def get(self, key):
            self.wait([key])
            return self._answer(key)

        def add(self, key, amount):
            value = int(self._kept.get(key, b"0")) + amount * world_size
            self._kept[key] = str(value).encode()
            return value

        def compare_set(self, key, expected, desired):
            if self._kept.get(key, b"") == _bytes(expected):
                self._kept[key] = _bytes(desired)
            return self._kept.get(key, _bytes(expected))

        def wait(self, keys, timeout=None):
            end = time.monotonic() + min((timeout or self._timeout).total_seconds(), _MOST_WAIT_SECONDS)
            for key in keys:
                while self._answer(key) is None:
                    if time.monotonic() > end:
                        self._refuse(key)
                    time.sleep(0.01)

        def _answer(self, key):
            if key in self._kept:
                return self._kept[key]
            if "cuda//" in key:  # the id of a communicator that an absent rank makes
                return bytes(_NCCL_ID_BYTES)
            if key.endswith("last_worker"):  # of a barrier
                return b"1"
            return memviz_rehearsal_symmetric.of_this_rank(key, self._kept) or self._of_this_rank(key)

        def _of_this_rank(self, key):
            """What this rank wrote under a key that differs in the number of the rank alone."""
            for number in re.finditer(r"\d+", key):
                own = f"{key[: number.start()]}{rank}{key[number.end() :]}"
                if int(number[0]) < world_size and own in self._kept:
                    return self._kept[own]
            return None

        def _refuse(self, key):
            text = f"rank {rank} of {world_size} waits for the key '{key}', which only an absent rank would set"
            log("failure", text=text)
            raise UnansweredKey(text)

        def check(self, keys):
            return all(key in self._kept for key in keys)

        def num_keys(self):
            return len(self._kept)

        def delete_key(self, key):
            return self._kept.pop(key, None) is not None

        def set_timeout(self, timeout):
            self._timeout = timeout

        @property
        def timeout(self):
            return self._timeout

        def clone(self):
            return self

        host = property(lambda self: os.environ["MASTER_ADDR"])
        port = property(lambda self: int(os.environ["MASTER_PORT"]))

    return WorldStore


def _bytes(value):
    return value if isinstance(value, bytes) else value.encode()


def _answer_rendezvous(world_store, rank, world_size):
    stores = {}

    def answered(url, timeout=None, **_):
        query = {key: int(values[0]) for key, values in parse_qs(urlparse(url).query).items() if key in ("rank", "world_size")}
        place = url.partition("?")[0]
        yield stores.setdefault(place, world_store(place)), query.get("rank", rank), query.get("world_size", world_size)
        raise RuntimeError("a rehearsed rank meets its absent ranks once")

    handlers = sys.modules["torch.distributed.rendezvous"]._rendezvous_handlers
    for scheme in ("env", "tcp", "file"):
        handlers[scheme] = answered


def _answer_gloo(c10d):
    """Groups of CPU tensors: PyTorch's own fake process group, which gathers what this rank gives from every rank."""
    fake = sys.modules["torch._C._distributed_c10d"].FakeProcessGroup

    class ProcessGroupGloo:
        def __new__(cls, _store, group_rank, group_size, *_, **__):
            return getattr(fake, "_create_internal", fake)(group_rank, group_size)

    c10d.ProcessGroupGloo = ProcessGroupGloo


def _answer_collectives(distributed, c10d):
    modules = (distributed, c10d)
    all_reduce = c10d.all_reduce

    def all_reduce_answered(tensor, op=distributed.ReduceOp.SUM, group=None, async_op=False):
        work = all_reduce(tensor, op, group, async_op)
        if tensor.device.type == "cpu" and op == distributed.ReduceOp.SUM and distributed.get_rank(group) >= 0:
            tensor.mul_(distributed.get_world_size(group))
        return work

    def all_gather_object(object_list, obj, group=None):
        object_list[:] = [obj] * len(object_list)

    def gather_object(obj, object_gather_list=None, dst=None, group=None, **_):
        if object_gather_list:
            object_gather_list[:] = [obj] * len(object_gather_list)

    def broadcast_object_list(object_list, src=None, group=None, device=None, **_):
        """Leaves what is there: an absent source sent what this rank has."""

    def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, **_):
        if scatter_object_input_list:
            scatter_object_output_list[0] = scatter_object_input_list[distributed.get_rank(group)]

    def send_object_list(object_list, *_, **__):
        """Nobody receives it."""

    def recv_object_list(object_list, src=None, *_, **__):
        return src

    def monitored_barrier(*_, **__):
        """All ranks are there."""

    _replace(modules, "all_reduce", all_reduce_answered)
    for answer in (
        all_gather_object,
        gather_object,
        broadcast_object_list,
        scatter_object_list,
        send_object_list,
        recv_object_list,
        monitored_barrier,
    ):
        _replace(modules, answer.__name__, answer)
