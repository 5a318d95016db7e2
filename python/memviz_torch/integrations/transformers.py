"""A recording of a Hugging Face Trainer:

>>> from memviz_torch.integrations.transformers import MemoryRecording
>>> Trainer(..., callbacks=[MemoryRecording("run-{rank}.pickle")])
"""

from __future__ import annotations

from typing import Any, Optional

from transformers import TrainerCallback

from memviz_torch.recording.recorder import Recorder, record


class MemoryRecording(TrainerCallback):
    """Records a training, each of its steps a step; takes what ``memviz_torch.record()`` takes, except names and optimizer."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.arguments, self.options = arguments, options
        self.recording: Optional[Recorder] = None

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **_: Any) -> None:
        self.stop()  # auto_find_batch_size begins again where training did not end
        self.recording = record(*self.arguments, names=model, optimizer=optimizer, **self.options).start()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.recording is not None:
            self.recording.step()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.stop()

    def stop(self) -> None:
        recording, self.recording = self.recording, None
        if recording is not None:
            recording.stop()
