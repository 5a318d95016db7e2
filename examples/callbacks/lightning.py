"""A recording of a Lightning Trainer: Trainer(..., callbacks=[MemoryRecording("run-{rank}.pickle")])."""

import memviz_torch
from lightning.pytorch import Callback


class MemoryRecording(Callback):
    def __init__(self, *arguments, **options):  # those of memviz_torch.record()
        self.arguments, self.options, self.recording = arguments, options, None

    def on_train_start(self, trainer, module):
        named = {"names": module, "optimizer": trainer.optimizers}
        self.recording = memviz_torch.record(*self.arguments, **named, **self.options).start()

    def on_train_batch_end(self, trainer, module, *_):
        self.recording.step()

    def on_train_end(self, trainer, module):
        self.recording.stop()

    def on_exception(self, trainer, module, exception):
        if self.recording is not None:
            self.recording.stop(exception)
