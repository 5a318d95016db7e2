"""The store of torch.distributed that answers for absent ranks. Takes torch."""

import json
import os
import re
import time
from datetime import timedelta

from torch.distributed import FileStore, PrefixStore, Store

from memviz_rehearsal.job import objects, symmetric
from memviz_rehearsal.job.keys import OwnKeys, SharedKeys

_NCCL_ID_BYTES = 128  # sizeof(ncclUniqueId)
_MOST_WAIT_SECONDS = 20
_LOOK_SECONDS = 0.5


class Shared:
    """What the stores of one job share. ``share`` is how many of its ranks are present."""

    def __init__(self, world):
        self.world = world
        self.share = len(world.present)
        self.places = {}
        self.kept_stores = []  # PyTorch's stores and groups refer to one whose Python object must not end
        self._keys = {}

    def keys_of(self, place):
        if place not in self._keys:
            self._keys.setdefault(place, OwnKeys() if self.share == 1 else self._shared_keys(place))
        return self._keys[place]

    def _shared_keys(self, place):
        return SharedKeys(PrefixStore("|".join(place), FileStore(self.world.marker("keys"), -1)))

    def is_set(self, place, key):
        keys = self.keys_of(tuple(place))
        return keys.read(key) is not None or keys.read("+" + key) is not None


class WorldStore(Store):
    """Stores what present ranks write, and answers for the absent ones. Stores of one place share their content."""

    shared = None  # of the stores of one job: given to the classes that are made of this one

    def __init__(self, *place, **named):
        super().__init__()
        self.shared.kept_stores.append(self)
        words = [*map(str, place[:2]), *(str(named[name]) for name in ("host_name", "port", "file_name") if name in named)]
        self._place = tuple(words)
        self._keys, self._own = self.shared.keys_of(self._place), self.shared.places.setdefault(self._place, {})
        self._timeout = timedelta(seconds=300)

    def set(self, key, value):
        self._own[key] = _bytes(value)
        self._keys.write(key, _bytes(value))

    def get(self, key):
        self.wait([key])
        return self._answer(key)

    def add(self, key, amount):
        """Adds as much for each absent rank as for a present one."""
        return self._start(key) + self._of_all(self._keys.count("+" + key, amount))

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
        marker = self.shared.world.marker(f"waiting-{self.shared.world.rank}")
        with open(marker, "w") as file:
            json.dump({"since": start, "for": [self._place, key]}, file)
        try:
            while self._answer(key) is None:
                if os.path.exists(self.shared.world.marker("again")):
                    self.shared.world.leave()
                now = time.monotonic()
                # A rank that compiles may take any time until it sends.
                if now - start > seconds and not objects.is_own(key):
                    self._refuse(key)
                if now > look:
                    look = now + _LOOK_SECONDS
                    if self.shared.world.others_rest(self.shared.is_set) and self._answer(key) is None:
                        self._refuse(key)
                time.sleep(0.01)
        finally:
            os.unlink(marker)

    def _refuse(self, key):
        if objects.is_own(key):
            self.shared.world.refuse(f"waits for what rank {objects.source_of(key)} sends, and that rank does not send it")
        setters = "which only an absent rank would set" + ("" if self.shared.share == 1 else ", or none")
        self.shared.world.refuse(f"waits for the key '{key}', {setters}")

    def _of_all(self, amount):
        """Returns the amount of all ranks, of which the present ones have added this much."""
        return amount * self.shared.world.ranks // self.shared.share

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
            return b"%d" % (self._start(key) + self._of_all(int(count)))
        return self._keys.read(key)

    def _of_this_rank(self, key):
        """Returns what this rank wrote under a key that differs only in the number of the rank."""
        for number in re.finditer(r"\d+", key):
            own = f"{key[: number.start()]}{self.shared.world.rank}{key[number.end() :]}"
            if int(number[0]) < self.shared.world.ranks and int(number[0]) not in self.shared.world.present and own in self._own:
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


def _bytes(value):
    return value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else bytes(value)
