"""Computes small values while a model of vLLM encodes images or sounds: many read the number of parts of each from the GPU,
where the host has just written it, and split by it. The rest of a server runs without values."""

from memviz_rehearsal.process import methods

_NAMES = ("embed_multimodal", "get_multimodal_embeddings")  # from vLLM 0.12 on, and before


class Encoders:
    """``reads`` counts what the program reads; it is there once CUDA is used."""

    reads = None

    def __init__(self):
        self._values = None  # the mode, once it is needed

    def have_run(self):
        return self._values is not None

    def watch(self, runner):
        for name in _NAMES:
            methods.wrap(type(runner.get_model()), name, self._encode, is_in_all=False)

    def _encode(self, original, model, *arguments, **named):
        import torch

        if methods.running_values() is not None:
            return original(model, *arguments, **named)
        if self._values is None:
            from memviz_rehearsal.values.values import Values  # takes torch

            self._values = Values(self.reads)
        with self._values as values:
            for leaf in torch.utils._pytree.tree_leaves((arguments, named)):
                if isinstance(leaf, torch.Tensor) and leaf.is_cuda:
                    values.learn_fresh(leaf)
            return original(model, *arguments, **named)
