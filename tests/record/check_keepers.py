"""Holds what a recording says of who keeps GPU memory against PyTorch itself, on the made-up GPU.

usage: check_keepers.py MEMVIZ

With a Python that has torch.
"""

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from checks import check  # noqa: E402
from keepers_stage import SOURCE, Answer  # noqa: E402

# Each tensor has another number of kilobytes, by which it is known in the file. What runs of the program during the walk
# prints a line.
PROGRAM = """
import sys, torch, warnings, memviz_torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.multiprocessing.reductions import StorageWeakRef

def kilobytes(count, **options):
    return torch.ones(256 * count, device="cuda", **options)

def ran(name):
    return lambda *_, **__: print("ran", name)

class Loud(torch.Tensor):
    __torch_function__ = classmethod(lambda cls, *_, **__: print("ran", "__torch_function__"))
    __getattr__ = ran("__getattr__")
    __eq__ = ran("__eq__")

class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)
    def __init__(self, inner):
        self.inner = inner
    __torch_dispatch__ = classmethod(lambda cls, *_, **__: print("ran", "__torch_dispatch__"))

class Dispatch(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        print("ran", "a dispatch mode", function)
        return function(*args, **(kwargs or {}))

class Functions(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        print("ran", "a function mode", function)
        return function(*args, **(kwargs or {}))

class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.repeat(2))
        ctx.kept = kilobytes(31)
        return x + 1
    @staticmethod
    def backward(ctx, gradient):
        return gradient

def unpacks(chosen):
    def unpack(packed):
        print("ran", "an unpack hook", chosen)
    return unpack

def hooked():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: ("packed", x.repeat(3)), unpacks(kilobytes(35))):
        return kilobytes(11, requires_grad=True).exp()

def ended():
    tensor = kilobytes(13)
    storage = tensor.untyped_storage()
    weak = StorageWeakRef(storage)
    del storage  # before the tensor: its Python object then stays as long as the reference
    return weak

def main():
    weak = [ended() for _ in range(50)]
    with FakeTensorMode():
        fake = torch.empty(4, 4, device="cuda")
    loud = kilobytes(1).as_subclass(Loud)
    wrapper = Wrapper(kilobytes(2))
    through = Function.apply(kilobytes(4, requires_grad=True))
    model = torch.nn.Sequential(torch.nn.Linear(256, 5, bias=False, device="cuda"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(kilobytes(1)[None]).sum().backward()
    optimizer.step()
    packed = hooked()
    indices = torch.zeros(1, 128 * 6, dtype=torch.int64, device="cuda")
    sparse = torch.sparse_coo_tensor(indices, kilobytes(7)[:128 * 6], (1000,), check_invariants=False)
    del indices
    storage = kilobytes(9).untyped_storage()
    part = kilobytes(10)[:10]
    graph = kilobytes(12, requires_grad=True).exp().sin().sum()
    pair = kilobytes(14, requires_grad=True).exp()[:99] * kilobytes(15, requires_grad=True).exp()[:99] * 2
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    torch.cuda.set_sync_debug_mode("error")
    with Dispatch(), Functions(), warnings.catch_warnings():
        warnings.simplefilter("error")
        recording.dump("kept.pickle")
    torch.cuda.set_sync_debug_mode("default")
    print("allocations", torch.cuda.memory_stats()["allocation.all.allocated"] - before)
    print("saved tensors are shown", hasattr(torch._C._autograd.SavedTensor, "unpack_hook"))

recording = memviz_torch.record("unused.pickle", on_exit=False, on_oom=False)
torch.cuda.init()
with recording:
    main()
"""

# Runs out of memory, catches that, frees all and says what is left.
RELEASES = """
import torch

def train(layer):
    kept = []
    x = torch.ones(4 << 10, 1024, device="cuda")
    try:
        while True:
            kept.append(layer(x).relu())
    except torch.OutOfMemoryError:
        print("caught")
    kept.clear()
    x = None
    print("left", torch.cuda.memory_allocated())

train(torch.nn.Linear(1024, 1024, device="cuda"))
"""

# Keeps a graph that is deeper than the walk follows, and frees it after the snapshot: by recursion in PyTorch.
DEEP = """
import torch, memviz_torch

def main():
    total = torch.zeros(1, requires_grad=True)
    for _ in range(50_000):
        total = total.exp().neg()
    for _ in range(4):
        recording.dump("deep.pickle")
    del total
    print("freed")

recording = memviz_torch.record("unused.pickle", on_exit=False, on_oom=False)
torch.cuda.init()
with recording:
    main()
"""

# By kilobytes: the references from main() to the storages of this size.
ALWAYS = {
    1: {("local loud",)},
    2: {("local wrapper", "attribute inner")},
    4: {("local through",), ("local through", "grad_fn", "next", "saved variable")},
    5: {
        ("local model", "attribute 0", "parameter weight"),
        ("local model", "attribute 0", "parameter weight", "grad grad"),
        ("local optimizer", "attribute state", "other_key torch.nn.parameter.Parameter", "key momentum_buffer"),
    },
    6: {("local sparse",)},
    7: {("local sparse",)},
    9: {("local storage",)},
    10: {("local part",)},
    11: {("local packed",), ("local packed", "grad_fn", "next", "saved variable")},
    31: {("local through", "grad_fn", "attribute kept")},
}
# Saved by graphs: PyTorch 2.6 cannot show it without running a hook, if there is one.
SAVED = {
    8: {("local through", "grad_fn", "saved tensors")},
    12: {("local graph", "grad_fn", "next", "saved self"), ("local graph", "grad_fn", "next", "next", "next", "saved variable")},
    14: {("local pair", "grad_fn", "next", "saved self"), ("local pair", *["grad_fn", "next", "next", "next", "next"], "saved variable")},
    15: {("local pair", "grad_fn", "next", "saved other"), ("local pair", *["grad_fn", "next", "next", "next", "next"], "saved variable")},
    33: {("local packed", "grad_fn", "saved result", "index 1")},
    35: {("local packed", "grad_fn", "saved result hook", "closure chosen", "refers")},
}


def run(memviz, folder, program, words=(), **variables):
    (folder / "program.py").write_text(program)
    command = [memviz, "rehearse", "--quiet", "--no-record", "--values=off", "--memory", "1GiB", "--", *words]
    environment = dict(os.environ, MEMVIZ_PROGRAM=memviz, PYTHONPATH=str(SOURCE / "python"), **variables)
    return subprocess.run(
        [*command, sys.executable, "-W", "ignore", "program.py"], cwd=folder, env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
    )


def check_paths(memviz, folder):
    done = run(memviz, folder, PROGRAM)
    file = folder / "kept.pickle"
    check(file.exists() and done.returncode == 0, done.stdout, done.stderr)
    check("allocations 0\n" in done.stdout and "\nran " not in "\n" + done.stdout, done.stdout, done.stderr)
    has_saved = "saved tensors are shown True" in done.stdout
    facts = pickle.loads(file.read_bytes())["memviz_keepers"]
    answer = Answer(facts)
    sizes = dict(zip(facts["storage_address"], facts["storage_bytes"]))
    found = {}
    for address, path in answer.paths().items():
        if path[:2] != ("local", "main"):
            check(not has_saved, path)  # what only a graph has seems to be a temporary there
            continue
        found.setdefault(sizes[address] // 1024, set()).add(path[2:])
    check(sum(facts["node_hidden"]) == 1 or not has_saved, facts["node_hidden"])
    for kilobytes, paths in {**ALWAYS, **(SAVED if has_saved else {})}.items():
        check(found.get(kilobytes) == paths, kilobytes, found)
    check(facts["unreadable"] == 0, facts["unreadable"])


def check_error(memviz, folder):
    left = {}
    for value in "1", "0":
        done = run(memviz, folder, RELEASES, [memviz, "run", "--dir", value, "--"], MEMVIZ_KEEPERS=value)
        left[value] = [line for line in done.stdout.splitlines() if line.startswith("left")]
        (file,) = (folder / value).glob("*.pickle")
        facts = pickle.loads(file.read_bytes()).get("memviz_keepers")
        check((facts is not None) == (value == "1"), value, done.stdout, done.stderr)
        if facts is not None:
            paths = [path[1:3] for path in Answer(facts).paths().values()]
            check(paths.count(("train", "local kept")) >= 1, paths)
    check(left["1"] == left["0"] and left["1"], left)


def check_deep_graph(memviz, folder):
    done = run(memviz, folder, DEEP)
    check(done.returncode == 0 and "freed\n" in done.stdout, done.returncode, done.stdout, done.stderr)
    facts = pickle.loads((folder / "deep.pickle").read_bytes())["memviz_keepers"]
    check(facts["cut"] == "depth", facts["cut"])


def main():
    memviz = os.path.abspath(sys.argv[1])
    for one in (check_paths, check_error, check_deep_graph):
        with tempfile.TemporaryDirectory() as folder:
            one(memviz, pathlib.Path(folder))
            print(one.__name__, "is right", flush=True)


main()
