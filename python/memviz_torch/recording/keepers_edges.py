"""Names the references from one object to others, as a person would read them in the program: attributes, keys, indices,
local and closure variables. Dicts that Python or torch.nn.Module put between an object and its attributes are skipped."""

from __future__ import annotations

import collections
import gc
import types
from typing import Any, Callable, Iterable, Iterator

from . import keepers_frames
from .keepers_code import CodeReader
from .keepers_found import Reference
from .keepers_roots import Namespace
from .keepers_torch import TensorReader
from .keepers_types import Classes, Facts, class_items, class_name, read_class_dict, text_of

_Part = Callable[["References", Any], Iterable[Reference]]  # names some of the references of an object
# The dicts of a module, and how it refers to their values.
_DICTS_OF_MODULE = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "attribute"}


class References:
    """``leading`` are the ids of objects that lead to GPU memory: only references to these are named. ``skipped`` gets
    the ids of what lies between an object and its attributes."""

    def __init__(self, classes: Classes, leading: set[int], running: set[int], tensors: TensorReader, code: CodeReader) -> None:
        self._classes = classes
        self._code = code
        self._leading = leading
        self._running = running
        self._tensors = tensors
        self._nodes = tensors.nodes
        self.skipped: set[int] = set()
        self.unreadable = 0

    def of(self, holder: Any) -> list[Reference]:
        facts = self._classes.of(holder)
        if facts.is_graph_node:
            return self._of_node(holder, facts)
        if type(holder) is keepers_frames.RunningFrame:
            return list(self._variables(holder.code, holder.locals))
        if type(holder) is Namespace:
            return list(self._keys(holder.items, "global"))
        noted = self._tensors.references_of(holder) if facts.is_tensor else []
        if facts.is_tensor and not noted and not self._leads_for_collector(holder):
            return []
        leading = self._leading
        found = [one for one in noted if id(one[0]) in leading]
        by_kind = _PARTS_BY_KIND.get(facts.kind)
        if by_kind is not None:
            self._add(found, by_kind, holder)
        if facts.kind in _WHOLLY_NAMED or id(type(holder)) in _WHOLLY_NAMED_CLASSES:
            return found
        values = gc.get_referents(holder)
        return self._with_unnamed(found, holder, facts, values) if values else found

    def _of_node(self, node: Any, facts: Facts) -> list[Reference]:
        leading = self._leading
        found = [one for one in self._nodes.references_of(node) if id(one[0]) in leading]
        values = gc.get_referents(node)
        return self._with_unnamed(found, node, facts, values) if values else found

    def _with_unnamed(self, found: list[Reference], holder: Any, facts: Facts, values: list[Any]) -> list[Reference]:
        """Returns the references and those to other values that the garbage collector sees."""
        unnamed = {} if self._leading.isdisjoint(map(id, values)) else self._unnamed(holder, values, found)
        if unnamed:  # else to ask for its dict would make one
            for part in self._parts_of_attributes(facts):
                self._add(found, part, holder)
            named = {id(value) for value, _, _ in found}
            named |= self.skipped & unnamed.keys()
            found.extend((value, "refers", "") for key, value in unnamed.items() if key not in named)
        return found

    def forget(self) -> None:
        """Frees all but the count."""
        self._leading.clear()
        self.skipped.clear()

    def is_only_memory(self, one: Any) -> bool:
        """Whether a tensor or a node of a graph leads to no other memory than its own."""
        is_node = self._classes.of(one).is_graph_node
        references = self._nodes.references_of(one) if is_node else self._tensors.references_of(one)
        return all(how == "base" for _, how, _ in references) and not self._leads_for_collector(one)

    def _leads_for_collector(self, one: Any) -> bool:
        """Whether it leads to memory by references that the garbage collector sees."""
        values = gc.get_referents(one)
        return bool(values) and not self._leading.isdisjoint(map(id, values))

    def _add(self, found: list[Reference], part: _Part, holder: Any) -> None:
        try:
            found.extend(part(self, holder))
        except Exception:
            self.unreadable += 1

    def _parts_of_attributes(self, facts: Facts) -> Iterator[_Part]:
        if facts.hides_dict:
            self.unreadable += 1
        elif facts.dict_of is not None:
            yield References._attributes
        if facts.members and facts.kind not in ("function", "method"):
            yield References._members

    def _leads(self, value: Any) -> bool:
        return id(value) in self._leading

    def _named(self, items: Iterable[tuple[Any, Any]], how: str) -> Iterator[Reference]:
        for name, value in items:
            if id(value) in self._leading:
                yield value, how, text_of(name)

    def _variables(self, code: types.CodeType, variables: dict[str, Any]) -> Iterator[Reference]:
        """An argument that the function does not set is often a variable of its caller as well."""
        found = list(self._named(variables.items(), "local"))
        arguments = self._code.arguments(code) if found else ()
        yield from ((value, "argument" if name in arguments else how, name) for value, how, name in found)

    def _keys(self, items: dict[Any, Any], how: str) -> Iterator[Reference]:
        """Reads a copy, because other threads may change it."""
        for key, value in list(dict.items(items)):
            if id(value) in self._leading:
                if type(key) is str:
                    yield value, how, key
                else:
                    yield value, "other_key", _other_key(key)

    def _of_dict(self, holder: Any) -> Iterator[Reference]:
        yield from self._keys(holder, "key")
        for key in list(dict.keys(holder)):
            if id(key) in self._leading:
                yield key, "refers", "key"

    def _of_sequence(self, holder: Any) -> Iterator[Reference]:
        leading = self._leading
        for index, value in enumerate(_values(holder)):
            if id(value) in leading:
                yield value, "index", index

    def _of_set(self, holder: Any) -> Iterator[Reference]:
        own_class = type(holder)
        for value in gc.get_referents(holder):
            if id(value) in self._leading and value is not own_class:
                yield value, "item", ""

    def _of_class(self, holder: Any) -> Iterator[Reference]:
        self._skip_dicts(gc.get_referents(read_class_dict(holder)))
        yield from self._named(list(class_items(holder).items()), "attribute")

    def _skip_dicts(self, values: Iterable[Any]) -> None:
        self.skipped.update(id(value) for value in values if type(value) is dict)

    def _of_function(self, holder: Any) -> Iterator[Reference]:
        """Skips the tuples and the dict that Python keeps these in."""
        self.skipped.update(map(id, (holder.__closure__, holder.__defaults__, holder.__kwdefaults__)))
        yield from self._named(zip(holder.__code__.co_freevars, holder.__closure__ or ()), "closure")
        if holder.__defaults__ is not None:
            names = holder.__code__.co_varnames[: holder.__code__.co_argcount]
            defaults = _values(holder.__defaults__)
            yield from self._named(zip(names[len(names) - len(defaults) :], defaults), "default")
        if holder.__kwdefaults__ is not None:
            yield from self._named(list(dict.items(holder.__kwdefaults__)), "default")

    def _of_method(self, holder: Any) -> Iterator[Reference]:
        if self._leads(holder.__self__):
            yield holder.__self__, "self", "__self__"
        if self._leads(holder.__func__):
            yield holder.__func__, "refers", "__func__"

    def _of_closure(self, holder: Any) -> Iterator[Reference]:
        yield from ((value, "refers", "") for value in gc.get_referents(holder) if self._leads(value))

    def _of_frame(self, holder: Any) -> Iterator[Reference]:
        """Names what a traceback, a generator or a frame that ended refers to. A running frame is a root, with its variables."""
        frame = keepers_frames.frame_of(holder)
        if type(holder) is types.TracebackType and holder.tb_next is not None and self._leads(holder.tb_next):
            yield holder.tb_next, "traceback", ""
        if frame is None or id(frame) in self._running:
            return
        yield from self._variables(frame.f_code, keepers_frames.locals_of(frame))
        if frame is not holder:
            self.skipped.add(id(frame))
        if type(holder) is not types.GeneratorType and frame.f_back is not None and self._leads(frame.f_back):
            yield frame.f_back, "refers", "f_back"

    def _of_exception(self, holder: Any) -> Iterator[Reference]:
        for name in ("__cause__", "__context__", "__traceback__"):
            value = BaseException.__dict__[name].__get__(holder)
            if value is not None and self._leads(value):
                yield value, name.strip("_"), "" if name == "__traceback__" else name
        arguments = BaseException.__dict__["args"].__get__(holder)
        if self._leads(arguments):
            yield arguments, "attribute", "args"

    def _attributes(self, holder: Any) -> Iterator[Reference]:
        facts = self._classes.of(holder)
        items = facts.dict_of(holder)
        if not issubclass(type(items), dict):
            return
        self.skipped.add(id(items))
        self._leading.add(id(items))  # it may have been made just now
        is_module = facts.kind == "module"
        for key, value in list(dict.items(items)):
            if id(value) not in self._leading:
                continue
            if is_module and type(key) is str and key in _DICTS_OF_MODULE and issubclass(type(value), dict):
                self.skipped.add(id(value))
                yield from self._keys(value, _DICTS_OF_MODULE[key])
            else:
                yield value, "attribute", text_of(key)

    def _members(self, holder: Any) -> Iterator[Reference]:
        for name, read, how in self._classes.of(holder).members:
            try:
                value = read(holder)
            except AttributeError:  # not assigned yet
                continue
            if self._leads(value):
                yield value, how, name

    def _unnamed(self, holder: Any, values: list[Any], found: list[Reference]) -> dict[int, Any]:
        """Returns what the garbage collector sees besides, by id: attributes, fields of C structs, callbacks."""
        unnamed = {id(value): value for value in values if id(value) in self._leading}
        unnamed.pop(id(type(holder)), None)
        for value, _, _ in found:
            unnamed.pop(id(value), None)
        return unnamed


# The garbage collector sees nothing of these that is not named: besides, it sees what Python keeps between them.
_WHOLLY_NAMED = ("class", "traceback", "generator", "closure")
_WHOLLY_NAMED_CLASSES = frozenset(map(id, (dict, list, tuple, set, frozenset, collections.deque)))
_PARTS_BY_KIND: dict[str, _Part] = {
    "dict": References._of_dict,
    "list": References._of_sequence,
    "tuple": References._of_sequence,
    "set": References._of_set,
    "deque": References._of_sequence,
    "class": References._of_class,
    "function": References._of_function,
    "method": References._of_method,
    "closure": References._of_closure,
    "traceback": References._of_frame,
    "generator": References._of_frame,
    "exception": References._of_exception,
}


def _values(sequence: Any) -> list[Any]:
    """Returns the values of a list, tuple or deque, also while it is filled: a tuple that is made of a generator has empty
    places at its end, where the iterator of a tuple would crash. The garbage collector begins at the end."""
    if type(sequence) is tuple or type(sequence) is list:
        return gc.get_referents(sequence)[::-1]
    for cls in (list, tuple, collections.deque):
        if issubclass(type(sequence), cls):
            return list(cls.__iter__(sequence))
    return []


def _other_key(key: Any) -> str:
    return str(key) if type(key) is int else class_name(type(key))
