"""What a model of this folder is: how it is made, what it is given, how it is exported."""

import dataclasses
from typing import Any, Callable


@dataclasses.dataclass
class Case:
    """One model. `build` returns the module, `inputs` the positional arguments of its forward.

    `forms` are the archives made of it: "plain" is what torch.export.export returns, "decomposed" the same after
    run_decompositions(), which leaves the core ATen operators, "joint" that with the backward pass of its loss.
    """

    build: Callable[[], Any]
    inputs: Callable[[], tuple]
    forms: tuple = ("plain",)
    dynamic_shapes: Callable[[], Any] | None = None
    weights: str = "left out"
    """"left out": the archive is packed again without tensor files; "kept": it is as torch wrote it; "fake": the
    model was made under FakeTensorMode, for which torch itself writes empty files, and the archive is packed again."""
    strict: bool | None = None
    """None is what the PyTorch at hand does by default."""
    needs: str = ""
    """An attribute of torch without which the case is left out, such as `_grouped_mm`."""
