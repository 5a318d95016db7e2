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


def cpu_collectives(torch, c10d, exchange):
    operations = {
        c10d.ReduceOp.SUM: torch.add,
        c10d.ReduceOp.PRODUCT: torch.mul,
        c10d.ReduceOp.MIN: torch.minimum,
        c10d.ReduceOp.MAX: torch.maximum,
        c10d.ReduceOp.BAND: torch.bitwise_and,
        c10d.ReduceOp.BOR: torch.bitwise_or,
        c10d.ReduceOp.BXOR: torch.bitwise_xor,
    }

    def is_answered(tensor, group):
        if not torch.is_tensor(tensor) or tensor.device.type != "cpu" or c10d._rank_not_in_group(group):
            return False
        return any(device.type == "cpu" for device in exchange.group(group)._device_types)

    def done(async_op, value):
        if not async_op:
            return None
        future = torch.futures.Future()
        future.set_result([value])
        return torch._C._distributed_c10d._create_work_from_future(future)

    def gathered(tensor, group):
        return [pickle.loads(data) for data in exchange.gather(group, pickle.dumps(tensor.detach().clone()))]

    def reduced(tensors, op):
        operation = next((operations[one] for one in operations if op == one), None)
        if operation is None and op == c10d.ReduceOp.AVG:
            return functools.reduce(torch.add, tensors) / len(tensors)
        if operation is None:
            raise RuntimeError(f"a rehearsed job has no {op} of CPU tensors")
        return functools.reduce(operation, tensors)

    def all_reduce(own, tensor, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        if not is_answered(tensor, group):
            return own(tensor, op, group, async_op)
        tensor.copy_(reduced(gathered(tensor, group), op))
        return done(async_op, tensor)

    def reduce(own, tensor, dst=None, op=c10d.ReduceOp.SUM, group=None, async_op=False, **named):
        if not is_answered(tensor, group):
            return own(tensor, dst, op, group, async_op, **named)
        tensor.copy_(reduced(gathered(tensor, group), op))
        return done(async_op, tensor)

    def all_gather(own, tensor_list, tensor, group=None, async_op=False):
        if not is_answered(tensor, group):
            return own(tensor_list, tensor, group, async_op)
        for target, found in zip(tensor_list, gathered(tensor, group)):
            target.copy_(found)
        return done(async_op, tensor_list)

    def all_gather_into_tensor(own, output_tensor, input_tensor, group=None, async_op=False):
        if not is_answered(input_tensor, group):
            return own(output_tensor, input_tensor, group, async_op)
        output_tensor.view(-1).copy_(torch.cat([one.reshape(-1) for one in gathered(input_tensor, group)]))
        return done(async_op, output_tensor)

    def gather(own, tensor, gather_list=None, dst=None, group=None, async_op=False, **named):
        if not is_answered(tensor, group):
            return own(tensor, gather_list, dst, group, async_op, **named)
        for target, found in zip(gather_list or (), gathered(tensor, group)):
            target.copy_(found)
        return done(async_op, gather_list)

    def broadcast(own, tensor, src=None, group=None, async_op=False, group_src=None):
        if not is_answered(tensor, group):
            return own(tensor, src, group, async_op, **existing(group_src=group_src))
        source = src or 0
        if group_src is not None:
            source = c10d.get_global_rank(exchange.group(group), group_src)
        if exchange.is_present(source):
            tensor.copy_(pickle.loads(exchange.spread(group, pickle.dumps(tensor.detach().clone()), source)))
        return done(async_op, tensor)

    def rank_of(group, rank, group_rank):
        return rank if group_rank is None else c10d.get_global_rank(exchange.group(group), group_rank)

    def isend(own, tensor, dst=None, group=None, tag=0, group_dst=None):
        if not is_answered(tensor, group):
            return own(tensor, dst, group, tag, **existing(group_dst=group_dst))
        exchange.send(group, pickle.dumps(tensor.detach().clone()), rank_of(group, dst, group_dst), f"-tensor-{tag}")
        return done(True, tensor)

    def send(own, tensor, dst=None, group=None, tag=0, group_dst=None):
        if not is_answered(tensor, group):
            return own(tensor, dst, group, tag, **existing(group_dst=group_dst))
        isend(own, tensor, dst, group, tag, group_dst)

    def irecv(own, tensor, src=None, group=None, tag=0, group_src=None):
        source = rank_of(group, src, group_src)
        if source is None or not is_answered(tensor, group):
            return own(tensor, src, group, tag, **existing(group_src=group_src))
        if not exchange.is_present(source):
            exchange.world.need(source, exchange.members(group))
        receive = exchange.receiver(group, source, f"-tensor-{tag}")
        return _Receipt(lambda: tensor.copy_(pickle.loads(receive())), source)

    def recv(own, tensor, src=None, group=None, tag=0, group_src=None):
        if rank_of(group, src, group_src) is None or not is_answered(tensor, group):
            return own(tensor, src, group, tag, **existing(group_src=group_src))
        receipt = irecv(own, tensor, src, group, tag, group_src)
        receipt.wait()
        return receipt.source

    def monitored_barrier(own, group=None, *_, **__):
        if not exchange.is_alone(group):
            exchange.gather(group, b"")

    answers = (all_reduce, reduce, all_gather, all_gather_into_tensor, gather, broadcast, monitored_barrier)
    answers += (isend, send, irecv, recv)
    return {answer.__name__: answer for answer in answers}
