"""Uses libmemviz_capture.so as Python's ctypes does, beside PyTorch where it is installed.

usage: check_c_interface.py LIBRARY
"""

import ctypes
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    torch = None


def load():
    library = ctypes.CDLL(sys.argv[1])
    library.memviz_capture_last_error.restype = ctypes.c_char_p
    return library


def must(library, status):
    assert status == 0, library.memviz_capture_last_error()


def must_fail(library, status, *words):
    error = library.memviz_capture_last_error().decode()
    assert status == -1 and all(word in error for word in words), (status, error)


def check_errors(library, folder):
    assert library.memviz_capture_version() == 1
    must_fail(library, library.memviz_capture_dump(b"/tmp/x"), "start() was not called")
    must_fail(library, library.memviz_capture_dump(None), "path is null")
    must_fail(library, library.memviz_capture_set(b"colour", b"red"), 'no option "colour"')
    must_fail(library, library.memviz_capture_set(b"max_entries", b"many"), '"many" is not a number')
    must_fail(library, library.memviz_capture_set(b"with_cpu", b"yes"), "neither 0 nor 1")
    must_fail(library, library.memviz_capture_set(b"device", b"nowhere"), "nowhere")
    must(library, library.memviz_capture_set(b"context", b"some"))
    must_fail(library, library.memviz_capture_start(), "RecorderOptions::context")
    must(library, library.memviz_capture_set(b"context", b"all"))
    must(library, library.memviz_capture_stop())
    assert library.memviz_capture_is_recording() == 0
    assert not os.listdir(folder)


def check_recording(library, folder):
    path = folder / "a.pickle"
    must(library, library.memviz_capture_set(b"device", b"cpu"))
    must(library, library.memviz_capture_set(b"stacks", b"python"))
    must(library, library.memviz_capture_set(b"skip_actions", b"segment_alloc,segment_free"))
    must(library, library.memviz_capture_start())
    assert library.memviz_capture_is_recording() == 1
    must_fail(library, library.memviz_capture_start(), "records already")
    must(library, library.memviz_capture_begin_annotation(b"step 0"))
    kept = torch.ones(12345) if torch else None
    must(library, library.memviz_capture_end_annotation(b"step 0"))
    must(library, library.memviz_capture_mark(b"here"))
    must(library, library.memviz_capture_dump(bytes(path)))
    must_fail(library, library.memviz_capture_dump(bytes(folder / "none" / "a")), str(folder / "none" / "a"))
    must(library, library.memviz_capture_stop())
    snapshot = pickle.loads(path.read_bytes())
    stages = [(entry["name"], entry["stage"]) for entry in snapshot["external_annotations"]]
    assert stages == [("step 0", "START"), ("step 0", "END"), ("here", "START"), ("here", "END")], stages
    if kept is not None:
        events = [event["action"] for event in snapshot["device_traces"][0] if event["size"] == 4 * 12345]
        assert events == ["alloc"], events


def check_environment(folder):
    """In a process of its own: its end writes the snapshot."""
    program = "import ctypes, sys; assert ctypes.CDLL(sys.argv[1]).memviz_capture_start_from_environment() == 0"
    environment = dict(os.environ, MEMVIZ_RECORD="1", MEMVIZ_OUT=f"{folder}/%r.pickle")
    done = subprocess.run([sys.executable, "-c", program, sys.argv[1]], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done
    assert "segments" in pickle.loads((folder / "exit.pickle").read_bytes()), done


def check_exports():
    """Programs that have other versions of what is linked into the library must not meet it."""
    table = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in table.splitlines()}
    assert names and all(name.startswith("memviz_capture_") for name in names), sorted(names)


def main():
    library = load()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_errors(library, folder)
        check_recording(library, folder)
        check_environment(folder)
    check_exports()


main()
