"""Arguments of the functions of _api.py -> what they return."""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

from memviz_torch._program import Answer, Option, Snapshot, ask
from memviz_torch._results import Comparison, Explanation, Leaks, Page, Picture

Arguments = Mapping[str, Any]


def flame(arguments: Arguments) -> Picture:
    return _picture("flame", arguments)


def state(arguments: Arguments) -> Picture:
    return _picture("state", arguments)


def timeline(arguments: Arguments) -> Picture:
    return _picture("timeline", arguments)


def explain(arguments: Arguments) -> Explanation:
    answer = _asked("explain", arguments, ("json", "text", "output"))
    return Explanation(answer.files["output"], answer.files["text"], _figures(answer), answer.warnings)


def compare(arguments: Arguments) -> Comparison:
    answer = _asked("compare", arguments, ("output", "json", "markdown"))
    return Comparison(
        answer.files["output"],
        answer.text,
        _figures(answer),
        answer.files["markdown"],
        answer.exceeded,
        answer.warnings,
    )


def leaks(arguments: Arguments) -> Leaks:
    answer = _asked("leaks", arguments, ("json", "output"))
    return Leaks(answer.files["output"], _figures(answer), answer.exceeded, answer.warnings)


def stats(arguments: Arguments) -> "dict[str, Any]":
    return _figures(_asked("stats", arguments, ("json",)))


def keepers(arguments: Arguments) -> "list[dict[str, Any]]":
    found = ((of_device["device"], of_device["keepers"]) for of_device in stats(arguments)["devices"])
    return [{"device": number, **kept} for number, kept in found if kept is not None]


def view(arguments: Arguments) -> Page:
    answer = _asked("view", arguments if arguments["snapshots"] else {**arguments, "empty": True}, ("output",))
    return Page(answer.files["output"], answer.warnings)


def _asked(command: str, arguments: Arguments, outputs: "Sequence[str]") -> Answer:
    snapshots: "dict[str, Snapshot]" = {}
    options: "dict[str, Option]" = {}
    for name, value in arguments.items():
        if name == "snapshots":
            snapshots.update((f"snapshot{i or ''}", snapshot) for i, snapshot in enumerate(value))
        elif name in ("snapshot", "before") or (name == "after" and value is not None):
            snapshots[name] = value
        elif name != "after":
            options[name] = value
    if command == "timeline" and "after" in snapshots:
        snapshots = {"before": snapshots["snapshot"], "after": snapshots["after"]}
    return ask(command, snapshots, options, outputs)


def _picture(command: str, arguments: Arguments) -> Picture:
    answer = _asked(command, arguments, ("output",))
    return Picture(answer.files["output"], answer.warnings)


def _figures(answer: Answer) -> "dict[str, Any]":
    figures: "dict[str, Any]" = json.loads(answer.files["json"])
    return figures
