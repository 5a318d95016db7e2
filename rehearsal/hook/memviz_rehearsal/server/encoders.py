"""Computes small values while a model of vLLM encodes images or sounds: many read the number of parts of each from the GPU,
where the host has just written it, and split by it. The rest of a server runs without values."""

from memviz_rehearsal.process import methods

_NAMES = ("embed_multimodal", "get_multimodal_embeddings")  # from vLLM 0.12 on, and before


class _State:
    reads = None
    values = None  # the mode, once it is needed


def install(reads):
    _State.reads = reads


def has_run():
    return _State.values is not None


def watch(runner):
    for name in _NAMES:
        methods.wrap(type(runner.get_model()), name, _encode)


def _encode(original, model, *arguments, **named):
    import torch

    if methods.running_values() is not None:
        return original(model, *arguments, **named)
    if _State.values is None:
        from memviz_rehearsal.values.values import Values  # takes torch

        _State.values = Values(_State.reads)
    with _State.values as values:
        for leaf in torch.utils._pytree.tree_leaves((arguments, named)):
            if isinstance(leaf, torch.Tensor) and leaf.is_cuda:
                values.learn_fresh(leaf)
        return original(model, *arguments, **named)
