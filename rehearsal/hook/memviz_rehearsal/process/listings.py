"""Notes the folders that the program lists, in the record of what it reads (gpu/src/opened_files.cpp): d, one of which all
names matter; i, one in which Python looks for modules and packages."""

import os
import sys

_LOOK_FOR_MODULES = {"_frozen_importlib_external", "importlib._bootstrap_external", "importlib.metadata", "importlib_metadata", "pkgutil"}


def install():
    record = os.environ.get("MEMVIZ_REHEARSAL_READS")
    if record:
        listings = _Listings(record)
        for folder in sys.path:  # listed before this process came here
            listings.note(b"i", folder)
        sys.addaudithook(listings.on_event)


class _Listings:
    def __init__(self, record):
        self._record = record
        self._known = set()

    def on_event(self, event, arguments):
        if event not in ("os.listdir", "os.scandir"):
            return
        folder = arguments[0]
        if isinstance(folder, int):
            folder = os.readlink(f"/proc/self/fd/{folder}")
        caller = sys._getframe(1).f_globals.get("__name__")
        self.note(b"i" if caller in _LOOK_FOR_MODULES else b"d", folder or ".")

    def note(self, kind, folder):
        line = kind + os.path.abspath(os.fsencode(folder)) + b"\0"
        if line in self._known:
            return
        self._known.add(line)
        file = os.open(self._record, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)
