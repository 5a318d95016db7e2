"""The tensors of models and optimizers: their addresses and names."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from . import messages

# A bound for what is written, which no model reaches.
_MOST = 200_000
# The parts that PyTorch's wrappers add to the names of parameters.
_WRAPPERS = ("_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.")
# The tensors that make up a sparse one. They have no Python objects until a program asks for them.
PARTS_OF_SPARSE = {
    "torch.sparse_coo": ("_indices", "_values"),
    "torch.sparse_csr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_bsr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_csc": ("ccol_indices", "row_indices", "values"),
    "torch.sparse_bsc": ("ccol_indices", "row_indices", "values"),
}


def check_models(models: Any) -> None:
    """Raises TypeError for something without names, such as the result of model.parameters()."""
    for model in _as_list(models):
        if not hasattr(model, "named_parameters") or not hasattr(model, "named_buffers"):
            raise TypeError(f"names must be a module or a list of modules, not {type(model).__name__}")


def declared(models: Any, optimizers: Any) -> tuple[list[list[Any]], list[str]]:
    """Returns [device, address, bytes, kind, name] for each piece of GPU memory of their tensors, and a message for
    each tensor, model and optimizer that could not be read. Kinds are parameter, buffer, gradient and
    optimizer_state; a gradient has the name of its parameter, a state that of its parameter and its own. Memory
    shared by several tensors has the first one's name, and the number of the others."""
    memory = _Memory()
    names: dict[int, str] = {}
    for model in _as_list(models):
        memory.guarded(type(model).__name__, lambda: _add_model(memory, names, model))
    for optimizer in _as_list(optimizers):
        memory.guarded(type(optimizer).__name__, lambda: _add_optimizer(memory, names, optimizer))
    return memory.rows(), memory.failures


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


class _Memory:
    def __init__(self) -> None:
        self._found: dict[tuple[int, int], list[Any]] = {}
        self.failures: list[str] = []

    def guarded(self, name: str, function: Callable[[], object]) -> None:
        """A tensor without a name does not affect the names of others."""
        try:
            function()
        except Exception as error:
            self.failures.append(f"{name}: {messages.reason(error)}")

    def add(self, tensor: Any, kind: str, name: str) -> None:
        self.guarded(name, lambda: self._add(tensor, kind, name))

    def _add(self, tensor: Any, kind: str, name: str) -> None:
        for place, size in _places(tensor):
            kept = self._found.setdefault(place, [size, kind, name, set()])
            kept[0] = max(kept[0], size)
            if name != kept[2] and len(self._found) < _MOST:
                kept[3].add(name)

    def rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for (device, address), (size, kind, name, others) in list(self._found.items())[:_MOST]:
            rows.append([device, address, size, kind, f"{name} and {len(others)} more" if others else name])
        return rows


def _places(tensor: Any) -> Iterator[tuple[tuple[int, int], int]]:
    """Returns ((device, address), bytes) of its memory: several for tensors that are made of others."""
    local = getattr(tensor, "_local_tensor", None)  # of a DTensor, what this rank has of it
    if local is not None:
        yield from _places(local)
    elif hasattr(tensor, "__tensor_flatten__"):
        for inner in tensor.__tensor_flatten__()[0]:
            yield from _places(getattr(tensor, inner))
    elif hasattr(type(tensor), "cls_to_become"):
        return  # of a lazy module that has seen no input: there is no memory yet
    elif str(getattr(tensor, "layout", "")) in PARTS_OF_SPARSE:
        for part in PARTS_OF_SPARSE[str(tensor.layout)]:
            yield from _places(getattr(tensor, part)())
    elif tensor.device.type == "cuda":
        storage = tensor.untyped_storage()
        if storage.nbytes() > 0:
            yield (tensor.device.index, storage.data_ptr()), storage.nbytes()


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage") and hasattr(value, "device")


def _plain(name: str) -> str:
    for wrapper in _WRAPPERS:
        name = name.replace(wrapper, "")
    return name


def _add_model(memory: _Memory, names: dict[int, str], model: Any) -> None:
    if type(model).__name__ in ("DistributedDataParallel", "DataParallel"):
        model = model.module
    for name, parameter in model.named_parameters():
        if id(parameter) not in names:
            _add_parameter(memory, names, parameter, _plain(name))
    for name, buffer in model.named_buffers():
        memory.add(buffer, "buffer", _plain(name))


def _add_parameter(memory: _Memory, names: dict[int, str], parameter: Any, name: str) -> None:
    names[id(parameter)] = name
    memory.add(parameter, "parameter", name)
    if parameter.grad is not None:
        memory.add(parameter.grad, "gradient", name)


def _add_optimizer(memory: _Memory, names: dict[int, str], optimizer: Any) -> None:
    for number, group in enumerate(optimizer.param_groups):
        for index, parameter in enumerate(group["params"]):
            if id(parameter) not in names:
                _add_parameter(memory, names, parameter, f"param_groups[{number}][{index}]")
        for key, value in group.items():
            if key != "params":
                _add_state(memory, value, f"param_groups[{number}].{key}")
    for parameter, state in optimizer.state.items():
        name = names.get(id(parameter), "unnamed")
        if isinstance(state, dict):
            for key, value in state.items():
                _add_state(memory, value, f"{name}.{key}")


def _add_state(memory: _Memory, value: Any, name: str, depth: int = 0) -> None:
    if _is_tensor(value):
        memory.add(value, "optimizer_state", name)
    elif isinstance(value, dict) and depth < 4:
        for key, inner in value.items():
            _add_state(memory, inner, f"{name}.{key}", depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 4:
        for index, inner in enumerate(value):
            _add_state(memory, inner, f"{name}[{index}]", depth + 1)
