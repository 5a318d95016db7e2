"""Looks at objects without running code of the program: no attribute lookup, comparison, hash or repr of an object whose
class may define them. A class is read through the descriptors of ``type`` itself, and what is found is kept by the id of
the class."""

from __future__ import annotations

import collections
import types
from typing import Any, Iterable, NamedTuple, Optional

read_mro = type.__dict__["__mro__"].__get__
_read_qualified_name = type.__dict__["__qualname__"].__get__
_read_module = type.__dict__["__module__"].__get__
read_class_dict = type.__dict__["__dict__"].__get__
_OWN_PACKAGES = (__name__.split(".")[0], "memviz_torch")
_OWN_MODULES = ("memviz_rehearsal",)

_KIND_OF_BUILTIN: dict[type, str] = {
    dict: "dict",
    list: "list",
    tuple: "tuple",
    set: "set",
    frozenset: "set",
    collections.deque: "deque",
    BaseException: "exception",
    types.TracebackType: "traceback",
    types.FrameType: "traceback",
    types.CellType: "closure",
    types.FunctionType: "function",
    types.MethodType: "method",
    types.GeneratorType: "generator",
    types.CoroutineType: "generator",
    types.AsyncGeneratorType: "generator",
    type: "class",
    types.ModuleType: "object",
    types.BuiltinFunctionType: "object",
    types.MappingProxyType: "object",
}


class Facts(NamedTuple):
    """A class: the kind and name of its objects, and how the attributes of one are read."""

    kind: str
    name: str
    is_own: bool  # of memviz itself
    is_tensor: bool
    is_graph_node: bool
    is_storage: bool
    overrides_dispatch: bool  # a tensor class that defines __torch_dispatch__
    dict_of: Any  # reads the dict of an object; None if it has none
    hides_dict: bool  # __dict__ is something that would run code of the program
    members: tuple[tuple[str, Any, str], ...]  # name, descriptor, "slot" or "attribute"


class KnownClasses(NamedTuple):
    """The classes of PyTorch that matter; an absent one is None."""

    base_of_tensors: Optional[type] = None
    tensor: Optional[type] = None
    parameter: Optional[type] = None
    storage: Optional[type] = None
    module: Optional[type] = None
    optimizer: Optional[type] = None


class Classes:
    def __init__(self, known: KnownClasses) -> None:
        self.known = known
        self._facts: dict[int, Facts] = {}
        self._kept: list[type] = []  # so that an id is not used again

    def of(self, instance: Any) -> Facts:
        cls = type(instance)
        return self._facts.get(id(cls)) or self.of_class(cls)

    def of_class(self, cls: type) -> Facts:
        facts = self._facts.get(id(cls))
        if facts is None:
            try:
                facts = self._look_at(cls)
            except Exception:  # of a class that is not complete yet
                facts = _UNKNOWN
            self._facts[id(cls)] = facts
            self._kept.append(cls)
        return facts

    def _look_at(self, cls: type) -> Facts:
        mro = read_mro(cls) or (cls,)
        ids = frozenset(map(id, mro))
        dicts = [(base, class_items(base)) for base in mro]
        dict_of, hides_dict = _dict_reader(dicts)
        tensor = self.known.base_of_tensors
        return Facts(
            self._kind(mro, ids, dicts),
            class_name(cls),
            _is_own(cls),
            _has(ids, tensor),
            _is_graph_node(dicts),
            _has(ids, self.known.storage),
            _has(ids, tensor) and _overrides_dispatch(dicts, self.known),
            dict_of,
            hides_dict,
            _members(dicts),
        )

    def _kind(self, mro: Iterable[type], ids: frozenset[int], dicts: list[Any]) -> str:
        known = self.known
        for kind, cls in (("parameter", known.parameter), ("tensor", known.base_of_tensors), ("module", known.module)):
            if _has(ids, cls):
                return kind
        if _has(ids, known.optimizer):
            return "optimizer"
        if _is_graph_node(dicts):
            return "autograd"
        for base in mro:
            for builtin, kind in _KIND_OF_BUILTIN.items():
                if base is builtin:
                    return kind
        return "instance"


_UNKNOWN = Facts("object", "", False, False, False, False, False, None, False, ())


def _has(ids: frozenset[int], cls: Optional[type]) -> bool:
    return cls is not None and id(cls) in ids


def class_items(cls: type) -> dict[str, Any]:
    """Returns what the class itself defines, under names that are plain text."""
    return {name: value for name, value in list(read_class_dict(cls).items()) if type(name) is str}


def text_of(value: Any) -> str:
    """Returns it if it is text, and nothing where it is another object, even one that resembles text."""
    return value if type(value) is str else ""


def entry(items: dict[Any, Any], name: str) -> Any:
    """Returns the value under a name, None if there is none. A lookup would compare keys, which may be the program's."""
    for key, value in list(items.items()):
        if type(key) is str and key == name:
            return value
    return None


def class_name(cls: type) -> str:
    """Returns the qualified name, with the module where that is not the program's own."""
    name = text_of(_read_qualified_name(cls))
    module = _module_of(cls)
    return name if module in ("", "__main__", "builtins") else f"{module}.{name}"


def _module_of(cls: type) -> str:
    try:
        return text_of(_read_module(cls))
    except AttributeError:  # removed from a class
        return ""


def _is_own(cls: type) -> bool:
    module = _module_of(cls)
    return module.split(".")[0] in _OWN_PACKAGES or module.startswith(_OWN_MODULES)


def _is_graph_node(dicts: list[tuple[type, dict[str, Any]]]) -> bool:
    return any(type(items.get("next_functions")) is types.GetSetDescriptorType for _, items in dicts)


def _overrides_dispatch(dicts: list[tuple[type, dict[str, Any]]], known: KnownClasses) -> bool:
    return any("__torch_dispatch__" in items and base is not known.tensor for base, items in dicts)


def _dict_reader(dicts: list[tuple[type, dict[str, Any]]]) -> tuple[Any, bool]:
    """Returns a function that reads the dict of an object, or None; and whether the class hides it."""
    hides = False
    for base, items in dicts:
        descriptor = items.get("__dict__")
        if base is type or descriptor is None:
            continue
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return descriptor.__get__, hides
        hides = True
    return None, hides


def _members(dicts: list[tuple[type, dict[str, Any]]]) -> tuple[tuple[str, Any, str], ...]:
    """Returns the fields of an object that lie in its own memory: __slots__, and those of C structs."""
    found = []
    for base, items in dicts:
        how = "slot" if "__slots__" in items else "attribute"
        for name, value in items.items():
            if type(value) is types.MemberDescriptorType and name != "__dict__":
                found.append((name, value.__get__, how))
    return tuple(found)
