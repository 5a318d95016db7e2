"""Values for what values/values.py does not know, and the program decides by. `is_small`: whether the output has
few enough elements to keep."""

import torch

_INFINITY = float("inf")


def of_healthy_numbers(func, args, output, is_small):
    """Returns the result of a test of unknown numbers for NaN or infinity, which finds none; None for other operators."""
    if output.dtype != torch.bool or not is_small:
        return None
    name = func._schema.name
    if name in ("aten::isnan", "aten::isinf", "aten::isposinf", "aten::isneginf"):
        return torch.zeros(output.shape, dtype=torch.bool)
    if name not in ("aten::eq", "aten::ne"):
        return None
    # isnan() is x != x, and isfinite() is x == x and abs(x) != infinity.
    if args[1] is args[0]:
        return torch.full(output.shape, name == "aten::eq")
    is_infinity = isinstance(args[1], float) and abs(args[1]) == _INFINITY
    return torch.full(output.shape, name == "aten::ne") if is_infinity else None


def made_up(func, args, output, is_small):
    """Returns a made-up value for an unknown one that decides something; None for all others."""
    name = func._schema.name
    if name in ("aten::all", "aten::_is_all_true", "aten::any", "aten::_is_any_true"):
        return torch.full(output.shape, "all" in name, dtype=output.dtype)
    if name in ("aten::argmax", "aten::multinomial", "aten::topk") and output.dtype == torch.int64 and is_small:
        choices = _choices(name, args)
        # Spread evenly, and not from 0 or the first few, which are often special tokens.
        return ((torch.arange(output.numel()) + choices // 2) % choices).view(output.shape) if choices else None
    return None


def _choices(name, args):
    """Returns the number of elements among which an index of the result chooses."""
    source = args[0]
    dimension = args[1] if name == "aten::argmax" and len(args) > 1 else args[2] if name == "aten::topk" and len(args) > 2 else -1
    if name == "aten::argmax" and dimension is None:
        return source.numel()
    return source.shape[dimension] if source.dim() else 1
