"""Reads the nodes of graphs: many of one class together, which takes a fraction of the time."""

from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple

from .keepers_found import Found, Reference, are_none, those
from .keepers_graph import Fields, GraphReader, Saved
from .keepers_memory import MemoryReader
from .keepers_types import Facts

_AT_ONCE = 256
# PyTorch 2.13 keeps the object that it makes for a node as long as the node, and frees a chain of such nodes by recursion:
# 160 bytes of the stack for each of them. Most stacks have 8 MB.
MOST_HEIGHT = 16_000
_Read = Callable[[Any], Any]


class _OfClass(NamedTuple):
    """The nodes of a class."""

    fields: Fields
    keys: list[int]
    nodes: list[Any]


class NodeReader:
    """Adds to ``found``."""

    # In this process: the objects of a deep graph's newest nodes are kept, and another search would begin below them.
    has_met_depth = False

    def __init__(self, memory: MemoryReader, found: Found) -> None:
        self._memory = memory
        self._found = found
        self._graph = GraphReader()

    def references_of(self, node: Any) -> list[Reference]:
        """Returns the references of a node that was read. Those to the nodes that follow are read again, because that takes
        less time and memory than to keep them."""
        fields = self._graph.fields(type(node))
        found = self._found.of_node(id(node), fields.labels)
        variable = fields.variable(node) if fields.variable is not None else None
        if variable is not None:
            found.append((variable, "saved", "variable"))
        for one, _ in fields.next_functions(node):
            if one is not None:
                found.append((one, "next", ""))
        return found

    def read(self, starts: dict[int, Any], is_over: Callable[[], bool]) -> None:
        """Reads these nodes, which are by their ids, and those that follow them."""
        for fields, keys, nodes in self._with_following(starts, is_over):
            for start in range(0, len(nodes), _AT_ONCE):
                if is_over():
                    return
                part = slice(start, start + _AT_ONCE)
                self._read_fields(keys[part], nodes[part], fields)

    def _with_following(self, starts: dict[int, Any], is_over: Callable[[], bool]) -> list[_OfClass]:
        """Returns the nodes by class. Newer ones come first, and lead to older ones."""
        of_classes: dict[int, _OfClass] = {}
        self._found.is_deep = self._found.is_deep or (bool(starts) and NodeReader.has_met_depth)
        for key, node in reversed(starts.items()) if not self._found.is_deep else ():
            if key not in self._found.heights and not self._follow(key, node, of_classes, is_over):
                break
        NodeReader.has_met_depth = NodeReader.has_met_depth or self._found.is_deep
        return list(of_classes.values())

    def _follow(self, start: int, node: Any, of_classes: dict[int, _OfClass], is_over: Callable[[], bool]) -> bool:
        """Returns whether others may follow: there is time, and no graph is too deep."""
        found, heights, enter = self._found, self._found.heights, self._enter
        add_source, add_target = found.sources.append, found.targets.append
        following = [enter(start, node, of_classes)]  # of each node on the way, what is left of those after it
        way, highest = [start], [0]
        while way:
            source = way[-1]
            for one, _ in following[-1]:
                if one is None:
                    continue
                key = id(one)
                add_source(source)
                add_target(key)
                height = heights.get(key)
                if height is None:
                    if len(way) == MOST_HEIGHT:
                        found.is_deep = True
                        return False
                    following.append(enter(key, one, of_classes))
                    way.append(key)
                    highest.append(0)
                    break
                if height > highest[-1]:
                    highest[-1] = height
            else:
                following.pop()
                heights[way.pop()] = height = highest.pop() + 1
                if way and height > highest[-1]:
                    highest[-1] = height
                if len(heights) % _AT_ONCE == 0 and is_over():
                    return False
        found.is_deep = heights[start] > MOST_HEIGHT
        return not found.is_deep

    def _enter(self, key: int, node: Any, of_classes: dict[int, _OfClass]) -> Iterator[tuple[Any, int]]:
        """Adds a node that is followed for the first time, and returns those after it."""
        self._found.add_node(key, node)
        some = of_classes.get(id(type(node)))
        if some is None:
            some = of_classes[id(type(node))] = _OfClass(self._graph.fields(type(node)), [], [])
        fields, keys, nodes = some
        keys.append(key)
        nodes.append(node)
        return iter(fields.next_functions(node))

    def _read_fields(self, keys: list[int], nodes: list[Any], fields: Fields) -> None:
        for label, read in fields.saved:
            try:
                self._read_saved(keys, self._graph.data_without_hooks(list(map(read, nodes))), label)
            except Exception:  # one of them is freed, has a hook, or is of a rare kind
                self._read_one_by_one(keys, nodes, label, read)
        if fields.variable is not None:
            variables = list(map(fields.variable, nodes))
            self._found.lead(*those(keys, variables, [one is not None for one in variables]))

    def _read_one_by_one(self, keys: list[int], nodes: list[Any], label: str, read: _Read) -> None:
        for key, node in zip(keys, nodes):
            references: list[Reference] = []
            try:
                for saved in self._graph.saved(node, label, read):
                    references.extend(self._of_saved(key, saved))
            except Exception:
                self._found.unreadable += 1
            self._found.note(key, references)

    def _of_saved(self, key: int, saved: Saved) -> Iterator[Reference]:
        if saved.is_hidden:
            self._found.hidden[key] = self._found.hidden.get(key, 0) + 1
        if saved.hook is not None:  # that of a checkpoint refers to what the checkpoint has chosen to keep
            yield saved.hook, "saved", f"{saved.label} hook"
        if saved.data is None:
            return
        facts = self._found.classes.of(saved.data)
        storages = self._memory.of_tensor(saved.data, facts) if self._is_of_graph_alone(saved, facts) else []
        if not storages:
            yield saved.data, "saved", saved.label
            return
        self._found.storages.add(key, storages)
        yield from self._found.to_base(self._memory.field(saved.data, "_base"), saved.label)

    def _is_of_graph_alone(self, saved: Saved, facts: Facts) -> bool:
        """Whether only the graph has a tensor. Such a tensor is not written as an object: the node has its memory."""
        if saved.is_hidden or not facts.is_tensor or facts.overrides_dispatch:
            return False
        return not self._found.is_of_program(saved.data)

    def _read_saved(self, keys: list[int], data: list[Any], label: str) -> None:
        """Does the same for what many nodes save under one name. Raises before it adds anything, if one of these is not a
        plain tensor."""
        keys, data = those(keys, data, [one is not None for one in data])
        for cls in dict(zip(map(id, map(type, data)), map(type, data))).values():
            facts = self._found.classes.of_class(cls)
            if not facts.is_tensor or facts.overrides_dispatch:
                raise TypeError("not a plain tensor")
        found, memory = self._found, self._memory
        knows, explored = found.storages.knows, found.explored
        is_known = [knows(key) and key not in explored for key in map(id, data)]
        alone_keys, alone = those(keys, data, [not one for one in is_known])
        rows = memory.rows_of_plain_tensors(alone, found.storages)
        without_keys, without = those(alone_keys, alone, [row < 0 for row in rows])
        leads_on = memory.lead_on(without)
        found.note_saved(*those(keys, data, is_known), label)
        found.storages.give_more(alone_keys, rows)
        bases = memory.bases(alone)
        if not are_none(bases):
            for key, row, base in zip(alone_keys, rows, bases):
                if row >= 0:
                    found.note(key, found.to_base(base, label))
        for key, tensor in zip(*those(without_keys, without, leads_on)):
            found.note(key, [(tensor, "saved", label)])
        found.dropped += len(alone)

