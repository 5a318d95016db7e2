"""A recording of a Lightning Trainer:

>>> from memviz_torch.integrations.lightning import MemoryRecording
>>> Trainer(..., callbacks=[MemoryRecording("run-{rank}.pickle")])
"""

from __future__ import annotations

from typing import Any, Optional

from lightning.pytorch import Callback

from memviz_torch.recording.recorder import Recorder, record


class MemoryRecording(Callback):
    """Records a training, each of its batches a step; takes what ``memviz_torch.record()`` takes, except names and optimizer."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.arguments, self.options = arguments, options
        self.recording: Optional[Recorder] = None

    def on_train_start(self, trainer: Any, module: Any) -> None:
        self.stop()  # the tuner begins again where training did not end
        self.recording = record(*self.arguments, names=module, optimizer=trainer.optimizers, **self.options).start()

    def on_train_batch_end(self, trainer: Any, module: Any, *_: Any) -> None:
        if self.recording is not None:
            self.recording.step()

    def on_train_end(self, trainer: Any, module: Any) -> None:
        self.stop()

    def on_exception(self, trainer: Any, module: Any, exception: BaseException) -> None:
        self.stop(exception)

    def stop(self, error: Optional[BaseException] = None) -> None:
        recording, self.recording = self.recording, None
        if recording is not None:
            recording.stop(error)
