#!/usr/bin/env python3
"""memviz_torch.integrations.log_to() with the real libraries, each of which reads back what it was given.

usage: loggers_test.py MEMVIZ SOURCE_FOLDER LIBRARY...      (tensorboard, accelerate, wandb, mlflow)

With a Python that has them, and for tensorboard and accelerate also torch.
"""

import io
import os
import pathlib
import pickle
import sys
import tempfile
import unittest.mock
import warnings

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
os.environ.update(MEMVIZ_PROGRAM=str(PROGRAM), WANDB_MODE="offline", WANDB_SILENT="true", MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_DISABLE_TELEMETRY="true")
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]

from expectations import expect, finish  # noqa: E402

import memviz_torch  # noqa: E402
from memviz_torch.integrations import log_to  # noqa: E402

warnings.simplefilter("ignore", memviz_torch.SnapshotWarning)  # that there was more at the peak
SNAPSHOT = SOURCE / "testdata/oom.pickle"


def segments_bytes(key):
    """Returns the sum over the file's segments: what PyTorch has counted."""
    with open(SNAPSHOT, "rb") as file:
        return sum(segment[key] for segment in pickle.load(file)["segments"])


ALLOCATED, RESERVED = segments_bytes("allocated_size"), segments_bytes("total_size")
FIGURES = {"allocated_bytes": ALLOCATED, "reserved_bytes": RESERVED, "inactive_bytes": RESERVED - ALLOCATED, "peak_requested_bytes": 228392865, "ooms": 1}


def expect_figures(library, found):
    for name, figure in FIGURES.items():
        # TensorBoard's numbers have 24 bits.
        expect(f"{library}: {name}: {found}", abs(found[f"gpu_memory/gpu0/{name}"] - figure) <= figure >> 24, True)


def expect_tensorboard(library, folder):
    from PIL import Image
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    (place,) = {path.parent for path in folder.rglob("events.out.*")}
    events = EventAccumulator(str(place)).Reload()
    scalars = {tag: events.Scalars(tag)[0] for tag in events.Tags()["scalars"]}
    expect_figures(library, {tag: scalar.value for tag, scalar in scalars.items()})
    (image,) = events.Images("gpu_memory/flame")
    expect(f"{library}: steps", {image.step, *(scalar.step for scalar in scalars.values())}, {3})
    drawn = [Image.open(io.BytesIO(png)).convert("RGB") for png in (image.encoded_image_string, memviz_torch.flame(SNAPSHOT, at="end").png())]
    expect(f"{library}: the picture", drawn[0].tobytes() == drawn[1].tobytes() and drawn[0].size[0] > 1000, True)


def check_tensorboard(folder):
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        log_to(writer, SNAPSHOT, step=3, at="end")
    expect_tensorboard("tensorboard", folder)
    with (
        unittest.mock.patch("memviz_torch._results._path_of", return_value=None),
        warnings.catch_warnings(record=True) as seen,
        SummaryWriter(str(folder / "without")) as writer,
    ):
        warnings.simplefilter("always")
        log_to(writer, SNAPSHOT, at="end")
    said = [(one.filename, str(one.message).partition(": png takes the program")[0]) for one in seen if one.category is memviz_torch.SnapshotWarning]
    expect("without a program for pictures", said[-1], (__file__, "TensorBoard has the figures and no picture"))
    expect(f"the other warnings: {said}", len(said) > 1 and {place for place, _ in said} == {__file__}, True)


def check_accelerate(folder):
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True, log_with="tensorboard", project_dir=str(folder))
    accelerator.init_trackers("training")
    log_to(accelerator.get_tracker("tensorboard", unwrap=True), SNAPSHOT, step=3, at="end")
    accelerator.end_training()
    expect_tensorboard("accelerate", folder)


def check_wandb(folder):
    import wandb

    run = wandb.init(project="memviz", dir=str(folder))
    log_to(run, SNAPSHOT, step=3, at="end")
    log_to(wandb, SNAPSHOT.read_bytes(), step=4)  # with which W&B ends the step before
    expect_figures("wandb", dict(run.summary))
    expect("wandb: steps", run.summary["_step"], 3)
    run.finish()
    pages = sorted(folder.rglob("media/html/gpu_memory/flame_*.html"))
    expect(f"wandb: pages {pages}", len(pages), 2)
    expect("wandb: the picture", "ran out of memory" in pages[1].read_text(), True)


def check_mlflow(folder):
    import mlflow

    mlflow.set_tracking_uri(f"file://{folder}/mlruns")
    with mlflow.start_run() as run:
        log_to(mlflow, SNAPSHOT, step=3, at="end")
    log_to(run, SNAPSHOT, name="again")
    check_refused(mlflow.MlflowClient())  # which has no run
    found = mlflow.get_run(run.info.run_id).data.metrics
    expect_figures("mlflow", found)
    expect("mlflow: another name", found["again/gpu0/ooms"], 1)
    expect("mlflow: steps", [metric.step for metric in mlflow.MlflowClient().get_metric_history(run.info.run_id, "gpu_memory/gpu0/ooms")], [3])
    expect("mlflow: the picture", mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/gpu_memory/flame-3.svg"), memviz_torch.flame(SNAPSHOT, at="end").svg)
    expect("mlflow: without a step", "ran out of memory" in mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/again/flame.svg"), True)


def check_refused(logger):
    try:
        log_to(logger, SNAPSHOT)
        expect(f"{logger} is refused", False, True)
    except TypeError as error:
        expect(f"{logger}: {error}", "log_to() takes a SummaryWriter" in str(error), True)


def main():
    for logger in (None, print, sys):
        check_refused(logger)
    for library in sys.argv[3:]:
        with tempfile.TemporaryDirectory() as name:
            os.chdir(name)
            globals()[f"check_{library}"](pathlib.Path(name))
            os.chdir("/")
    finish(f"the figures and a picture are in {', '.join(sys.argv[3:])}")


main()
