#!/usr/bin/env python3
"""Holds memviz's pickle decoder against CPython's.

What CPython reads as plain data, memviz reads to the same value; what imports, calls or constructs, memviz refuses.

usage: differential.py PRINTER TESTDATA [--cases N] [--seed N]

The pickles are random data written with every protocol, the files of TESTDATA, and both with changes to opcodes and
bytes. CPython's own unpickler runs with find_class and persistent_load that always raise. Where the two may differ:

  integers          memviz holds 64 bits; Python's text opcodes also take 0x10, 1_000 and spaces
  sets, bytearrays  memviz keeps the items of a set as a list, in file order, and has no bytearray
  list[i] = x       Python's SETITEM works on lists as well
  text              of Python 2's strings memviz makes text, Python (as asked here) bytes: compared by their bytes
  not a number      a NaN is equal to nothing, so that as a key it is found by identity only
  empty batches     Python adds nothing to anything; memviz wants a container even then

CPython has two decoders, in C and in Python, which disagree where a frame ends within an opcode: only what both read
to the same value counts as read.
"""

import argparse
import io
import math
import pathlib
import pickle
import pickletools
import random
import resource
import struct
import subprocess
import sys

CONSTRUCTING = {
    "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "PERSID", "BINPERSID",
    "EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER",
}  # fmt: skip
DIFFERENT = {"EMPTY_SET", "FROZENSET", "ADDITEMS", "BYTEARRAY8"}
MOST_BYTES = 20_000
MOST_TEXT = 1_000_000


class Refusing:
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"find_class {module}.{name}")

    def persistent_load(self, pid):
        raise pickle.UnpicklingError("persistent_load")


class InC(Refusing, pickle.Unpickler):
    pass


class InPython(Refusing, pickle._Unpickler):  # the module's other decoder has no public name
    pass


class Unlike(Exception):
    """A value whose two representations differ on purpose."""


class Printer:
    """Returns Python's objects in the spelling of print_pickles.cpp for memviz's."""

    def __init__(self):
        self._numbers, self._pieces, self._length = {}, [], 0

    def printed(self, value):
        self._print(value)
        return "".join(self._pieces)

    def _add(self, text):
        self._pieces.append(text)
        self._length += len(text)
        if self._length > MOST_TEXT:
            raise Unlike

    def _print(self, value):
        kind = type(value)
        if value is None:
            self._add("N")
        elif kind is bool:
            self._add("T" if value else "F")
        elif kind is int:
            if not -(1 << 63) <= value < 1 << 64:
                raise Unlike
            self._add(str(value))
        elif kind is float:
            self._add("f" + struct.pack(">d", value).hex())
        elif kind is str:
            self._add("s" + value.encode("utf-8", "surrogatepass").hex())
        elif kind is bytes:
            self._add("s" + value.hex())
        elif kind is tuple:
            self._print_all("(", value, ")")
        elif kind in (list, dict):
            self._print_container(value, kind)
        else:
            raise Unlike

    def _print_container(self, value, kind):
        if id(value) in self._numbers:
            self._add(f"@{self._numbers[id(value)]}")
            return
        self._numbers[id(value)] = len(self._numbers)
        if kind is list:
            self._print_all("[", value, "]")
            return
        self._add("{")
        for key, item in value.items():
            if isinstance(key, float) and math.isnan(key) or isinstance(key, tuple):
                raise Unlike
            self._print(key)
            self._add(":")
            self._print(item)
            self._add(",")
        self._add("}")

    def _print_all(self, opening, items, closing):
        self._add(opening)
        for item in items:
            self._print(item)
            self._add(",")
        self._add(closing)


def opcodes_of(raw):
    """Returns (name, argument, offset) up to STOP, or up to what pickletools does not parse."""
    found = []
    try:
        for opcode, argument, at in pickletools.genops(raw):
            found.append((opcode.name, argument, at))
    except Exception:  # noqa: BLE001 - broken pickles are what this is about
        pass
    return found


def printed_by(decoder, raw):
    try:
        value = decoder(io.BytesIO(raw), encoding="bytes").load()
    except (Exception, MemoryError):  # noqa: BLE001 - any refusal is one
        return None
    try:
        return Printer().printed(value)
    except (Unlike, RecursionError):
        return Unlike


def python_reads(raw):
    """Returns the printed value, None if Python refuses, Unlike if the two may differ."""
    in_c = printed_by(InC, raw)
    return in_c if in_c is None or in_c == printed_by(InPython, raw) else Unlike


def may_differ(raw, opcodes, answer):
    """Whether memviz may refuse what Python accepts: only for the reasons at the top of this file."""
    names = {name for name, _, _ in opcodes}
    if names & DIFFERENT:
        return True
    if any(name in ("LONG", "LONG1", "LONG4", "INT") and not -(1 << 63) <= argument < 1 << 64
           for name, argument, _ in opcodes if isinstance(argument, int)):  # fmt: skip
        return True
    place = int(answer.removeprefix("error: byte ").split(":")[0])
    name, _, at = max((entry for entry in opcodes if entry[2] <= place), key=lambda entry: entry[2])
    if name in ("INT", "LONG", "FLOAT", "GET", "PUT"):
        text = raw[at + 1 :].split(b"\n")[0]
        return not text.rstrip(b"L").lstrip(b"-").isdigit()
    # Assigns to a list by index, or adds nothing to anything.
    is_batch = name in ("APPENDS", "SETITEMS") and raw[at - 1 : at] == pickle.MARK
    return is_batch or (name in ("SETITEM", "SETITEMS") and "expected a dict" in answer)


class Maker:
    def __init__(self, seed, files):
        self._random, self._files = random.Random(seed), files

    def case(self):
        raw = self._random.choice(self._files) if self._random.random() < 0.3 else self._written()
        for _ in range(self._random.choice((0, 0, 1, 1, 2, 5))):
            raw = self._changed(raw)
        return raw[:MOST_BYTES]

    def _written(self):
        self._made = []
        value = self._value(self._random.randrange(5))
        return pickle.dumps(value, self._random.randrange(6))

    def _value(self, depth):
        rand = self._random
        if self._made and rand.random() < 0.15:
            return rand.choice(self._made)
        if depth == 0 or rand.random() < 0.3:
            return self._leaf()
        kind = rand.randrange(4)
        if kind == 0:
            return tuple(self._value(depth - 1) for _ in range(rand.randrange(5)))
        made = [] if kind < 3 else {}
        self._made.append(made)
        for _ in range(rand.randrange(6)):
            if kind < 3:
                made.append(self._value(depth - 1))
            else:
                made[self._leaf()] = self._value(depth - 1)
        return made

    def _leaf(self):
        rand = self._random
        number = rand.choice((0, 1, 255, 256, 65535, 65536, 1 << 31, 1 << 59, 1 << 60, 1 << 63)) + rand.randrange(-1, 2)
        return rand.choice(
            (None, True, False, number, -number, float(number), 0.5, 1e300, "", "key", "\ud800", "é\n\\", "x" * 300,
             b"", b"\xff\0", f"text {rand.randrange(50)}")
        )  # fmt: skip

    def _changed(self, raw):
        rand = self._random
        if not raw:
            return raw
        opcodes = opcodes_of(raw)
        if rand.random() < 0.25 or len(opcodes) < 3:
            at = rand.randrange(len(raw))
            return raw[:at] + bytes([rand.randrange(256)]) + raw[at + 1 :]
        starts = [at for _, _, at in opcodes] + [len(raw)]
        one, other = sorted(rand.sample(range(len(opcodes)), 2))
        piece = raw[starts[one] : starts[min(other, one + rand.randrange(1, 6))]]
        to = starts[rand.randrange(len(opcodes))]
        choice = rand.randrange(5)
        if choice == 0:
            return raw.replace(piece, b"", 1)
        if choice == 1:
            return raw[:to] + piece + raw[to:]
        if choice == 2:
            return raw[: starts[one]] + raw[starts[other] :]
        code = rand.choice(pickletools.opcodes)
        argument = b"" if code.arg is None else bytes(rand.randrange(4) for _ in range(max(1, code.arg.n)))
        return raw[:to] + code.code.encode("latin-1") + argument + raw[to:]


def answers_of(printer, cases):
    packed = b"".join(struct.pack("<I", len(raw)) + raw for raw in cases)
    done = subprocess.run([printer], input=packed, stdout=subprocess.PIPE, check=True, preexec_fn=without_limit)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(cases), (len(lines), len(cases))
    return lines


def verdict(raw, answer, counts):
    """Returns the difference, or None."""
    is_read = not answer.startswith("error: ")
    opcodes = opcodes_of(raw)
    if any(name in CONSTRUCTING for name, _, _ in opcodes):
        counts["constructing"] += 1
        return "memviz reads what constructs or calls" if is_read else None
    expected = python_reads(raw)
    if expected is None:
        counts["refused by Python"] += 1
        return None
    if expected is Unlike or answer == "too long" or {name for name, _, _ in opcodes} & DIFFERENT:
        counts["held differently"] += 1
        return None
    if not is_read:
        counts["memviz holds less"] += 1
        return None if may_differ(raw, opcodes, answer) else "memviz refuses what Python reads"
    counts["read by both"] += 1
    return None if answer == expected else f"memviz reads another value than Python's {expected[:300]}"


def without_limit():
    """For memviz, because sanitizers reserve terabytes of addresses."""
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("printer")
    parser.add_argument("testdata", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    # A memo index of four billion makes Python's own decoder ask for 32 GB.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))

    files = [path.read_bytes() for path in sorted(asked.testdata.rglob("*.pickle"))]
    files = [raw for raw in files if len(raw) < MOST_BYTES]
    maker = Maker(asked.seed, files)
    cases = files + [maker.case() for _ in range(asked.cases)]
    counts = dict.fromkeys(
        ("read by both", "refused by Python", "constructing", "held differently", "memviz holds less"), 0
    )
    wrong = 0
    for raw, answer in zip(cases, answers_of(asked.printer, cases)):
        found = verdict(raw, answer, counts)
        if found:
            wrong += 1
            print(f"{found}\n  memviz: {answer[:300]}\n  pickle: {raw.hex() if len(raw) < 2000 else len(raw)}")
    print(f"{len(cases)} pickles: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    # A comparison that compared nothing does not count.
    return 1 if wrong or min(counts["read by both"], counts["constructing"]) < asked.cases // 50 else 0


if __name__ == "__main__":
    sys.exit(main())
