"""Computes small integers, conditions and single numbers on the CPU next to the made-up GPU (`memviz rehearse
--values`), so that a program that decides by them behaves as on a real one. Values from the host, from factories and
from random integers are known, and so is everything computed from these alone. For an unknown value a decision is made
up: all() is true, any() is false, a mask selects everything, and indices of the largest elements are spread evenly, so
that each expert gets its share and a sampled token is rarely the end. A made-up value, or one computed from it, counts
as unknown when the program reads it.
"""

import functools
import threading

import torch
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass
from torch.utils._pytree import tree_leaves, tree_map

from memviz_rehearsal.process import methods
from memviz_rehearsal.values import collectives, guesses
from memviz_rehearsal.values.known import Known

_MOST_WHOLE_NUMBERS = 1 << 18  # elements of a tensor of integers or conditions
_MOST_NUMBERS = 64  # of any other
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_JAGGED = getattr(torch, "jagged", None)


_aten = torch.ops.aten
# The operators in which an unknown mask selects everything.
_SELECTING = {
    _aten.nonzero.default,
    _aten.masked_select.default,
    _aten.index.Tensor,
    _aten.index_put.default,
    _aten.index_put_.default,
    _aten._index_put_impl_.default,
    _aten._unique2.default,
    _aten.unique_consecutive.default,
    _aten._coalesce.default,
}
# Operators that take the shape or the type of a tensor, and no value.
_FILLING = {f"aten::{name}" for name in ("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full")}
_EMPTY = {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided", "aten::empty_permuted"}


def _is_small(tensor):
    if tensor.is_floating_point() or tensor.is_complex():
        return tensor.numel() <= _MOST_NUMBERS
    return tensor.numel() <= _MOST_WHOLE_NUMBERS


def _tensors(values):
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _is_plain(tensor):
    return type(tensor) in _PLAIN and tensor.layout is torch.strided


def _is_of_plain_ones(tensor):
    """Whether an operator on it runs operators on plain tensors, those that it has."""
    return tensor.layout is _JAGGED or (type(tensor) not in _PLAIN and is_traceable_wrapper_subclass(tensor))


def _call(func, *args, **named):
    return func(*args, **named)


class Values(TorchDispatchMode):
    supports_higher_order_operators = True  # since PyTorch 2.9

    def __init__(self, reads, present=None):
        super().__init__()
        self._reads = reads
        self._present = present
        self._known = Known()
        self._running = threading.local()
        reads.knowledge = self._knowledge
        self._rules = {
            _aten._local_scalar_dense.default: self._read,
            _aten.nonzero.default: self._nonzero,
            _aten.masked_select.default: self._masked_select,
            _aten.index.Tensor: self._by_index,
            _aten.index_put.default: self._by_index,
            _aten.index_put_.default: self._by_index,
            _aten._index_put_impl_.default: self._by_index,
            _aten._unique2.default: self._unique,
            _aten.unique_consecutive.default: self._unique,
            _aten.lift_fresh.default: self._lift_fresh,
            _aten.copy_.default: self._copy,
            **{getattr(_aten.set_, name): _call for name in _aten.set_.overloads()},  # which writes no element
            _aten.repeat_interleave.Tensor: self._repeat_interleave,
            _aten.normal.Tensor_Tensor: self._normal,
            _aten.normal.Tensor_float: self._normal,
            _aten.normal.float_Tensor: self._normal,
        }

    @classmethod
    def ignore_compile_internals(cls):
        """Without it, torch.compile compiles nothing below a mode."""
        return True

    @classmethod
    def is_infra_mode(cls):
        """Does the same before PyTorch 2.9."""
        return not hasattr(TorchDispatchMode, "ignore_compile_internals")

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        inputs = _tensors((args, kwargs))
        if isinstance(func, torch._ops.HigherOrderOperator):
            for tensor in filter(_is_plain, inputs):
                self._known.forget(tensor)  # it may write into it, below no mode
            return func(*args, **kwargs)
        if func is _aten._coalesce.default and args[0].is_cuda:
            return self._coalesce(func, args[0])
        if any(map(_is_of_plain_ones, inputs)):
            return NotImplemented
        is_of_device = any(tensor.is_cuda for tensor in inputs) or "cuda" in str(kwargs.get("device", ""))
        if not is_of_device or not all(_is_plain(tensor) for tensor in inputs):
            return func(*args, **kwargs)
        self._running.operator, self._running.inputs = func, inputs
        try:
            if func.namespace in ("c10d", "_c10d_functional", "symm_mem"):
                return self._from_ranks(func, args, kwargs, inputs)
            rule = self._rules.get(func)
            if rule is not None:
                return rule(func, *args, **kwargs)
            return self._run(func, args, kwargs, inputs)
        finally:
            self._running.inputs = ()  # it would keep their memory

    def _from_ranks(self, func, args, kwargs, inputs):
        result = func(*args, **kwargs)
        outputs = [tensor for tensor in _tensors(result) if _is_plain(tensor)]
        collectives.learn(self._known, func, args, inputs, outputs, self._present)
        return result

    def _run(self, func, args, kwargs, inputs):
        result = func(*args, **kwargs)
        value = self._computed(func, args, kwargs, inputs, result)
        return self._kept(func, args, inputs, result, value)

    def _knowledge(self):
        """Returns what is known of the values by which this thread's current operator decides, of a mask if it has
        one."""
        inputs = getattr(self._running, "inputs", ())
        deciding = [tensor for tensor in inputs if not tensor.is_floating_point()] or inputs
        if not deciding:
            return "unknown"
        if all(map(self._known.is_sure, deciding)):
            return "known"
        if all(self._on_cpu(tensor) is not None for tensor in deciding):
            return "guessed"
        if self._running.operator in _SELECTING:
            return "made up"
        return "unknown"

    def _on_cpu(self, tensor):
        """Returns None if it is unknown."""
        if tensor.is_cuda:
            return self._known.view(tensor)
        return tensor if tensor.device.type == "cpu" and _is_small(tensor) else None

    def _input(self, func, tensor):
        """Returns what the operator gets on the CPU in place of an input; None if it is unknown."""
        if func._schema.name not in _FILLING or func._overloadname == "out":
            return self._on_cpu(tensor)
        return torch.empty_like(tensor, device="cpu") if _is_small(tensor) else tensor.new_empty(0, device="cpu")

    def _computed(self, func, args, kwargs, inputs, result):
        """Returns the result on the CPU; None if it is unknown, or has none."""
        outputs = _tensors(result)
        converts = func is _aten._to_copy.default and not inputs[0].is_floating_point()  # experts' numbers for histc()
        if not all(_is_plain(tensor) and (_is_small(tensor) or converts) for tensor in outputs):
            return None
        values = {id(tensor): self._input(func, tensor) for tensor in inputs}
        if any(value is None for value in values.values()):
            return None

        def moved(leaf):
            if isinstance(leaf, torch.Tensor):
                return values[id(leaf)]
            if isinstance(leaf, torch.device):
                return torch.device("cpu")
            return None if isinstance(leaf, torch.Generator) else leaf

        named = {name: moved(value) if name == "device" else value for name, value in kwargs.items()}
        named.pop("pin_memory", None)
        # A copy to the host writes into the host's tensor itself, which gets the value below.
        if func is _aten.copy_.default and not args[0].is_cuda:
            return values[id(args[1])]
        is_random = torch.Tag.nondeterministic_seeded in func.tags
        state = torch.random.get_rng_state() if is_random else None
        try:
            value = func(*tree_map(moved, args), **tree_map(moved, named))
            return value.zero_() if func._schema.name in _EMPTY else value  # as on the made-up GPU
        except Exception:
            return None  # the CPU has no such function, or refuses the values
        finally:
            if state is not None:  # of the program's own random numbers none is taken
                torch.random.set_rng_state(state)

    def _kept(self, func, args, inputs, result, value):
        places = {tensor.untyped_storage().data_ptr() for tensor in inputs if tensor.numel()}
        if value is None:
            self._forget_written(func, args)
        is_made_up = value is not None and func._schema.name not in _FILLING and any(map(self._known.is_made_up, inputs))
        values = iter(_tensors(value) if value is not None else ())

        def keep(leaf):
            if not isinstance(leaf, torch.Tensor):
                return leaf
            own = next(values, None)
            if not _is_plain(leaf):
                return leaf
            if not leaf.is_cuda:
                if own is not None:
                    self._reads.on_value(own)
                return leaf if own is None or own is leaf or leaf.shape != own.shape else leaf.copy_(own)
            if leaf.numel() and leaf.untyped_storage().data_ptr() in places:
                if is_made_up:
                    self._known.doubt(leaf)
                return leaf  # a view, or written in place
            is_new = own is None
            if is_new:
                own = guesses.of_healthy_numbers(func, args, leaf, _is_small(leaf))
                is_new = own is None
            if is_new:
                own = guesses.made_up(func, args, leaf, _is_small(leaf))
            if own is None:
                self._known.forget(leaf)
                return leaf
            if leaf.shape != own.shape:  # a size that depends on values
                self._reads.on_value(torch.tensor(True))
                leaf = torch.empty_strided(own.shape, own.stride(), dtype=leaf.dtype, device=leaf.device)
            self._known.learn(leaf, own, is_new or is_made_up)
            return leaf

        if value is not None and not isinstance(result, (torch.Tensor, tuple, list)):
            self._reads.on_value(torch.tensor(value))
            return value  # a number or a condition
        return tree_map(keep, result)

    def _forget_written(self, func, args):
        if not func._schema.is_mutable:
            return
        for argument, value in zip(func._schema.arguments, args):
            if argument.alias_info is not None and argument.alias_info.is_write:
                for tensor in _tensors(value):
                    self._known.forget(tensor)

    def _read(self, func, tensor):
        value = self._on_cpu(tensor)
        read = func(tensor)
        if value is None:
            return read
        self._reads.on_value(value)
        return value.item()

    def learn_fresh(self, tensor):
        """The host has just written it, which the made-up GPU remembers until the next kernel."""
        if not _is_plain(tensor) or not _is_small(tensor):
            return
        self._reads.is_resting = True
        try:
            self._known.learn(tensor, tensor.cpu(), False)
        finally:
            self._reads.is_resting = False

    def _lift_fresh(self, func, tensor):
        """torch.tensor() has just copied it from the host."""
        result = func(tensor)
        self.learn_fresh(tensor)
        return result

    def _copy(self, func, into, source, *rest, **named):
        """A whole storage that the host writes is known, as one that is loaded from a file."""
        result = self._run(func, (into, source, *rest), named, [into, source])
        if into.is_cuda and self._known.is_whole(into) and not source.is_cuda and _is_small(source) and self._known.view(into) is None:
            self._known.learn(into, source.to(into.dtype).expand(into.shape), False)
        return result

    def _repeat_interleave(self, func, repeats, **named):
        """Reads its argument itself, which must not be negative."""
        value = self._on_cpu(repeats)
        if value is None:
            return func(repeats, **named)
        self._reads.count_caller()
        self._reads.on_value(value)
        return self._to_device(torch.repeat_interleave(value, **named), repeats.device, self._known.is_made_up(repeats))

    def _normal(self, _, mean, std=1.0, **named):
        """Reads the smallest element of `std` itself, which must not be negative."""
        tensors = [value for value in (mean, std) if isinstance(value, torch.Tensor)]
        result = tensors[0].new_empty(torch.broadcast_shapes(*(tensor.shape for tensor in tensors)))
        self._known.forget(result)
        return result

    def _positions(self, mask):
        """Returns the positions at which a mask is true, one row each; all of them if it is unknown."""
        value = self._on_cpu(mask)
        if value is None:
            value = torch.ones(mask.shape, dtype=torch.bool)
        self._reads.on_value(value)
        return value.nonzero()

    def _to_device(self, value, device, is_made_up):
        tensor = torch.empty(value.shape, dtype=value.dtype, device=device)
        if _is_small(tensor):
            self._known.learn(tensor, value, is_made_up)
        else:
            self._known.forget(tensor)
        return tensor

    def _nonzero(self, func, mask):
        func(mask)
        return self._to_device(self._positions(mask), mask.device, not self._known.is_sure(mask))

    def nonzero_below(self, mask):
        """Returns the positions for an operator that asks for them itself: the gradient of an index by a mask, in a
        backward pass, which has no mode."""

        def found(mask):
            return _aten.nonzero.out(mask, out=torch.empty(0, dtype=torch.int64, device=mask.device))

        if getattr(self._running, "inputs", ()):
            return found(mask)  # the mode replaces it
        self._running.operator, self._running.inputs = _aten.nonzero.default, [mask]
        try:
            return self._nonzero(found, mask)
        finally:
            self._running.inputs = ()

    def _masked_select(self, func, tensor, mask):
        self._running.inputs = [mask]
        func(tensor, mask)
        value = self._on_cpu(mask)
        shape = torch.broadcast_shapes(tensor.shape, mask.shape)
        self._reads.on_value(torch.tensor(True) if value is None else value)
        count = shape.numel() if value is None else int(value.expand(shape).sum())
        selected = tensor.new_empty(count)
        self._known.forget(selected)
        return selected

    def _by_index(self, func, tensor, indices, *rest, **named):
        """Replaces a mask among the indices by positions, which give the result its size."""
        is_filled = bool(rest) and rest[0].numel() == 1 and not rest[0].is_cuda
        chosen = []
        for index in indices:
            if is_filled or index is None or not index.is_cuda or index.dtype not in (torch.bool, torch.uint8):
                chosen.append(index)
                continue
            self._running.inputs = [index]
            self._reads.count_caller()
            is_made_up = not self._known.is_sure(index)
            chosen.extend(self._to_device(column, tensor.device, is_made_up) for column in self._positions(index).unbind(1))
        args = (tensor, chosen, *rest)
        return self._run(func, args, named, _tensors((args, named)))

    def _coalesce(self, func, tensor):
        """Reads the number of different positions itself; if they are unknown, all are taken to differ."""
        positions, values = tensor._indices(), tensor._values()
        self._running.operator, self._running.inputs = func, [positions]
        func(tensor)
        self._running.inputs = ()
        known = self._on_cpu(positions)
        self._reads.on_value(torch.tensor(True) if known is None else known)
        count = positions.shape[1] if known is None else known.unique(dim=1).shape[1]
        return torch.sparse_coo_tensor(positions[:, :count].clone(), values[:count].clone(), tensor.shape, check_invariants=False, is_coalesced=True)

    def _unique(self, func, tensor, *rest, **named):
        """If values are unknown, all of them are taken to differ."""
        result = self._run(func, (tensor, *rest), named, [tensor])
        value = self._on_cpu(tensor)
        self._reads.on_value(torch.tensor(True) if value is None else value)
        if value is not None:
            return result
        return tuple(part.new_empty(tensor.numel()) if part.shape == (0,) else part for part in result)


def install(reads, present):
    """Applies to this thread. `reads` counts what the program reads; `present`: the ranks of the job that are not
    absent, or None. Returns the mode."""
    _keep_form_of_ctc_loss()
    return Values(reads, present).__enter__()


def _keep_form_of_ctc_loss():
    """Below a mode PyTorch chooses the form that takes lengths from the device; without one it reads them, as here."""
    loss = torch.ctc_loss

    @functools.wraps(loss)
    def with_numbers(log_probs, targets, input_lengths, target_lengths, *rest, **named):
        lengths = [length.tolist() if isinstance(length, torch.Tensor) else length for length in (input_lengths, target_lengths)]
        return loss(log_probs, targets, *lengths, *rest, **named)

    torch.ctc_loss = with_numbers
