"""A snapshot in TensorBoard, W&B or MLflow, as figures over the steps and as a picture of who holds the memory:

>>> from memviz_torch.integrations import log_to
>>> log_to(writer, "mem.pickle", step=3)
"""

from __future__ import annotations

import io
import warnings
from types import ModuleType
from typing import Any, Optional

from memviz_torch import Error, Picture, Snapshot, SnapshotWarning, flame, stats
from memviz_torch._results import page_of

_FIGURES = ("allocated_bytes", "reserved_bytes", "inactive_bytes", "peak_requested_bytes", "ooms")


def log_to(logger: Any, snapshot: Snapshot, step: Optional[int] = None, *, at: str = "auto", name: str = "gpu_memory") -> None:
    """Logs the figures of each device at one moment of a snapshot, and the flame graph of that moment.

    logger: a ``SummaryWriter`` of TensorBoard; the module ``wandb`` or a run of it; the module ``mlflow`` or a run of it.
    at: the moment, as in ``memviz_torch.flame()``: auto is the last out-of-memory error if there is one, else the peak.
    name: what the names of figures and pictures begin with.

    The picture is an image in TensorBoard, which takes what ``Picture.png()`` takes, interactive in W&B, and an SVG among
    MLflow's artifacts. Raises memviz_torch.Error if the snapshot cannot be read.
    """
    log = _way_to(logger)
    figures = _figures(snapshot, at, name)
    picture = flame(snapshot, at=at)
    log(logger, figures, picture, step, name)


def _way_to(logger: Any) -> Any:
    kind = logger.__name__ if isinstance(logger, ModuleType) else type(logger).__module__
    if hasattr(logger, "add_scalar") and hasattr(logger, "add_image"):
        return _to_tensorboard
    for library, member, way in (("wandb", "log", _to_wandb), ("mlflow", "info", _to_mlflow)):
        if kind == library or (kind.partition(".")[0] == library and hasattr(logger, member)):
            return way
    raise TypeError(f"log_to() takes a SummaryWriter, or wandb or mlflow or a run of these, not {type(logger).__name__}")


def _figures(snapshot: Snapshot, at: str, name: str) -> dict[str, int]:
    figures = {}
    for device in stats(snapshot, at=at)["devices"]:
        place = device["device"] if device["device"] == "host" else f"gpu{device['device']}"
        figures.update({f"{name}/{place}/{figure}": device[figure] for figure in _FIGURES if device.get(figure) is not None})
    return figures


def _to_tensorboard(writer: Any, figures: dict[str, int], picture: Picture, step: Optional[int], name: str) -> None:
    for tag, figure in figures.items():
        writer.add_scalar(tag, figure, step)
    try:
        import numpy
        from PIL import Image  # which TensorBoard needs for images as well

        image = Image.open(io.BytesIO(picture.png())).convert("RGB")
    except (Error, ImportError) as error:  # a training should not end because a program for pictures is missing
        warnings.warn(f"TensorBoard has the figures and no picture: {error}", SnapshotWarning, stacklevel=3)
        return
    writer.add_image(f"{name}/flame", numpy.asarray(image), step, dataformats="HWC")


def _to_wandb(run: Any, figures: dict[str, int], picture: Picture, step: Optional[int], name: str) -> None:
    import wandb

    run.log({**figures, f"{name}/flame": wandb.Html(page_of(picture.svg), inject=False)}, step=step)


def _to_mlflow(run: Any, figures: dict[str, int], picture: Picture, step: Optional[int], name: str) -> None:
    import mlflow

    run_id = None if isinstance(run, ModuleType) else run.info.run_id
    mlflow.log_metrics(figures, step=step, run_id=run_id)
    mlflow.log_text(picture.svg, f"{name}/flame{'' if step is None else f'-{step}'}.svg", run_id=run_id)
