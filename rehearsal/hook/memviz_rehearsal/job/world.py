"""Lets a process be a rank of a job whose other ranks are absent (`memviz rehearse --world`). Puts a store that answers
for them under torch.distributed, by one rule: an absent rank did what this rank did. Ranks that are rehearsed together
are present: their stores share their content, in a file. Collectives over CUDA tensors stay PyTorch's own, on the
made-up NCCL; job/objects.py has those over objects and CPU tensors.
"""

import atexit
import functools
import json
import os
import re
import sys
import time
from datetime import timedelta
from urllib.parse import parse_qs, urlparse

from memviz_rehearsal import OWN_FOLDER
from memviz_rehearsal.job import objects, splits, symmetric
from memviz_rehearsal.job.keys import OwnKeys, SharedKeys
from memviz_rehearsal.process import endings

_NCCL_ID_BYTES = 128  # sizeof(ncclUniqueId)
_MOST_WAIT_SECONDS = 20
_LOOK_SECONDS = 0.5


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
    store = _store_class(distributed, world)
    for name in ("TCPStore", "FileStore", "HashStore"):
        objects.replace(getattr(distributed, name), type(name, (store,), {}))
    _answer_rendezvous(store, world)
    _answer_gloo(torch, distributed.distributed_c10d)
    _refuse_backends(distributed.distributed_c10d, world)
    _refuse_own_ranks(torch, world)
    objects.install(torch, world)
    atexit.register(_destroy, distributed)


def _destroy(distributed):
    try:
        if distributed.is_initialized():
            distributed.destroy_process_group()
    except Exception:
        pass  # the program is at its end


def _store_class(distributed, world):
    file_store, prefix_store = distributed.FileStore, distributed.PrefixStore
    share = len(world.present)

    @functools.lru_cache(maxsize=None)
    def keys_of(*place):
        if share == 1:
            return OwnKeys()
        return SharedKeys(prefix_store("|".join(place), file_store(world.marker("keys"), -1)))

    def _is_set(place, key):
        keys = keys_of(*place)
        return keys.read(key) is not None or keys.read("+" + key) is not None

    class WorldStore(distributed.Store):
        """Stores what present ranks write, and answers for the absent ones. Stores of one place share their content."""

        _places = {}
        _kept_stores = []  # PyTorch's stores and groups refer to one whose Python object must not end

        def __init__(self, *place, **named):
            super().__init__()
            self._kept_stores.append(self)
            words = [*map(str, place[:2]), *(str(named[name]) for name in ("host_name", "port", "file_name") if name in named)]
            self._place = tuple(words)
            self._keys, self._own = keys_of(*words), self._places.setdefault(self._place, {})
            self._timeout = timedelta(seconds=300)

        def set(self, key, value):
            self._own[key] = _bytes(value)
            self._keys.write(key, _bytes(value))

        def get(self, key):
            self.wait([key])
            return self._answer(key)

        def add(self, key, amount):
            """Adds as much for each absent rank as for a present one."""
            return self._start(key) + self._keys.count("+" + key, amount) * world.ranks // share

        def compare_set(self, key, expected, desired):
            return self._keys.replace(key, _bytes(expected), _bytes(desired))

        def append(self, key, value):
            self.set(key, (self._keys.read(key) or b"") + _bytes(value))

        def multi_get(self, keys):
            return [self.get(key) for key in keys]

        def multi_set(self, keys, values):
            for key, value in zip(keys, values):
                self.set(key, value)

        def has_extended_api(self):
            return True

        def wait(self, keys, timeout=None):
            seconds = (timeout or self._timeout).total_seconds()
            for key in keys:
                if self._answer(key) is None:
                    self._wait_for(key, seconds)

        def _wait_for(self, key, seconds):
            start = time.monotonic()
            look = start + _MOST_WAIT_SECONDS
            marker = world.marker(f"waiting-{world.rank}")
            with open(marker, "w") as file:
                json.dump({"since": start, "for": [self._place, key]}, file)
            try:
                while self._answer(key) is None:
                    if os.path.exists(world.marker("again")):
                        world.leave()
                    now = time.monotonic()
                    # A rank that compiles may take any time until it sends.
                    if now - start > seconds and not objects.is_own(key):
                        self._refuse(key)
                    if now > look:
                        look = now + _LOOK_SECONDS
                        if world.others_rest(_is_set) and self._answer(key) is None:
                            self._refuse(key)
                    time.sleep(0.01)
            finally:
                os.unlink(marker)

        def _refuse(self, key):
            if objects.is_own(key):
                world.refuse(f"waits for what rank {objects.source_of(key)} sends, and that rank does not send it")
            world.refuse(f"waits for the key '{key}', which only an absent rank would set" + ("" if share == 1 else ", or none"))

        def _start(self, key):
            kept = self._keys.read(key)
            return int(kept) if kept else 0

        def _answer(self, key):
            kept = self._kept(key)
            if kept is not None or objects.is_own(key):
                return kept
            if "cuda//" in key:  # the id of a communicator that an absent rank makes
                return bytes(_NCCL_ID_BYTES)
            if key.endswith("last_worker"):  # of a barrier
                return b"1"
            return symmetric.of_this_rank(key, self._own) or self._of_this_rank(key)

        def _kept(self, key):
            count = self._keys.read("+" + key)
            if count is not None:
                return b"%d" % (self._start(key) + int(count) * world.ranks // share)
            return self._keys.read(key)

        def _of_this_rank(self, key):
            """Returns what this rank wrote under a key that differs only in the number of the rank."""
            for number in re.finditer(r"\d+", key):
                own = f"{key[: number.start()]}{world.rank}{key[number.end() :]}"
                if int(number[0]) < world.ranks and int(number[0]) not in world.present and own in self._own:
                    return self._own[own]
            return None

        def check(self, keys):
            return all(self._kept(key) is not None or self._of_this_rank(key) is not None for key in keys)

        def num_keys(self):
            return self._keys.size()

        def delete_key(self, key):
            self._own.pop(key, None)
            is_counter = self._keys.remove("+" + key)
            return self._keys.remove(key) or is_counter

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
    return value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else bytes(value)


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


def _answer_gloo(torch, c10d):
    """Handles groups of CPU tensors with PyTorch's own fake process group, for traffic outside torch.distributed."""
    fake = sys.modules["torch._C._distributed_c10d"].FakeProcessGroup
    fake._set_sequence_number_for_group = lambda self: None  # PyTorch asks it of Gloo's

    class IsFake(type):
        def __instancecheck__(cls, one):
            return isinstance(one, fake)

    class ProcessGroupGloo(metaclass=IsFake):
        def __new__(cls, _store, group_rank, group_size, *_, **__):
            return getattr(fake, "_create_internal", fake)(group_rank, group_size)

    if hasattr(c10d, "ProcessGroupGloo"):
        objects.replace(c10d.ProcessGroupGloo, ProcessGroupGloo)
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
