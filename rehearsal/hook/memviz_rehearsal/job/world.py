"""Lets a process be a rank of a job whose other ranks are absent (`memviz rehearse --world`). Puts a store that answers
for them under torch.distributed, by one rule: an absent rank did what this rank did. Ranks that are rehearsed together
are present: their stores share their content, in a file. Collectives over CUDA tensors stay PyTorch's own, on the
made-up NCCL; job/objects.py has those over objects and CPU tensors.
"""

import atexit
import json
import os
import sys
from urllib.parse import parse_qs, urlparse

from memviz_rehearsal import OWN_FOLDER
from memviz_rehearsal.job import objects, splits
from memviz_rehearsal.journal import guarded
from memviz_rehearsal.process import endings


class Unanswered(RuntimeError):
    """Raised for a request that no present rank fulfils, and no rule answers."""


class World:
    """The job: this rank, the number of ranks, and which of them are present."""

    def __init__(self, settings, log):
        self.rank = int(os.environ["RANK"])
        self.ranks = settings["ranks"]
        self.present = settings["present"]
        self.most_present = settings["most_present"]
        self.meeting = settings["meeting"]
        self.log = log

    def marker(self, name):
        return os.path.join(self.meeting, name)

    def need(self, source, members):
        """Has memviz run the job again with `members` present, or with `source` alone if those are too many."""
        wanted = sorted(set(members) - set(self.present))
        if len(self.present) + len(wanted) > self.most_present:
            wanted = [source]
        if len(self.present) + len(wanted) > self.most_present:
            self.refuse(f"waits for objects of rank {source}, which is absent")
        self.log("needs", ranks=wanted)
        open(self.marker("again"), "wb").close()
        self.leave()

    @staticmethod
    def leave():
        sys.stdout.flush()
        sys.stderr.flush()
        endings.exit_at_once(0)

    def refuse(self, text):
        text = f"rank {self.rank} of {self.ranks} {text} ({_line_of_program()})"
        self.log("refusal", text=text)
        raise Unanswered(text)

    def others_rest(self, is_set):
        """Whether each other present rank has ended, or waits for a key that is not set. Looks at all of them twice:
        one that runs between the two looks may set a key for another before it waits again."""
        waits = self._waits_of_others(is_set)
        return waits is not None and waits == self._waits_of_others(is_set)

    def _waits_of_others(self, is_set):
        """Returns the key that each other present rank that has not ended waits for, None for one that does not
        wait."""
        waits = {}
        for rank in self.present:
            if rank == self.rank or os.path.exists(self.marker(f"ended-{rank}")):
                continue
            try:
                with open(self.marker(f"waiting-{rank}")) as file:
                    waits[rank] = json.load(file)
                if is_set(*waits[rank]["for"]):
                    return None
            except (OSError, ValueError):
                return None  # it goes on, or the file is half written
        return waits


def _line_of_program():
    """Returns the innermost line that is neither PyTorch's nor memviz's."""
    torch = os.path.dirname(sys.modules["torch"].__file__)
    frame = sys._getframe(1)
    while frame:
        file = frame.f_code.co_filename
        if not file.startswith(("<", torch, OWN_FOLDER)):
            return f"{os.path.basename(file)}:{frame.f_lineno}"
        frame = frame.f_back
    return "in a thread of PyTorch's"


def install(torch, settings, log):
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available():
        return
    # These threads use the store, and one that outlives Python would end the process by a signal.
    os.environ["TORCH_NCCL_ENABLE_MONITORING"] = "0"
    world = World(settings, log)
    from memviz_rehearsal.job import store  # takes torch

    shared = store.Shared(world)
    for name in ("TCPStore", "FileStore", "HashStore"):
        objects.replace(getattr(distributed, name), type(name, (store.WorldStore,), {"shared": shared}))
    _answer_rendezvous(type("WorldStore", (store.WorldStore,), {"shared": shared}), world)
    _answer_gloo(torch, distributed.distributed_c10d)
    _refuse_backends(distributed.distributed_c10d, world)
    _refuse_own_ranks(torch, world)
    objects.install(torch, world)
    atexit.register(guarded, _destroy_group, distributed)


def _destroy_group(distributed):
    if distributed.is_initialized():
        distributed.destroy_process_group()


def _answer_rendezvous(store, world):
    stores = {}

    def answered(url, timeout=None, **_):
        query = {key: int(values[0]) for key, values in parse_qs(urlparse(url).query).items() if key in ("rank", "world_size")}
        place = url.partition("?")[0]
        if place.startswith("env:") and "rank" not in query:
            _refuse_another_rank(world)
        if place not in stores:
            stores[place] = store(place)
        yield stores[place], query.get("rank", world.rank), query.get("world_size", world.ranks)
        raise RuntimeError("a rehearsed rank meets its absent ranks once")

    handlers = sys.modules["torch.distributed.rendezvous"]._rendezvous_handlers
    for scheme in ("env", "tcp", "file"):
        handlers[scheme] = answered


class _IsFake(type):
    """The class of a class of which PyTorch's fake process groups are instances."""

    def __instancecheck__(cls, one):
        return isinstance(one, cls.fake)


def _make_fake(cls, _store, group_rank, group_size, *_, **__):
    return getattr(cls.fake, "_create_internal", cls.fake)(group_rank, group_size)


def _answer_gloo(torch, c10d):
    """Handles groups of CPU tensors with PyTorch's own fake process group, for traffic outside torch.distributed."""
    fake = sys.modules["torch._C._distributed_c10d"].FakeProcessGroup
    for name in ("_set_sequence_number_for_group", "_set_default_timeout"):  # PyTorch calls them for Gloo's
        setattr(fake, name, lambda self, *_: None)
    if hasattr(c10d, "ProcessGroupGloo"):
        gloo = _IsFake("ProcessGroupGloo", (), {"fake": fake, "__new__": _make_fake})
        objects.replace(c10d.ProcessGroupGloo, gloo)
    splits.split_around(torch, fake)


def _refuse_backends(c10d, world):
    """Refuses backends that find the other ranks without PyTorch's stores."""
    make = c10d._new_process_group_helper

    def make_answered(size, rank, ranks, backend, *more, **named):
        if any(name in str(backend).lower() for name in ("mpi", "ucc")):
            world.refuse(f"asks for the backend '{backend}', and a rehearsed job has NCCL and Gloo")
        return make(size, rank, ranks, backend, *more, **named)

    c10d._new_process_group_helper = make_answered


_STARTS_RANKS = (
    "itself, and --world takes a program of which each process is one rank, as torchrun starts it; leave --world out, and "
    "give --devices"
)


def _refuse_another_rank(world):
    """A program that starts its ranks without torch.multiprocessing sets RANK in each of them."""
    own = (str(world.rank), str(world.ranks))
    rank, ranks = os.environ.get("RANK", own[0]), os.environ.get("WORLD_SIZE", own[1])
    if (rank, ranks) != own:
        world.refuse(f"has a process that the program makes rank {rank} of {ranks}: it starts ranks {_STARTS_RANKS}")


def _refuse_own_ranks(torch, world):
    """A program that starts its ranks itself would start them for each rank that memviz runs."""
    import torch.multiprocessing as multiprocessing

    for name in ("spawn", "start_processes"):
        start = getattr(multiprocessing, name)

        def start_one(fn, args=(), nprocs=1, *more, start=start, **named):
            if nprocs > 1:
                world.refuse(f"starts {nprocs} ranks {_STARTS_RANKS}")
            return start(fn, args, nprocs, *more, **named)

        objects.replace(start, start_one)
