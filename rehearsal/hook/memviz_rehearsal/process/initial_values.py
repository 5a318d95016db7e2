"""Skips the initial values of large tensors on the CPU (`--no-init`): they take minutes and gigabytes, and nothing
on the made-up GPU reads them. Memory that is never written takes none. Tensors on the GPU are filled as usual,
because that allocates; so are small ones, whose values a program may read."""

import functools

_LEAST_BYTES = 1 << 20
_METHODS = ("normal_", "uniform_")


def install(torch):
    """Replaces the functions of torch.nn.init, and the methods by which models fill their weights."""
    init = torch.nn.init
    for name in dir(init):
        if name.endswith("_") and not name.startswith("_") and callable(getattr(init, name)):
            setattr(init, name, _unless_large(getattr(init, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, _unless_large(getattr(torch.Tensor, name)))


def _unless_large(fill):
    @functools.wraps(fill)
    def filled(tensor, *arguments, **named):
        if _is_left_out(tensor):
            return tensor
        return fill(tensor, *arguments, **named)

    return filled


def _is_left_out(tensor):
    return (tensor.device.type == "cpu" and tensor.is_floating_point()
            and tensor.numel() * tensor.element_size() >= _LEAST_BYTES)
