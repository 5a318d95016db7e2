"""The memory of objects: flat, because there may be millions of them."""

from __future__ import annotations

import array
import itertools
from typing import Iterable, Iterator

Storage = tuple[int, int, int]  # device, address, bytes
_NO_MEMORY = -1


class Storages:
    """By the id of an object. ``knows`` is whether the object was added, with memory or without."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}  # an object of the program that has no memory has none
        self.knows = self._rows.__contains__
        self._devices = array.array("H")
        self._addresses = array.array("Q")
        self._sizes = array.array("Q")
        self._more: dict[int, tuple[Storage, ...]] = {}  # of objects with several storages, all but the first

    def add_objects(self, ids: Iterable[int]) -> None:
        """Adds objects whose memory is not known yet."""
        self._rows.update(zip(ids, itertools.repeat(_NO_MEMORY)))

    def add_rows(self, devices: list[int], addresses: list[int], sizes: list[int]) -> range:
        """Returns the numbers of these storages, which may be given to any number of objects."""
        first = len(self._sizes)
        self._devices.extend(devices)
        self._addresses.extend(addresses)
        self._sizes.extend(sizes)
        return range(first, len(self._sizes))

    def give(self, ids: Iterable[int], rows: Iterable[int]) -> None:
        """Adds one storage to each of these objects, which have none."""
        self._rows.update(zip(ids, rows))

    def give_more(self, ids: Iterable[int], rows: Iterable[int]) -> None:
        """Adds one storage to each of these objects, which may have others; none for a negative row."""
        known = self._rows
        for key, row in zip(ids, rows):
            if row < 0:
                continue
            if known.get(key, _NO_MEMORY) < 0:
                known[key] = row
            elif known[key] != row:
                self.add(key, [(self._devices[row], self._addresses[row], self._sizes[row])])

    def add(self, key: int, storages: Iterable[Storage]) -> None:
        known = self.of(key)
        fresh = tuple(one for one in dict.fromkeys(storages) if one not in known)
        if fresh and not known:
            device, address, size = fresh[0]
            self.give((key,), self.add_rows([device], [address], [size]))
            fresh = fresh[1:]
        if fresh:
            self._more[key] = self._more.get(key, ()) + fresh

    def row(self, key: int) -> int:
        """Returns the number of the object's storage; negative if it has none, or several."""
        return _NO_MEMORY if key in self._more else self._rows.get(key, _NO_MEMORY)

    def of(self, key: int) -> tuple[Storage, ...]:
        row = self._rows.get(key, _NO_MEMORY)
        if row < 0:
            return ()
        return ((self._devices[row], self._addresses[row], self._sizes[row]), *self._more.get(key, ()))

    def holders(self) -> Iterator[int]:
        """Returns the objects that have memory."""
        return (key for key, row in self._rows.items() if row >= 0)

    def largest(self, most: int, holders: list[int]) -> list[int]:
        """Returns those of these objects that have most memory."""
        return sorted(holders, key=self._bytes_of if self._more else self._bytes_of_one, reverse=True)[:most]

    def are_distinct(self, keys: Iterable[int]) -> bool:
        """Whether each of these objects has one storage or none, and no two the same one."""
        seen: set[int] = set()
        for key in keys:
            row = self._rows.get(key, _NO_MEMORY)
            if row < 0:
                continue
            address = self._addresses[row]
            if address in seen or key in self._more:
                return False
            seen.add(address)
        return True

    def _bytes_of_one(self, key: int) -> int:
        return self._sizes[self._rows[key]]

    def _bytes_of(self, key: int) -> int:
        return self._bytes_of_one(key) + sum(size for _, _, size in self._more.get(key, ()))

    def repeated(self, objects: set[int]) -> set[int]:
        """Returns those of these objects whose memory another object has as well."""
        wanted = {(device, address) for key in objects for device, address, _ in self.of(key)}
        known = {one[:2] for key, more in self._more.items() if key not in objects for one in more}
        alike = {row for row, one in enumerate(zip(self._devices, self._addresses)) if one in wanted}
        rows = {row for key, row in self._rows.items() if row in alike and key not in objects}
        known.update((self._devices[row], self._addresses[row]) for row in rows)
        return {key for key in objects if all((device, address) in known for device, address, _ in self.of(key))}


