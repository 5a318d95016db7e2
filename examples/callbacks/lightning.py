"""A recording of a Lightning Trainer: Trainer(..., callbacks=[MemoryRecording("run-{rank}.pickle")])."""

import memviz_torch
from lightning.pytorch import Callback


class MemoryRecording(Callback):
    def __init__(self, *arguments, **options):  # those of memviz_torch.record()
        self.arguments, self.options, self.recording = arguments, options, None

    def on_train_start(self, trainer, module):
        self.stop()  # the tuner begins again where training did not end
        named = {"names": module, "optimizer": trainer.optimizers}
        self.recording = memviz_torch.record(*self.arguments, **named, **self.options).start()

    def on_train_batch_end(self, trainer, module, *_):
        self.recording.step()

    def on_train_end(self, trainer, module):
        self.stop()

    def on_exception(self, trainer, module, exception):
        self.stop(exception)

    def stop(self, error=None):
        recording, self.recording = self.recording, None
        if recording is not None:
            recording.stop(error)
