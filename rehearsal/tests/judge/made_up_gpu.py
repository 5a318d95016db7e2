"""The common parts of the judges: their command line, and a start with the made-up GPU."""

import argparse
import os
import sys


def parser_of(doc):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("memviz")
    parser.add_argument("rehearsal", help="the folder of libmemviz_rehearsal.so")
    parser.add_argument("--seeds", default="0:200", metavar="FIRST:END")
    return parser


def start_again(folder, **variables):
    """Starts this program again with the library in front of CUDA's, unless it is already."""
    folder = os.path.abspath(folder)
    library = os.path.join(folder, "libmemviz_rehearsal.so")
    if library in os.environ.get("LD_PRELOAD", ""):
        return
    changes = {"LD_PRELOAD": library, "LD_LIBRARY_PATH": folder, **variables}
    changes["PYTHONWARNINGS"] = "ignore"  # empty graphs
    changes["TORCH_CPP_LOG_LEVEL"] = "ERROR"  # the allocator warns of every failure
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **changes})
