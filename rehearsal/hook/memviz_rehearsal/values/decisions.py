"""Finds the copies of device memory to the host that may decide the control flow or a size: integers, conditions,
and values that an operator reads itself (nonzero(), unique(), an index by a mask). Numbers with a fraction are
assumed to be printed or logged. The operators are on the C++ stack, which has the dispatcher's functions; the type
read by .item(), .tolist(), .cpu() and .to() is noted when the program takes the method from the tensor, which adds
no frame."""

import ctypes
import re
import sys
import threading

_MOST_FRAMES = 256
_OPERATOR = re.compile(r"_ZN2at4_ops(\d+)")
_SCALARS = {"item", "_local_scalar_dense"}
_COPIES = {"copy_", "_to_copy", "to_device", "to_dtype", "to_dtype_layout", "to_other", "_copy_from", "clone", "contiguous", "detach"}
# Whether a factorization succeeded (zeros mean that it did), and the bounds of a histogram, whose size is given.
_CHECKS = re.compile(r"_?linalg_|cholesky|lu_|ormqr|geqrf|lstsq|svd|qr$|inverse|histc")
_METHODS = {"item": "scalar", "__float__": "scalar", "tolist": "copy", "cpu": "copy", "to": "copy", "copy_": "copy"}

_noted = threading.local()


class _Symbol(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("at", ctypes.c_void_p)]


class Operators:
    """Returns the operators on the stack of this thread, innermost first, each once per frame."""

    def __init__(self):
        self._library = ctypes.CDLL(None)
        self._library.backtrace.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self._library.dladdr.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._names = {}

    def __call__(self):
        frames = (ctypes.c_void_p * _MOST_FRAMES)()
        count = self._library.backtrace(frames, _MOST_FRAMES)
        return [name for name in map(self._operator, frames[:count]) if name]

    def _operator(self, address):
        if address not in self._names:
            self._names[address] = self._name(address)
        return self._names[address]

    def _name(self, address):
        symbol = _Symbol()
        if not address or not self._library.dladdr(address, ctypes.byref(symbol)) or not symbol.name:
            return ""
        name = symbol.name.decode("ascii", "replace")
        found = _OPERATOR.match(name)
        return name[found.end() :][: int(found[1])] if found else ""


def may_decide(operators, has_fraction):
    """Whether a read by these operators may decide something. `has_fraction(way)`: whether the program is known to
    read numbers with a fraction, as "scalar" or "copy"; None if unknown."""
    if not operators or any(_CHECKS.match(name) for name in operators):
        return False
    if _SCALARS.issuperset(operators):
        return not has_fraction("scalar")
    if _COPIES.issuperset(operators):
        return has_fraction("copy") is False
    return True


class _Noting:
    """Replaces a method of the tensor: notes the type, and returns the method."""

    def __init__(self, name, method):
        self._method = method
        self._way = _METHODS[name]
        self._is_of_target = name == "copy_"  # which may be the host's

    def __get__(self, tensor, owner=None):
        if tensor is not None and (tensor.is_cuda or self._is_of_target):
            dtype = tensor.dtype
            has_fraction = dtype.is_floating_point or dtype.is_complex
            setattr(_noted, self._way, (has_fraction, _place_of(sys._getframe(1))))
        return self._method.__get__(tensor, owner)


def _place_of(frame):
    return frame.f_code, frame.f_lineno


def install(torch):
    for name in _METHODS:
        setattr(torch.Tensor, name, _Noting(name, getattr(torch.Tensor, name)))


def noted(frame):
    """Answers may_decide() for a read in this frame. A note counts once, and only on its line."""

    def has_fraction(way):
        note = getattr(_noted, way, None)
        setattr(_noted, way, None)
        return note[0] if note is not None and frame is not None and note[1] == _place_of(frame) else None

    return has_fraction
