"""memviz_torch.record()."""

import pickle
import sys

from stage import CAUGHT, MEMVIZ, RecordStage

TENSORS = """
import types
class Tensor:
    def __init__(self, size, address=None):
        import torch
        self.address = torch.allocate(size) if address is None else address
        self.size = size
        self.grad = None
        self.device = types.SimpleNamespace(type="cuda", index=0)
    def untyped_storage(self):
        return self
    def data_ptr(self):
        return self.address
    def nbytes(self):
        return self.size
class Sparse(Tensor):
    layout = "torch.sparse_coo"
    def __init__(self, *parts):
        self.parts = parts
        self.grad = None
        self.device = parts[0].device
    def untyped_storage(self):
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    def _indices(self):
        return self.parts[0]
    def _values(self):
        return self.parts[1]
class Opaque(Sparse):
    layout = "torch._mkldnn"
class Lazy(Opaque):
    cls_to_become = None
class Model:
    def __init__(self, **parameters):
        self.parameters = parameters
        self.buffers = {}
    def named_parameters(self):
        return self.parameters.items()
    def named_buffers(self):
        return self.buffers.items()
class Optimizer:
    def __init__(self, parameters, **options):
        self.param_groups = [{"params": list(parameters), **options}]
        self.state = {}
"""

# Makes the folder "there" one that takes no file.
NO_FOLDER = "import os, pathlib; pathlib.Path('there').write_text('')"


class Record(RecordStage):
    def test_the_package_does_not_import_torch(self):
        program = "import sys, memviz_torch; memviz_torch.record(); print('torch' in sys.modules)"
        done = self.done([sys.executable, "-c", program])
        self.assertEqual((done.out, done.err), ("False\n", ""))

    def test_writes_a_file_and_leaves_the_recorder_as_it_was(self):
        done = self.record(
            "torch.allocate(1000)\nprint(torch._state.asked)",
            "'m-{rank}.pickle', max_entries=50, stacks='python'",
            "import atexit; atexit.register(lambda: print(torch._state.history))",
            RANK="3",
        )
        self.assertEqual(done.out, "{'max_entries': 50, 'stacks': 'python'}\n['m-3.pickle']\nNone\n", done.err)
        found = self.the_pickle()
        self.assertEqual(len(found["device_traces"][0]), 2)
        self.assertEqual(found["memviz_recorder"]["rank"], 3)
        self.assertEqual(found["memviz_recorder"]["devices"][0]["total_bytes"], 1 << 30)

    def test_replaces_no_file(self):
        (self.folder / "work" / "m.pickle").write_bytes(b"mine")
        (self.folder / "work" / "m-2.pickle").write_bytes(b"mine, too")
        done = self.record("torch.allocate(1000)", "'m.pickle'")
        self.assertEqual(done.out, "['m-3.pickle']\n")
        self.assertEqual((self.folder / "work" / "m.pickle").read_bytes(), b"mine")

    def test_makes_folders_and_names(self):
        done = self.record("torch.allocate(1000)\nr.dump('a/b/{pid}-{time}.pickle')", "'c/{host}.pickle'")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertEqual(len(self.pickles()), 2)

    def test_refuses_what_it_cannot_do_before_the_work_begins(self):
        for arguments in ("'{step}.pickle'", "'{'", "'{0}'", "max_entries=0", "max_entries='all'", "stacks='none'"):
            done = self.record("print('began')", arguments)
            self.assertIn("ValueError", done.err, arguments)
            self.assertNotIn("began", done.out, arguments)

    def test_at_an_out_of_memory_error_the_file_is_of_that_moment(self):
        done = self.record("torch.allocate(100)\ntorch.allocate(2 << 30)", "'m.pickle'")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Exhaustion:", done.err)
        self.assertEqual([file.name for file in self.pickles()], ["m-oom.pickle"])

    def test_that_is_caught_leaves_both(self):
        body = "try:\n    torch.allocate(2 << 30)\nexcept torch.OutOfMemoryError: pass"
        done = self.record(body, "'m.pickle'")
        self.assertEqual(done.out, "['m-oom.pickle', 'm.pickle']\n")
        done = self.record(body, "'n.pickle', on_oom=False, on_exit=False")
        self.assertEqual((done.out, done.err), ("[]\n", ""))

    def test_another_error_is_the_one_that_is_seen(self):
        done = self.record(f"torch.allocate(100)\n{NO_FOLDER}\nraise KeyError('mine')", "'there/m.pickle'")
        self.assertIn("no file can be written to there (File exists)", done.err)
        self.assertIn("KeyError: 'mine'", done.err)

    def test_after_the_block_nothing_is_told(self):
        program = "import torch, memviz_torch\nwith memviz_torch.record(on_exit=False) as r:\n    torch.allocate(5)\n"
        done = self.done([sys.executable, "-c", program + CAUGHT.format(count=1)])
        self.assertEqual((done.out, done.err), ("went on\n", ""))

    def test_of_two_the_inner_one_is_told(self):
        body = "with memviz_torch.record('inner.pickle', on_exit=False):\n"
        body += "    try:\n        torch.allocate(2 << 30)\n    except torch.OutOfMemoryError: pass"
        self.record(body, "'outer.pickle', on_exit=False")
        self.assertEqual([file.name for file in self.pickles()], ["inner-oom.pickle"])

    def test_a_recording_of_somebody_else_goes_on(self):
        before = "torch.cuda._lazy_init()\ntorch.cuda.memory._record_memory_history(max_entries=7)\n"
        before += "import atexit; atexit.register(lambda: print(torch._state.asked, torch._state.history))"
        done = self.record("torch.allocate(5)", "'m.pickle'", before)
        self.assertEqual(done.out, "['m.pickle']\n{'max_entries': 7} all\n")

    def test_without_cuda_the_block_runs(self):
        done = self.record("r.step()\nprint(r.dump())", FAKE_TORCH_IS_CPU="1")
        self.assertEqual(done.out, "None\n[]\n")
        self.assertIn("UserWarning: nothing is recorded: this torch was built without CUDA", done.err)

    def test_a_program_that_never_used_cuda_leaves_no_file_and_hears_why(self):
        done = self.record("pass")
        self.assertEqual(done.out, "[]\n")
        self.assertEqual(done.err, "<string>:3: UserWarning: nothing is recorded: CUDA was not used\n")
        done = self.record("pass", "on_exit=False")
        self.assertEqual((done.out, done.err), ("[]\n", ""))

    def test_cuda_is_asked_nothing_before_the_program_uses_it(self):
        done = self.record("print(torch._state.was_counted_before_use)\ntorch.allocate(5)", "'m.pickle'")
        self.assertEqual(done.out, "False\n['m.pickle']\n")

    def test_an_allocator_that_keeps_no_history_is_said_to_and_the_block_runs(self):
        for arguments in ("'m.pickle'", "'m.pickle', on_oom=False"):
            done = self.record("torch.allocate(5)\nprint('ran')", arguments, FAKE_TORCH_ALLOCATOR="cudaMallocAsync")
            self.assertEqual(done.out, "ran\n[]\n", done.err)
            self.assertRegex(done.err, r"^memviz: process \d+ is not recorded: RuntimeError: cudaMallocAsync .*\n$")

    def test_a_recording_of_somebody_else_from_before_cuda_was_there_goes_on(self):
        before = "torch.cuda.memory._record_memory_history(max_entries=7)\n"
        before += "import atexit; atexit.register(lambda: print(torch._state.asked, torch._state.history))"
        done = self.record("torch.allocate(5)", "'m.pickle'", before)
        self.assertEqual(done.out, "['m.pickle']\n{'max_entries': 7} all\n")

    def test_the_outer_one_of_two_goes_on(self):
        body = "with memviz_torch.record('inner.pickle'):\n    torch.allocate(1)\nprint(torch._state.history)"
        done = self.record(body, "'outer.pickle'")
        self.assertEqual(done.out, "all\n['outer.pickle']\n", done.err)

    def test_under_memviz_run_the_job_is_recorded_before_and_after(self):
        program = "import torch, memviz_torch\nwith memviz_torch.record('m.pickle', max_entries=5):\n    torch.allocate(1)\n"
        done = self.run_python(program + "print(torch._state.asked, torch._state.history)")
        self.assertEqual(done.out, "{'max_entries': 100000, 'stacks': 'all'} all\n", done.err)

    def test_ended_it_keeps_no_model_alive(self):
        program = """
import gc, torch, memviz_torch, weakref
class Model:
    def named_parameters(self): return ()
    named_buffers = named_parameters
for use in (torch.cuda._lazy_init, lambda: None):
    model = Model()
    with memviz_torch.record(names=model, on_exit=False) as r:
        use()
    model = weakref.ref(model)
    gc.collect()
    print(model())
"""
        done = self.done([sys.executable, "-c", program])
        self.assertEqual((done.out, done.err), ("None\nNone\n", ""))

    def test_that_nobody_keeps_records_all_the_same(self):
        program = "import torch, memviz_torch\nmemviz_torch.record('m.pickle').start()\ntorch.allocate(2 << 30)"
        self.done([sys.executable, "-c", program])
        self.assertEqual([file.name for file in self.pickles()], ["m-oom.pickle"])

    def test_begins_once(self):
        for body in ("r.start()", "r.stop()\nr.start()"):
            done = self.record(body)
            self.assertIn("RuntimeError: a recording begins once; record() makes another", done.err)

    def test_a_caught_error_costs_another_errors_file_nothing(self):
        caught = "try:\n    torch.allocate(2 << 30)\nexcept torch.OutOfMemoryError as error:\n    "
        self.record(caught + "pass\nraise KeyError('another')", "'m.pickle'")
        self.assertEqual([file.name for file in self.pickles()], ["m-oom.pickle", "m.pickle"])
        self.record(caught + "raise KeyError('it says that')", "'n.pickle'")
        self.assertEqual([file.name for file in self.pickles()][2:], ["n-oom.pickle"])

    def test_numbers_of_names_can_be_padded(self):
        done = self.record("torch.allocate(5)", "'m-{rank:03d}-{pid:d}.pickle'", RANK="7")
        self.assertRegex(done.out, r"^\['m-007-\d+\.pickle'\]\n$", done.err)

    def test_what_is_no_number_is_no_rank(self):
        for rank in ("\u00b2", "9" * 260, "-1", ""):
            done = self.record("torch.allocate(5)", "'m.pickle'", RANK=rank)
            self.assertEqual(done.err, "", rank)
            (file,) = self.pickles()
            self.assertIsNone(pickle.loads(file.read_bytes())["memviz_recorder"]["rank"])
            file.unlink()

    def test_sparse_tensors_are_named_by_their_parts(self):
        body = TENSORS + """
model = Model(weight=Tensor(1 << 20), opaque=Opaque(Tensor(512)), lazy=Lazy(Tensor(512)), last=Tensor(1024))
model.parameters["weight"].grad = Sparse(Tensor(2048), Tensor(4096))
r._names = model
"""
        done = self.record(body, "'m.pickle'")
        self.assertEqual(
            [row[2:] for row in self.the_pickle()["memviz_recorder"]["tensors"]],
            [
                [1 << 20, "parameter", "weight"],
                [2048, "gradient", "weight"],
                [4096, "gradient", "weight"],
                [1024, "parameter", "last"],
            ],
        )
        words = "memviz: the snapshot does not name every tensor: opaque: NotImplementedError: Cannot access storage"
        self.assertIn(words, done.err)

    def test_steps_are_steps_of_leaks(self):
        step = ["a = torch.allocate(1 << 20)", "torch.allocate(512)", "torch.release(a)", "r.step()"]
        self.record("for _ in range(12):\n    " + "\n    ".join(step))
        (file,) = self.pickles()
        done = self.done([MEMVIZ, "leaks", file])
        self.assertIn("memviz_step#", done.out)
        self.assertIn("step train.py:12", done.out)
        names = {mark["name"] for mark in self.the_pickle()["external_annotations"]}
        self.assertEqual(names, {f"memviz_step#{number}" for number in range(13)})

    def test_tensors_have_names_and_kinds(self):
        body = TENSORS + """
model = Model(**{"up.weight": Tensor(4 << 20), "_orig_mod.down.weight": Tensor(2 << 20)})
model.parameters["tied.weight"] = model.parameters["up.weight"]
model.parameters["view.weight"] = Tensor(1 << 20, model.parameters["_orig_mod.down.weight"].address)
model.buffers["mean"] = Tensor(1 << 20)
weight = model.parameters["up.weight"]
weight.grad = Tensor(4 << 20)
alone = Tensor(3 << 20)
optimizer = Optimizer([weight, alone], lr=Tensor(512))
optimizer.state[weight] = {"exp_avg": Tensor(4 << 20), "step": 5, "more": [Tensor(1024)]}
other = torch.allocate(9 << 20)
r._names, r._optimizer = model, [optimizer]
"""
        done = self.record(body, "'m.pickle'")
        self.assertEqual(done.out, "['m.pickle']\n", done.err)
        rows = [row[2:] for row in self.the_pickle()["memviz_recorder"]["tensors"]]
        self.assertEqual(
            rows,
            [
                [4 << 20, "parameter", "up.weight"],
                [4 << 20, "gradient", "up.weight"],
                [2 << 20, "parameter", "down.weight and 1 more"],
                [1 << 20, "buffer", "mean"],
                [3 << 20, "parameter", "param_groups[0][1]"],
                [512, "optimizer_state", "param_groups[0].lr"],
                [4 << 20, "optimizer_state", "up.weight.exp_avg"],
                [1024, "optimizer_state", "up.weight.more[0]"],
            ],
        )

    def test_a_model_that_cannot_be_named_does_not_cost_the_file(self):
        named = TENSORS + "Model.named_parameters = None\n"
        done = self.record("torch.allocate(10)", "'m.pickle', names=[Model(), Model()]", named)
        self.assertEqual(done.out, "['m.pickle']\n", done.err)
        self.assertRegex(done.err, "^memviz: the snapshot does not name every tensor: Model: TypeError: .*, and 1 more\n$")

    def test_names_of_what_has_none_are_refused_before_the_work_begins(self):
        for names in ("object()", "[iter([])]", "(tensor for tensor in ())"):
            done = self.record("print('began')", f"names={names}")
            self.assertIn("TypeError: names must be a module or a list of modules, not ", done.err)
            self.assertNotIn("began", done.out)
