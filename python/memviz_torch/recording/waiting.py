"""Waits for a module that the program imports, without importing it."""

from __future__ import annotations

import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    from typing import Any, Callable


def when_imported(name: str, notify: Callable[[Any], object]) -> None:
    """Calls ``notify(module)`` once, directly after the module was imported for the first time."""
    module = sys.modules.get(name)
    if module is not None:
        notify(module)
    else:
        sys.meta_path.insert(0, _Finder(name, notify))


class _Finder:
    """Lets the other finders find the module, and reports when it has been executed."""

    def __init__(self, name: str, notify: Callable[[Any], object]) -> None:
        self._name = name
        self._notify = notify
        self._asking = threading.local()  # whether this thread asks the others, of whom one may ask in turn

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self._name or getattr(self._asking, "now", False):
            return None
        self._asking.now = True
        try:
            spec = self._found_by_others(name, path, target)
            if spec is not None:
                self._notify_after(spec.loader)
            return spec
        except Exception:
            return None  # the others are asked once more, without this one
        finally:
            self._asking.now = False

    def _found_by_others(self, name: str, path: Any, target: Any) -> Any:
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(name, path, target)
            if spec is not None:
                return spec
        return None

    def _notify_after(self, loader: Any) -> None:
        execute = loader.exec_module

        def execute_and_notify(module: Any) -> None:
            execute(module)
            if self in sys.meta_path:  # else it is done; an import that failed may come again
                sys.meta_path.remove(self)
                self._notify(module)

        loader.exec_module = execute_and_notify
