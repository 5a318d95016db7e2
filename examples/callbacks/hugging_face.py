"""A recording of a Hugging Face Trainer: Trainer(..., callbacks=[MemoryRecording("run-{rank}.pickle")])."""

import memviz_torch
from transformers import TrainerCallback


class MemoryRecording(TrainerCallback):
    def __init__(self, *arguments, **options):  # those of memviz_torch.record()
        self.arguments, self.options, self.recording = arguments, options, None

    def on_train_begin(self, args, state, control, model=None, optimizer=None, **_):
        self.stop()  # auto_find_batch_size begins again where training did not end
        self.recording = memviz_torch.record(*self.arguments, names=model, optimizer=optimizer, **self.options).start()

    def on_step_end(self, args, state, control, **_):
        self.recording.step()

    def on_train_end(self, args, state, control, **_):
        self.stop()

    def stop(self):
        recording, self.recording = self.recording, None
        if recording is not None:
            recording.stop()
