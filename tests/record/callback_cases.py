"""memviz_torch.integrations, with trainers that call them as the real ones do."""

import os
import sys

from stage import FAKE_TORCH, MEMVIZ, PACKAGE, Stage

# The program prints what is kept, and what records.
SAID = """
def said():
    gc.collect()
    kept = sum(isinstance(one, Model) for one in gc.get_objects())
    print(kept, torch._state.history, len(torch.__dict__.get("_memviz_oom_watchers", ())), flush=True)
"""
MODEL = """
import gc, sys, types, torch
class Model:
    def named_parameters(self): return ()
    named_buffers = named_parameters
class Optimizer:
    param_groups, state = (), {}
"""


class Callbacks(Stage):
    def ran(self, program):
        path = os.pathsep.join([PACKAGE, FAKE_TORCH])
        done = self.done([sys.executable, "-c", MODEL + SAID + program], MEMVIZ_PROGRAM=MEMVIZ, PYTHONPATH=path)
        self.assertEqual(done.returncode, 0, done.err)
        return done.out.splitlines(), sorted(file.name for file in (self.folder / "work").glob("*.pickle"))

    def test_hugging_faces_trainer_that_begins_again_leaves_no_recording_behind(self):
        said, files = self.ran("""
sys.modules["transformers"] = types.SimpleNamespace(TrainerCallback=object)
from memviz_torch.integrations.transformers import MemoryRecording
callback = MemoryRecording("m.pickle")
for size in (2 << 30, 5):
    try:
        model = Model()
        callback.on_train_begin(None, None, None, model=model, optimizer=Optimizer())
        torch.allocate(size)
        callback.on_step_end(None, None, None)
        callback.on_train_end(None, None, None)
    except torch.OutOfMemoryError: pass
del model
said()
""")
        self.assertEqual(said, ["0 None 0"])
        self.assertEqual(files, ["m-2.pickle", "m-oom.pickle", "m.pickle"])

    def test_lightnings_trainer_that_begins_again_leaves_no_recording_behind(self):
        said, files = self.ran("""
sys.modules["lightning"] = sys.modules["lightning.pytorch"] = types.SimpleNamespace(Callback=object)
from memviz_torch.integrations.lightning import MemoryRecording
trainer = types.SimpleNamespace(optimizers=[Optimizer()])
callback = MemoryRecording("m.pickle")
for size in (2 << 30, 3 << 30, 5):
    try:
        model = Model()
        callback.on_train_start(trainer, model)
        torch.allocate(size)
        callback.on_train_batch_end(trainer, model, None, None, 0)
        callback.on_train_end(trainer, model)
    except torch.OutOfMemoryError as error:
        if size == 3 << 30:
            callback.on_exception(trainer, model, error)
callback.on_exception(trainer, model, KeyError())
del model
said()
""")
        self.assertEqual(said, ["0 None 0"])
        self.assertEqual(files, ["m-2.pickle", "m-oom-2.pickle", "m-oom.pickle", "m.pickle"])
