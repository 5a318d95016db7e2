"""A walk over the heap of this process, with tensors that are made up, and the paths in its answer."""

import collections
import gc
import pathlib
import sys
import types
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "python"))

from memviz_torch.recording import keepers, keepers_columns, pauses  # noqa: E402


class Base:
    """Has the fields of torch._C.TensorBase that are read, of a tensor without a graph."""

    __slots__ = ("address", "bytes", "__dict__", "__weakref__")
    is_cuda = is_leaf = retains_grad = property(lambda self: True)
    grad_fn = grad = property(lambda self: None)
    base = None
    _base = property(lambda self: self.base)
    layout = property(lambda self: "torch.strided")
    nbytes = property(lambda self: self.bytes)

    def get_device(self):
        return 0

    def untyped_storage(self):
        return Storage(self.address, self.bytes)


class Tensor(Base):
    last = 0  # the address of the newest one, so that a test needs no variable that keeps it

    def __init__(self, size=512):
        Tensor.last += size
        self.address, self.bytes = Tensor.last, size


class Storage:
    def __init__(self, address, size):
        self.address, self.bytes = address, size

    device = property(lambda self: types.SimpleNamespace(type="cuda", index=0))

    def nbytes(self):
        return self.bytes

    def data_ptr(self):
        return self.address


class Guard:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


class Module:
    def __init__(self):
        self._parameters, self._buffers, self._modules = {}, {}, {}


class Parameter(Tensor):
    pass


class Optimizer:
    pass


TORCH = types.SimpleNamespace(
    _C=types.SimpleNamespace(
        TensorBase=Base,
        StorageBase=Storage,
        DisableTorchFunction=Guard,
        _DisableTorchDispatch=Guard,
        _data_address=lambda tensor: tensor.address,
    ),
    Tensor=Tensor,
    nn=types.SimpleNamespace(Parameter=Parameter, Module=Module),
    optim=types.SimpleNamespace(Optimizer=Optimizer),
    no_grad=Guard,
)


class Answer:
    """The columns as a graph."""

    def __init__(self, facts):
        self.facts = facts
        self._edges = collections.defaultdict(list)
        for number, holder in enumerate(facts["edge_from"]):
            how = facts["hows"][facts["edge_how"][number]]
            label = facts["edge_label"][number]
            label = label if how == "index" else facts["texts"][label]
            self._edges[holder].append((facts["edge_to"][number], f"{how} {label}".strip()))
        self.roots = [(facts["root_kinds"][kind], node) for kind, node in zip(facts["root_kind"], facts["root_node"])]

    def name(self, node):
        return self.facts["texts"][self.facts["node_name"][node]]

    def kind(self, node):
        return self.facts["kinds"][self.facts["node_kind"][node]]

    def nodes(self, kind):
        return [node for node in range(len(self.facts["node_kind"])) if self.kind(node) == kind]

    def paths(self):
        """Returns the first path to each storage, by its address: root kind, name of the root, references."""
        found, seen = {}, set()
        storages = collections.defaultdict(list)
        for node, address in zip(self.facts["storage_node"], self.facts["storage_address"]):
            storages[node].append(address)
        for kind, root in self.roots:
            pending = collections.deque([(root, (kind, self.name(root)))])
            while pending:
                node, path = pending.popleft()
                if node in seen:
                    continue
                seen.add(node)
                for address in storages[node]:
                    found.setdefault(address, path)
                pending.extend((target, (*path, step)) for target, step in self._edges[node])
        return found


def walk():
    facts = keepers.found(TORCH)
    assert facts is not None
    return Answer(facts)


class Walks(unittest.TestCase):
    def setUp(self):
        RAN.clear()
        gc.collect()
        gc.disable()  # so that garbage stays
        self.addCleanup(gc.enable)

    def assert_path(self, *path, root="local", address=None):
        """Expects this path from the root to the newest tensor, and that no code of the program ran."""
        address = address or Tensor.last
        RAN.clear()
        answer = walk()
        self.assertEqual(RAN, [])
        found = answer.paths().get(address)
        self.assertIsNotNone(found, answer.facts)
        self.assertEqual((found[0], *found[2:]), (root, *path))
        return answer


RAN = []  # what ran of a program that forbids to run anything


def ran(name, result=None):
    """Returns a method that notes its name."""

    def method(*_, **__):
        RAN.append(name)
        return result

    return method
