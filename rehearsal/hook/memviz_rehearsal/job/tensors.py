"""Collectives over the CPU tensors of a job with absent ranks, through the exchange of job/objects.py."""

import functools
import pickle


class _Receipt:
    """The work of irecv(). It waits when the program does, because the sender may receive something first."""

    def __init__(self, receive, source):
        self._receive = receive
        self.source = source

    def wait(self, timeout=None):
        if self._receive is not None:
            self._receive()
            self._receive = None
        return True

    is_completed = is_success = wait

    def _source_rank(self):
        return self.source


def existing(**named):
    """Returns those that exist: older versions of PyTorch do not have all of them."""
    return {name: value for name, value in named.items() if value is not None and value is not False}


class CpuCollectives:
    """The answers of PyTorch's functions of these names; each gets PyTorch's own one first."""

    NAMES = (
        "all_reduce", "reduce", "all_gather", "all_gather_into_tensor", "gather", "broadcast", "monitored_barrier",
        "isend", "send", "irecv", "recv",
    )  # fmt: skip

    def __init__(self, torch, c10d, exchange):
        self._torch = torch
        self._c10d = c10d
        self._exchange = exchange
        self._operations = {
            c10d.ReduceOp.SUM: torch.add,
            c10d.ReduceOp.PRODUCT: torch.mul,
            c10d.ReduceOp.MIN: torch.minimum,
            c10d.ReduceOp.MAX: torch.maximum,
            c10d.ReduceOp.BAND: torch.bitwise_and,
            c10d.ReduceOp.BOR: torch.bitwise_or,
            c10d.ReduceOp.BXOR: torch.bitwise_xor,
        }

    def _is_answered(self, tensor, group):
        if not self._torch.is_tensor(tensor) or tensor.device.type != "cpu" or self._c10d._rank_not_in_group(group):
            return False
        return any(device.type == "cpu" for device in self._exchange.group(group)._device_types)

    def _done(self, async_op, value):
        if not async_op:
            return None
        future = self._torch.futures.Future()
        future.set_result([value])
        return self._torch._C._distributed_c10d._create_work_from_future(future)

    def _gathered(self, tensor, group):
        return [pickle.loads(data) for data in self._exchange.gather(group, pickle.dumps(tensor.detach().clone()))]

    def _reduced(self, tensors, op):
        operation = next((self._operations[one] for one in self._operations if op == one), None)
        if operation is None and op == self._c10d.ReduceOp.AVG:
            return functools.reduce(self._torch.add, tensors) / len(tensors)
        if operation is None:
            raise RuntimeError(f"a rehearsed job has no {op} of CPU tensors")
        return functools.reduce(operation, tensors)

    def all_reduce(self, own, tensor, op=None, group=None, async_op=False):
        op = self._c10d.ReduceOp.SUM if op is None else op
        if not self._is_answered(tensor, group):
            return own(tensor, op, group, async_op)
        tensor.copy_(self._reduced(self._gathered(tensor, group), op))
        return self._done(async_op, tensor)

    def reduce(self, own, tensor, dst=None, op=None, group=None, async_op=False, **named):
        op = self._c10d.ReduceOp.SUM if op is None else op
        if not self._is_answered(tensor, group):
            return own(tensor, dst, op, group, async_op, **named)
        tensor.copy_(self._reduced(self._gathered(tensor, group), op))
        return self._done(async_op, tensor)

    def all_gather(self, own, tensor_list, tensor, group=None, async_op=False):
        if not self._is_answered(tensor, group):
            return own(tensor_list, tensor, group, async_op)
        for target, found in zip(tensor_list, self._gathered(tensor, group)):
            target.copy_(found)
        return self._done(async_op, tensor_list)

    def all_gather_into_tensor(self, own, output_tensor, input_tensor, group=None, async_op=False):
        if not self._is_answered(input_tensor, group):
            return own(output_tensor, input_tensor, group, async_op)
        output_tensor.view(-1).copy_(self._torch.cat([one.reshape(-1) for one in self._gathered(input_tensor, group)]))
        return self._done(async_op, output_tensor)

    def gather(self, own, tensor, gather_list=None, dst=None, group=None, async_op=False, **named):
        if not self._is_answered(tensor, group):
            return own(tensor, gather_list, dst, group, async_op, **named)
        for target, found in zip(gather_list or (), self._gathered(tensor, group)):
            target.copy_(found)
        return self._done(async_op, gather_list)

    def broadcast(self, own, tensor, src=None, group=None, async_op=False, group_src=None):
        if not self._is_answered(tensor, group):
            return own(tensor, src, group, async_op, **existing(group_src=group_src))
        source = src or 0
        if group_src is not None:
            source = self._c10d.get_global_rank(self._exchange.group(group), group_src)
        if self._exchange.is_present(source):
            tensor.copy_(pickle.loads(self._exchange.spread(group, pickle.dumps(tensor.detach().clone()), source)))
        return self._done(async_op, tensor)

    def _rank_of(self, group, rank, group_rank):
        return rank if group_rank is None else self._c10d.get_global_rank(self._exchange.group(group), group_rank)

    def isend(self, own, tensor, dst=None, group=None, tag=0, group_dst=None):
        if not self._is_answered(tensor, group):
            return own(tensor, dst, group, tag, **existing(group_dst=group_dst))
        self._exchange.send(group, pickle.dumps(tensor.detach().clone()), self._rank_of(group, dst, group_dst), f"-tensor-{tag}")
        return self._done(True, tensor)

    def send(self, own, tensor, dst=None, group=None, tag=0, group_dst=None):
        if not self._is_answered(tensor, group):
            return own(tensor, dst, group, tag, **existing(group_dst=group_dst))
        self.isend(own, tensor, dst, group, tag, group_dst)

    def irecv(self, own, tensor, src=None, group=None, tag=0, group_src=None):
        source = self._rank_of(group, src, group_src)
        if source is None or not self._is_answered(tensor, group):
            return own(tensor, src, group, tag, **existing(group_src=group_src))
        if not self._exchange.is_present(source):
            self._exchange.world.need(source, self._exchange.members(group))
        receive = self._exchange.receiver(group, source, f"-tensor-{tag}")
        return _Receipt(lambda: tensor.copy_(pickle.loads(receive())), source)

    def recv(self, own, tensor, src=None, group=None, tag=0, group_src=None):
        if self._rank_of(group, src, group_src) is None or not self._is_answered(tensor, group):
            return own(tensor, src, group, tag, **existing(group_src=group_src))
        receipt = self.irecv(own, tensor, src, group, tag, group_src)
        receipt.wait()
        return receipt.source

    def monitored_barrier(self, own, group=None, *_, **__):
        if not self._exchange.is_alone(group):
            self._exchange.gather(group, b"")
