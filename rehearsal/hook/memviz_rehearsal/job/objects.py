"""Runs collectives over objects, and over CPU tensors of a job with absent ranks (job/tensors.py), whose
values the made-up NCCL does not have. They go through the store of the group, from present member to present member; an
absent member contributes what its stand-in does: the last present member before it, or else the first. On the GPU the
same tensors are made and sent as by PyTorch's own functions, so the memory is the same.
"""

import functools
import pickle
import sys

from memviz_rehearsal.job.tensors import cpu_collectives, existing

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
    for answers in (_object_collectives(torch, c10d, exchange), cpu_collectives(torch, c10d, exchange) if world else {}):
        for name, answer in answers.items():
            before = getattr(c10d, name, None)
            if before is not None:
                replace(before, functools.wraps(before)(functools.partial(answer, before)))


def _object_collectives(torch, c10d, exchange):
    world = exchange.world

    def is_real(group, device=None):
        """Whether PyTorch's own function really reaches the other members."""
        if c10d._rank_not_in_group(group):
            return True  # warns
        return world is None and torch.device(device or c10d._get_object_coll_device(group)).type == "cpu"

    def gpu(group, device=None):
        device = torch.device(device or c10d._get_object_coll_device(group))
        return device if device.type == "cuda" else None

    def rank_of(group, rank, group_rank):
        return c10d.get_global_rank(exchange.group(group), group_rank) if group_rank is not None else rank or 0

    def tensors_of(objects, device, group):
        tensors, sizes = zip(*[c10d._object_to_tensor(one, device, group) for one in objects])
        return list(tensors), list(sizes)

    def gather_sizes(size, count, group, device):
        sizes = torch.zeros(count, dtype=torch.long, device=device)
        parts = [sizes[index].unsqueeze(dim=0) for index in range(count)]
        c10d.all_gather(parts, size, group=group)
        max(parts).item()

    def parts_of(largest, count, device):
        whole = torch.empty(largest * count, dtype=torch.uint8, device=device)
        return [whole[largest * index : largest * (index + 1)] for index in range(count)]

    def all_gather_object(own, object_list, obj, group=None):
        if is_real(group):
            return own(object_list, obj, group)
        found = exchange.gather(group, pickle.dumps(obj))
        if device := gpu(group):
            tensor, size = c10d._object_to_tensor(obj, device, group)
            gather_sizes(size, len(found), group, device)
            largest = max(map(len, found))
            tensor.resize_(largest)
            c10d.all_gather(parts_of(largest, len(found), device), tensor, group=group)
        for index, data in enumerate(found):
            object_list[index] = pickle.loads(data)

    def gather_object(own, obj, object_gather_list=None, dst=None, group=None, group_dst=None):
        if is_real(group):
            return own(obj, object_gather_list, dst, group, **({} if group_dst is None else {"group_dst": group_dst}))
        target = rank_of(group, dst, group_dst)
        found = exchange.gather(group, pickle.dumps(obj))
        is_target = target == exchange.me()
        if device := gpu(group):
            tensor, size = c10d._object_to_tensor(obj, device, group)
            gather_sizes(size, len(found), group, device)
            largest = max(map(len, found))
            tensor.resize_(largest)
            parts = parts_of(largest, len(found), device) if is_target else None
            c10d.gather(tensor, gather_list=parts, dst=target, group=group)
        for index, data in enumerate(found) if is_target else ():
            object_gather_list[index] = pickle.loads(data)

    def broadcast_object_list(own, object_list, src=None, group=None, device=None, group_src=None):
        if is_real(group, device):
            return own(object_list, src, group, device, **({} if group_src is None else {"group_src": group_src}))
        source = rank_of(group, src, group_src)
        if exchange.is_present(source):
            lists = pickle.loads(exchange.spread(group, pickle.dumps([pickle.dumps(one) for one in object_list]), source))
        else:
            if object_list and all(one is None for one in object_list):
                world.need(source, [source])
            lists = [pickle.dumps(one) for one in object_list]
        if on := gpu(group, device):
            _broadcast_on_gpu(object_list, lists, source, group, on)
        if source != exchange.me():
            object_list[:] = [pickle.loads(one) for one in lists]

    def _broadcast_on_gpu(object_list, lists, source, group, device):
        if source == exchange.me():
            tensors, sizes = tensors_of(object_list, device, group)
            sizes = torch.cat(sizes)
        else:
            sizes = torch.empty(len(lists), dtype=torch.long, device=device)
        c10d.broadcast(sizes, src=source, group=group)
        if source == exchange.me():
            tensor = tensors[0] if len(tensors) == 1 else torch.cat(tensors)
        else:
            tensor = torch.empty(sum(map(len, lists)), dtype=torch.uint8, device=device)
        c10d.broadcast(tensor, src=source, group=group)

    def scatter_object_list(
        own, scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
    ):
        if is_real(group):
            return own(scatter_object_output_list, scatter_object_input_list, src, group, **existing(group_src=group_src))
        source = rank_of(group, src, group_src)
        if not exchange.is_present(source):
            world.need(source, [source])
        is_source = source == exchange.me()
        data = exchange.spread(group, pickle.dumps([pickle.dumps(one) for one in scatter_object_input_list or ()]), source)
        lists = pickle.loads(data)
        if device := gpu(group):
            _scatter_on_gpu(scatter_object_input_list if is_source else None, max(map(len, lists)), source, group, device)
        scatter_object_output_list[0] = pickle.loads(lists[exchange.members(group).index(exchange.me())])

    def _scatter_on_gpu(inputs, largest, source, group, device):
        tensors = sizes = None
        if inputs is None:
            most = torch.tensor([0], dtype=torch.long, device=device)
        else:
            tensors, sizes = tensors_of(inputs, device, group)
            most = max(sizes)
            for tensor in tensors:
                tensor.resize_(largest)
        c10d.broadcast(most, src=source, group=group)
        c10d.scatter(torch.empty(largest, dtype=torch.uint8, device=device), scatter_list=tensors, src=source, group=group)
        c10d.scatter(torch.tensor([0], dtype=torch.long, device=device), scatter_list=sizes, src=source, group=group)

    def exchange_on_gpu(make, tensor, peer, group, use_batch):
        if use_batch:
            c10d.batch_isend_irecv([c10d.P2POp(make, tensor, peer, group)]).pop().wait()
        else:
            (c10d.send if make is c10d.isend else c10d.recv)(tensor, peer, group=group)

    def send_object_list(own, object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
        if is_real(group, device):
            return own(object_list, dst, group, device, **existing(group_dst=group_dst, use_batch=use_batch))
        target = rank_of(group, dst, group_dst)
        lists = [pickle.dumps(one) for one in object_list]
        exchange.send(group, pickle.dumps(lists), target)
        if on := gpu(group, device):
            tensors, sizes = tensors_of(object_list, on, group)
            exchange_on_gpu(c10d.isend, torch.cat(sizes), target, group, use_batch)
            tensor = tensors[0] if len(tensors) == 1 else torch.cat(tensors)
            exchange_on_gpu(c10d.isend, tensor, target, group, use_batch)

    def recv_object_list(own, object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
        if is_real(group, device):
            return own(object_list, src, group, device, **existing(group_src=group_src, use_batch=use_batch))
        source = rank_of(group, src, group_src)
        if not exchange.is_present(source):
            world.need(source, exchange.members(group))
        lists = pickle.loads(exchange.receive(group, source))
        if on := gpu(group, device):
            sizes = torch.empty(len(object_list), dtype=torch.long, device=on)
            exchange_on_gpu(c10d.irecv, sizes, source, group, use_batch)
            torch.sum(sizes).item()
            tensor = torch.empty(sum(map(len, lists)), dtype=torch.uint8, device=on)
            exchange_on_gpu(c10d.irecv, tensor, source, group, use_batch)
        object_list[:] = [pickle.loads(one) for one in lists]
        return source

    def barrier(own, group=None, *arguments, **named):
        work = own(group, *arguments, **named)
        if not is_real(group) and not exchange.is_alone(group):
            exchange.gather(group, b"")
        return work

    answers = (all_gather_object, gather_object, broadcast_object_list, scatter_object_list)
    answers += (send_object_list, recv_object_list, barrier)
    return {answer.__name__: answer for answer in answers}
