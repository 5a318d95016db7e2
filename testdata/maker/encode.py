"""Objects -> bytes: Python's pickle with strings shared as PyTorch shares them, PyTorch's C++ writer, a writer that
uses every data opcode, and compression."""

import io
import pickle
import struct
import subprocess
import zlib


def python_pickle(value, protocol=4):
    """pickle.dumps, independent of which equal strings the interpreter happens to share."""
    return pickle.dumps(_share_strings(value), protocol)


def _share_strings(value):
    """A copy in which equal strings are one object; shared and self-referencing containers stay so."""
    strings, made = {}, {}

    def copy(item):
        if isinstance(item, str):
            return strings.setdefault(item, item)
        if id(item) in made:
            return made[id(item)][0]
        if isinstance(item, list):
            new = []
            made[id(item)] = (new, item)
            new.extend(copy(x) for x in item)
        elif isinstance(item, dict):
            new = {}
            made[id(item)] = (new, item)
            new.update((copy(k), copy(v)) for k, v in item.items())
        elif isinstance(item, tuple):
            new = tuple(copy(x) for x in item)
            made[id(item)] = (new, item)
        else:
            new = item
        return new

    return copy(value)


class CppWriter:
    """The bytes of torch/csrc/jit/serialization/pickler.cpp: protocol 2, one MARK..APPENDS or MARK..SETITEMS for each
    container however long or empty, LONG1 always of 8 bytes, strings memoized by value, containers only where they are
    referred to twice and only after they were filled."""

    def __init__(self):
        self._out, self._memo, self._next, self._uses, self._alive = io.BytesIO(), {}, 0, {}, []

    def dumps(self, value):
        self._count(value)
        self._out.write(pickle.PROTO + b"\x02")
        self._push(value)
        self._out.write(pickle.STOP)
        return self._out.getvalue()

    def _count(self, value):
        if isinstance(value, (list, dict, tuple)):
            self._uses[id(value)] = self._uses.get(id(value), 0) + 1
            self._alive.append(value)
            if self._uses[id(value)] == 1:
                for item in value.items() if isinstance(value, dict) else value:
                    for part in item if isinstance(value, dict) else (item,):
                        self._count(part)

    def _push(self, value):
        key = ("text", value) if isinstance(value, (str, bytes)) else ("at", id(value))
        if key in self._memo:
            index = self._memo[key]
            self._out.write(
                pickle.BINGET + bytes([index]) if index < 256 else pickle.LONG_BINGET + struct.pack("<I", index)
            )
            return
        self._push_new(value)
        if key[0] == "text" or self._uses.get(id(value), 0) > 1:
            index = self._memo[key] = self._next
            self._next += 1
            self._out.write(
                pickle.BINPUT + bytes([index]) if index < 256 else pickle.LONG_BINPUT + struct.pack("<I", index)
            )

    def _push_new(self, value):
        write = self._out.write
        if isinstance(value, (str, bytes)):  # bytes stand for a std::string that is not UTF-8
            raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
            write(pickle.BINUNICODE + struct.pack("<I", len(raw)) + raw)
        elif value is None:
            write(pickle.NONE)
        elif isinstance(value, bool):
            write(pickle.NEWTRUE if value else pickle.NEWFALSE)
        elif isinstance(value, int):
            write(self._int(value))
        elif isinstance(value, float):
            write(pickle.BINFLOAT + struct.pack(">d", value))
        elif isinstance(value, tuple):
            write(pickle.MARK if len(value) > 3 else b"")
            for item in value:
                self._push(item)
            write(
                {0: pickle.EMPTY_TUPLE, 1: pickle.TUPLE1, 2: pickle.TUPLE2, 3: pickle.TUPLE3}.get(
                    len(value), pickle.TUPLE
                )
            )
        else:
            write((pickle.EMPTY_DICT if isinstance(value, dict) else pickle.EMPTY_LIST) + pickle.MARK)
            for item in value.items() if isinstance(value, dict) else value:
                for part in item if isinstance(value, dict) else (item,):
                    self._push(part)
            write(pickle.SETITEMS if isinstance(value, dict) else pickle.APPENDS)

    @staticmethod
    def _int(value):
        if 0 <= value < 1 << 8:
            return pickle.BININT1 + bytes([value])
        if 0 <= value < 1 << 16:
            return pickle.BININT2 + struct.pack("<H", value)
        if -(1 << 31) <= value < 1 << 31:
            return pickle.BININT + struct.pack("<i", value)
        value &= (1 << 64) - 1  # the writer casts size_t to int64_t
        return pickle.LONG1 + b"\x08" + struct.pack("<Q", value)


class EveryOpcode:
    """Takes turns between all the ways to say the same thing, those of Python 2's writers included. No sharing."""

    def __init__(self):
        self._turns, self._memo = {}, 0

    def dumps(self, value):
        body = self._of(value)
        # An aside that leaves nothing behind: MARK, DUP, POP and POP_MARK.
        aside = pickle.MARK + self._of(1) + pickle.DUP + pickle.POP + pickle.POP_MARK
        framed = aside + body + pickle.STOP
        return pickle.PROTO + b"\x04" + pickle.FRAME + struct.pack("<Q", len(framed)) + framed

    def _turn(self, kind, choices):
        self._turns[kind] = turn = self._turns.get(kind, -1) + 1
        return choices[turn % len(choices)]

    def _of(self, value):
        if value is None:
            return pickle.NONE
        for kind, write in (
            (bool, self._bool),
            (int, self._int),
            (float, self._float),
            (str, self._text),
            (tuple, self._tuple),
        ):
            if isinstance(value, kind):
                return write(value)
        return self._dict(value) if isinstance(value, dict) else self._list(value)

    def _bool(self, value):
        return self._turn(
            "bool", [pickle.NEWTRUE if value else pickle.NEWFALSE, pickle.TRUE if value else pickle.FALSE]
        )

    def _int(self, value):
        raw = pickle.encode_long(value)
        forms = [
            pickle.INT + b"%d\n" % value,
            pickle.LONG + b"%dL\n" % value,
            pickle.LONG1 + bytes([len(raw)]) + raw,
            pickle.LONG4 + struct.pack("<i", len(raw)) + raw,
        ]
        if 0 <= value < 256:
            forms.append(pickle.BININT1 + bytes([value]))
        if 0 <= value < 65536:
            forms.append(pickle.BININT2 + struct.pack("<H", value))
        if -(1 << 31) <= value < 1 << 31:
            forms.append(pickle.BININT + struct.pack("<i", value))
        return self._turn(("int", len(forms)), forms)

    def _float(self, value):
        return self._turn(
            "float", [pickle.FLOAT + repr(value).encode() + b"\n", pickle.BINFLOAT + struct.pack(">d", value)]
        )

    def _text(self, value):
        raw = value.encode()
        forms = [
            pickle.UNICODE + value.encode("raw-unicode-escape") + b"\n",
            pickle.BINUNICODE + struct.pack("<I", len(raw)) + raw,
            pickle.SHORT_BINUNICODE + bytes([len(raw)]) + raw,
            pickle.BINUNICODE8 + struct.pack("<Q", len(raw)) + raw,
            pickle.STRING + repr(value).encode() + b"\n",
            pickle.BINSTRING + struct.pack("<i", len(raw)) + raw,
            pickle.SHORT_BINSTRING + bytes([len(raw)]) + raw,
        ]
        assert value.isascii() and "\\" not in value and len(raw) < 256
        return self._turn("text", forms)

    def _tuple(self, value):
        items = b"".join(map(self._of, value))
        short = {0: pickle.EMPTY_TUPLE, 1: pickle.TUPLE1, 2: pickle.TUPLE2, 3: pickle.TUPLE3}.get(len(value), b"")
        return (
            self._turn("tuple", [items + short, pickle.MARK + items + pickle.TUPLE])
            if short
            else pickle.MARK + items + pickle.TUPLE
        )

    def _list(self, value):
        items = [self._of(item) for item in value]
        return self._turn(
            "list",
            [
                self._put(pickle.EMPTY_LIST) + pickle.MARK + b"".join(items) + pickle.APPENDS,
                pickle.MARK + b"".join(items) + pickle.LIST,
                self._put(pickle.EMPTY_LIST) + b"".join(item + pickle.APPEND for item in items),
            ],
        )

    def _dict(self, value):
        items = [self._of(key) + self._of(item) for key, item in value.items()]
        return self._turn(
            "dict",
            [
                self._put(pickle.EMPTY_DICT) + pickle.MARK + b"".join(items) + pickle.SETITEMS,
                pickle.MARK + b"".join(items) + pickle.DICT,
                self._put(pickle.EMPTY_DICT) + b"".join(item + pickle.SETITEM for item in items),
            ],
        )

    def _put(self, made):
        """Stores what was just made, throws it away and fetches it again."""
        index = self._memo = self._memo + 3
        text, short, long = b"%d\n" % index, bytes([index % 256]), struct.pack("<I", index)
        fetch = self._turn(
            "fetch",
            [
                pickle.PUT + text + pickle.POP + pickle.GET + text,
                pickle.LONG_BINPUT + long + pickle.POP + pickle.LONG_BINGET + long,
                pickle.BINPUT + short + pickle.POP + pickle.BINGET + short,
            ],
        )
        return made + fetch


def gzipped(raw):
    """With a header of our own: what Python's gzip module writes there differs between its versions."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    header = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    return header + packer.compress(raw) + packer.flush() + struct.pack("<II", zlib.crc32(raw), len(raw))


def zstd(raw):
    """None where the command line tool is missing: the file beside this script then stays as it is."""
    try:
        return subprocess.run(["zstd", "-q", "-19", "-c"], input=raw, capture_output=True, check=True).stdout
    except FileNotFoundError:
        return None
