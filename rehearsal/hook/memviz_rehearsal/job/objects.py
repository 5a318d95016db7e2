"""Runs collectives over objects, and over CPU tensors of a job with absent ranks (job/tensors.py), whose
values the made-up NCCL does not have. They go through the store of the group, from present member to present member; an
absent member contributes what its stand-in does: the last present member before it, or else the first. On the GPU the
same tensors are made and sent as by PyTorch's own functions, so the memory is the same.
"""

import functools
import pickle
import sys

from memviz_rehearsal.job.tensors import CpuCollectives, existing

_PREFIX = "memviz/"


def is_own(key):
    return _PREFIX in key


def source_of(key):
    return key.rpartition("/")[2]


def replace(before, after):
    """Replaces a function or class in each of PyTorch's modules that has it."""
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] == "torch"]:
        for name, value in list(vars(module).items()) if module is not None else ():
            if value is before:
                setattr(module, name, after)


class _Exchange:
    """Passes bytes between the present members of groups. Members are named by their rank in the job."""

    def __init__(self, c10d, world):
        self._c10d = c10d
        self.world = world
        self._turns = {}

    def group(self, group):
        return group if group is not None else self._c10d._get_default_group()

    def members(self, group):
        return self._c10d.get_process_group_ranks(self.group(group))

    def me(self):
        return self._c10d.get_rank()

    def is_present(self, rank):
        return self.world is None or rank in self.world.present

    def is_alone(self, group):
        return not any(self.is_present(rank) and rank != self.me() for rank in self.members(group))

    def stand_in(self, members, index):
        """Returns the member that stands in for the one with this index: itself if it is present."""
        present = [rank for rank in members[: index + 1] if self.is_present(rank)]
        return present[-1] if present else next(rank for rank in members if self.is_present(rank))

    def gather(self, group, data):
        """Returns the contribution of each member, in the group's order."""
        members = self.members(group)
        if self.is_alone(group):
            return [data] * len(members)
        turn = self._turn(group, "all")
        self._store(group).set(f"{turn}/{self.me()}", data)
        sources = [self.stand_in(members, index) for index in range(len(members))]
        found = {rank: self._store(group).get(f"{turn}/{rank}") for rank in sorted(set(sources))}
        return [found[rank] for rank in sources]

    def send(self, group, data, target, channel=""):
        if self.is_present(target):
            turn = self._turn(group, f"{self.me()}-{target}{channel}")
            self._store(group).set(f"{turn}/{self.me()}", data)

    def receive(self, group, source, channel=""):
        return self.receiver(group, source, channel)()

    def receiver(self, group, source, channel=""):
        """Returns a function that waits for what the source sends next after everything that was asked of it before."""
        turn = self._turn(group, f"{source}-{self.me()}{channel}")
        return lambda: self._store(group).get(f"{turn}/{source}")

    def spread(self, group, data, source):
        """Returns the bytes that the source, which is present, sends to all members."""
        turn = self._turn(group, "all")
        key = f"{turn}/{source}"
        if source == self.me():
            if not self.is_alone(group):
                self._store(group).set(key, data)
            return data
        return self._store(group).get(key)

    def _store(self, group):
        return self._c10d._world.pg_map[self.group(group)][1]

    def _turn(self, group, kind):
        place = (self._c10d._world.pg_names[self.group(group)], kind)
        self._turns[place] = self._turns.get(place, 0) + 1
        return f"{_PREFIX}{kind}/{self._turns[place]}"


def install(torch, world=None):
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available():
        return
    c10d = distributed.distributed_c10d
    exchange = _Exchange(c10d, world)
    for answers in (ObjectCollectives(torch, c10d, exchange), *([CpuCollectives(torch, c10d, exchange)] if world else ())):
        for name in answers.NAMES:
            before = getattr(c10d, name, None)
            if before is not None:
                replace(before, functools.wraps(before)(functools.partial(getattr(answers, name), before)))


class ObjectCollectives:
    """The answers of PyTorch's functions of these names; each gets PyTorch's own one first."""

    NAMES = (
        "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
        "send_object_list", "recv_object_list", "barrier",
    )  # fmt: skip

    def __init__(self, torch, c10d, exchange):
        self._torch = torch
        self._c10d = c10d
        self._exchange = exchange
        self._world = exchange.world

    def _is_real(self, group, device=None):
        """Whether PyTorch's own function really reaches the other members."""
        if self._c10d._rank_not_in_group(group):
            return True  # warns
        return self._world is None and self._torch.device(device or self._c10d._get_object_coll_device(group)).type == "cpu"

    def _gpu(self, group, device=None):
        device = self._torch.device(device or self._c10d._get_object_coll_device(group))
        return device if device.type == "cuda" else None

    def _rank_of(self, group, rank, group_rank):
        return self._c10d.get_global_rank(self._exchange.group(group), group_rank) if group_rank is not None else rank or 0

    def _tensors_of(self, objects, device, group):
        tensors, sizes = zip(*[self._c10d._object_to_tensor(one, device, group) for one in objects])
        return list(tensors), list(sizes)

    def _gather_sizes(self, size, count, group, device):
        sizes = self._torch.zeros(count, dtype=self._torch.long, device=device)
        parts = [sizes[index].unsqueeze(dim=0) for index in range(count)]
        self._c10d.all_gather(parts, size, group=group)
        max(parts).item()

    def _parts_of(self, largest, count, device):
        whole = self._torch.empty(largest * count, dtype=self._torch.uint8, device=device)
        return [whole[largest * index : largest * (index + 1)] for index in range(count)]

    def all_gather_object(self, own, object_list, obj, group=None):
        if self._is_real(group):
            return own(object_list, obj, group)
        found = self._exchange.gather(group, pickle.dumps(obj))
        if device := self._gpu(group):
            tensor, size = self._c10d._object_to_tensor(obj, device, group)
            self._gather_sizes(size, len(found), group, device)
            largest = max(map(len, found))
            tensor.resize_(largest)
            self._c10d.all_gather(self._parts_of(largest, len(found), device), tensor, group=group)
        for index, data in enumerate(found):
            object_list[index] = pickle.loads(data)

    def gather_object(self, own, obj, object_gather_list=None, dst=None, group=None, group_dst=None):
        if self._is_real(group):
            return own(obj, object_gather_list, dst, group, **({} if group_dst is None else {"group_dst": group_dst}))
        target = self._rank_of(group, dst, group_dst)
        found = self._exchange.gather(group, pickle.dumps(obj))
        is_target = target == self._exchange.me()
        if device := self._gpu(group):
            tensor, size = self._c10d._object_to_tensor(obj, device, group)
            self._gather_sizes(size, len(found), group, device)
            largest = max(map(len, found))
            tensor.resize_(largest)
            parts = self._parts_of(largest, len(found), device) if is_target else None
            self._c10d.gather(tensor, gather_list=parts, dst=target, group=group)
        for index, data in enumerate(found) if is_target else ():
            object_gather_list[index] = pickle.loads(data)

    def broadcast_object_list(self, own, object_list, src=None, group=None, device=None, group_src=None):
        if self._is_real(group, device):
            return own(object_list, src, group, device, **({} if group_src is None else {"group_src": group_src}))
        source = self._rank_of(group, src, group_src)
        if self._exchange.is_present(source):
            lists = pickle.loads(self._exchange.spread(group, pickle.dumps([pickle.dumps(one) for one in object_list]), source))
        else:
            if object_list and all(one is None for one in object_list):
                self._world.need(source, [source])
            lists = [pickle.dumps(one) for one in object_list]
        if on := self._gpu(group, device):
            self._broadcast_on_gpu(object_list, lists, source, group, on)
        if source != self._exchange.me():
            object_list[:] = [pickle.loads(one) for one in lists]

    def _broadcast_on_gpu(self, object_list, lists, source, group, device):
        if source == self._exchange.me():
            tensors, sizes = self._tensors_of(object_list, device, group)
            sizes = self._torch.cat(sizes)
        else:
            sizes = self._torch.empty(len(lists), dtype=self._torch.long, device=device)
        self._c10d.broadcast(sizes, src=source, group=group)
        if source == self._exchange.me():
            tensor = tensors[0] if len(tensors) == 1 else self._torch.cat(tensors)
        else:
            tensor = self._torch.empty(sum(map(len, lists)), dtype=self._torch.uint8, device=device)
        self._c10d.broadcast(tensor, src=source, group=group)

    def scatter_object_list(
        self, own, scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
    ):
        if self._is_real(group):
            return own(scatter_object_output_list, scatter_object_input_list, src, group, **existing(group_src=group_src))
        source = self._rank_of(group, src, group_src)
        if not self._exchange.is_present(source):
            self._world.need(source, [source])
        is_source = source == self._exchange.me()
        data = self._exchange.spread(group, pickle.dumps([pickle.dumps(one) for one in scatter_object_input_list or ()]), source)
        lists = pickle.loads(data)
        if device := self._gpu(group):
            self._scatter_on_gpu(scatter_object_input_list if is_source else None, max(map(len, lists)), source, group, device)
        scatter_object_output_list[0] = pickle.loads(lists[self._exchange.members(group).index(self._exchange.me())])

    def _scatter_on_gpu(self, inputs, largest, source, group, device):
        tensors = sizes = None
        if inputs is None:
            most = self._torch.tensor([0], dtype=self._torch.long, device=device)
        else:
            tensors, sizes = self._tensors_of(inputs, device, group)
            most = max(sizes)
            for tensor in tensors:
                tensor.resize_(largest)
        self._c10d.broadcast(most, src=source, group=group)
        own = self._torch.empty(largest, dtype=self._torch.uint8, device=device)
        self._c10d.scatter(own, scatter_list=tensors, src=source, group=group)
        own_size = self._torch.tensor([0], dtype=self._torch.long, device=device)
        self._c10d.scatter(own_size, scatter_list=sizes, src=source, group=group)

    def _exchange_on_gpu(self, make, tensor, peer, group, use_batch):
        if use_batch:
            self._c10d.batch_isend_irecv([self._c10d.P2POp(make, tensor, peer, group)]).pop().wait()
        else:
            (self._c10d.send if make is self._c10d.isend else self._c10d.recv)(tensor, peer, group=group)

    def send_object_list(self, own, object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
        if self._is_real(group, device):
            return own(object_list, dst, group, device, **existing(group_dst=group_dst, use_batch=use_batch))
        target = self._rank_of(group, dst, group_dst)
        lists = [pickle.dumps(one) for one in object_list]
        self._exchange.send(group, pickle.dumps(lists), target)
        if on := self._gpu(group, device):
            tensors, sizes = self._tensors_of(object_list, on, group)
            self._exchange_on_gpu(self._c10d.isend, self._torch.cat(sizes), target, group, use_batch)
            tensor = tensors[0] if len(tensors) == 1 else self._torch.cat(tensors)
            self._exchange_on_gpu(self._c10d.isend, tensor, target, group, use_batch)

    def recv_object_list(self, own, object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
        if self._is_real(group, device):
            return own(object_list, src, group, device, **existing(group_src=group_src, use_batch=use_batch))
        source = self._rank_of(group, src, group_src)
        if not self._exchange.is_present(source):
            self._world.need(source, self._exchange.members(group))
        lists = pickle.loads(self._exchange.receive(group, source))
        if on := self._gpu(group, device):
            sizes = self._torch.empty(len(object_list), dtype=self._torch.long, device=on)
            self._exchange_on_gpu(self._c10d.irecv, sizes, source, group, use_batch)
            self._torch.sum(sizes).item()
            tensor = self._torch.empty(sum(map(len, lists)), dtype=self._torch.uint8, device=on)
            self._exchange_on_gpu(self._c10d.irecv, tensor, source, group, use_batch)
        object_list[:] = [pickle.loads(one) for one in lists]
        return source

    def barrier(self, own, group=None, *arguments, **named):
        work = own(group, *arguments, **named)
        if not self._is_real(group) and not self._exchange.is_alone(group):
            self._exchange.gather(group, b"")
        return work
