"""Orders the objects that no root reaches: garbage in cycles that waits for the collector, and temporaries of a running
line, which are only on the interpreter's stack."""

from __future__ import annotations

from typing import Iterator

_Graph = dict[int, list[int]]  # the ids of the objects that each refers to


def leading_to(graph: _Graph, wanted: set[int]) -> _Graph:
    """Returns the part of the graph from which a wanted object can be reached."""
    holders: _Graph = {}
    for holder, targets in graph.items():
        for target in targets:
            holders.setdefault(target, []).append(holder)
    kept = {one for one in wanted if one in graph}
    pending = list(kept)
    while pending:
        for holder in holders.get(pending.pop(), ()):
            if holder not in kept:
                kept.add(holder)
                pending.append(holder)
    return {holder: [target for target in graph[holder] if target in kept] for holder in graph if holder in kept}


def roots(graph: _Graph) -> Iterator[tuple[str, int]]:
    """Returns "temporary" for each object to which no other refers, then "cycle" for one object of each cycle to which
    nothing else refers: from these, all others are reached."""
    referred = {target for targets in graph.values() for target in targets}
    seen: set[int] = set()
    for one in graph:
        if one not in referred:
            _reach(graph, one, seen)
            yield "temporary", one
    # Among the others, the one that is finished last is in a cycle to which no other cycle refers.
    for one in reversed(_order_of_finishing(graph, seen)):
        if one not in seen:
            _reach(graph, one, seen)
            yield "cycle", one


def _reach(graph: _Graph, start: int, seen: set[int]) -> None:
    pending = [start]
    seen.add(start)
    while pending:
        for target in graph[pending.pop()]:
            if target not in seen:
                seen.add(target)
                pending.append(target)


def _order_of_finishing(graph: _Graph, left_out: set[int]) -> list[int]:
    finished: list[int] = []
    entered = set(left_out)
    for start in graph:
        if start in entered:
            continue
        entered.add(start)
        path = [(start, iter(graph[start]))]
        while path:
            one, targets = path[-1]
            following = next((target for target in targets if target not in entered), None)
            if following is None:
                finished.append(one)
                path.pop()
            else:
                entered.add(following)
                path.append((following, iter(graph[following])))
    return finished
