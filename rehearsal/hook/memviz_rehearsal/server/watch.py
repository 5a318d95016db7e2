"""Watches an inference server start in rehearsed processes (vLLM from 0.8, SGLang) and logs what it finds out about its
memory as events "server".

Nothing is imported before the program imports it. A server's own errors and exit codes stay unchanged.
"""

import sys

from memviz_rehearsal.journal import SETTINGS, guarded
from memviz_rehearsal.process.methods import act_at_imports, running_values, wrap
from memviz_rehearsal.server import encoders, log, outside, requests, sleep, supply
from memviz_rehearsal.server.log import error_text, log_facts

# vLLM compiles nothing under a mode of PyTorch's dispatcher, as --values is.
_WITHOUT_VALUES = ("load_model", "determine_available_memory", "initialize_from_config", "compile_or_warm_up_model", "execute_model", "sample_tokens")  # fmt: skip
WORKERS = ("vllm.v1.worker.gpu_worker", "sglang.srt.model_executor.model_runner")


class ServerWatch:
    """What is kept of a server from one of its calls to the next."""

    def __init__(self):
        self.encoders = encoders.Encoders()
        self.sleep = sleep.Sleep()
        self._requests = requests.Requests()
        self._supply = supply.Supply()
        self._outside = outside.OutsideModel(SETTINGS["outside_given"])
        self._cache_bytes = None

    def install(self):
        acts = (
            ("vllm.v1.core.kv_cache_utils", _watch_vllm_check),
            ("vllm.v1.worker.gpu_worker", self._watch_vllm_worker),
            ("vllm.v1.worker.gpu_model_runner", self._watch_vllm_runner),
            ("vllm.v1.worker.gpu.model_runner", self._watch_vllm_runner),  # vLLM 0.33
            ("sglang.srt.model_executor.model_runner", self._watch_sglang_runner),
        )
        act_at_imports(acts)
        self._requests.install()
        self._supply.install()
        log.install()

    def log_uncaught(self, error):
        if error is None or isinstance(error, KeyboardInterrupt):
            return
        server = requests.server_of_process()
        if server is not None:  # one that ends before it reads its options: the port is in use, the model is not there
            self._supply.name_server(server)
        if self._supply.has_server:
            log_facts(error=error_text(error))

    def _watch_vllm_worker(self, module):
        def profile(original, worker, *arguments, **named):
            available = original(worker, *arguments, **named)
            log_facts(
                activation_bytes=_whole(getattr(worker, "peak_activation_memory", None)),
                outside_bytes=_whole(getattr(worker, "non_torch_memory", None)),
                budget_bytes=_whole(getattr(worker, "requested_memory", None)),
            )
            return available

        def start(original, worker, *arguments, **named):
            before = _allocated()
            result = original(worker, *arguments, **named)
            log_facts(cache_bytes=_whole(_allocated() - before) if self._cache_bytes is None else self._cache_bytes)
            return result

        def load(original, worker, *arguments, **named):
            log_facts(**guarded(self._outside.install_for_vllm, worker) or {})
            before = _allocated()
            result = original(worker, *arguments, **named)
            # vLLM 0.33 also makes buffers here, which its own figure omits.
            weights = _whole(getattr(worker.model_runner, "model_memory_usage", None))
            guarded(self.encoders.watch, worker.model_runner)
            log_facts(weights_bytes=_whole(_allocated() - before) if weights is None else weights)
            return result

        def meet(original, vllm_config, *arguments, **named):
            guarded(self._outside.start_for_vllm, vllm_config)
            return original(vllm_config, *arguments, **named)

        wrap(module, "init_worker_distributed_environment", meet)
        wrap(module.Worker, "load_model", load)
        wrap(module.Worker, "determine_available_memory", profile)
        wrap(module.Worker, "initialize_from_config", start)
        wrap(module.Worker, "sleep", self.sleep.sleep)
        wrap(module.Worker, "wake_up", self.sleep.wake_up)
        for name in _WITHOUT_VALUES if SETTINGS["values"] == "on" else ():
            wrap(module.Worker, name, _without_values, is_in_all=False)

    def _watch_vllm_runner(self, module):
        def make_cache(original, worker, *arguments, **named):
            before = _allocated()
            result = original(worker, *arguments, **named)
            self._cache_bytes = _whole(_allocated() - before)  # the last: profiling makes a small one before
            return result

        def capture(original, worker, *arguments, **named):
            result = original(worker, *arguments, **named)
            log_facts(graph_bytes=_whole(result), **self._graph_facts())
            return result

        wrap(module.GPUModelRunner, "initialize_kv_cache_tensors", make_cache, is_in_all=False)
        wrap(module.GPUModelRunner, "capture_model", capture)

    def _watch_sglang_runner(self, module):
        def capture(original, worker, *arguments, **named):
            memory = sys.modules["torch"].cuda.mem_get_info
            before = memory()[0]
            result = original(worker, *arguments, **named)
            log_facts(graph_bytes=_whole(before - memory()[0]), **self._graph_facts())
            return result

        wrap(module.ModelRunner, "load_model", _log_growth("weights_bytes"))
        wrap(module.ModelRunner, "init_memory_pool", _log_growth("cache_bytes"))
        names = ("init_cuda_graphs", "init_device_graphs")  # of older and newer versions
        for name in [name for name in names if hasattr(module.ModelRunner, name)] or names[-1:]:
            wrap(module.ModelRunner, name, capture)

    def _graph_facts(self):
        return guarded(self._outside.graph_facts) or {}


def has_worker():
    """Whether this process may hold a server's memory."""
    return any(name in sys.modules for name in WORKERS)


def _allocated():
    return sys.modules["torch"].cuda.memory_allocated()


def _log_growth(name):
    """Wraps a method so that the growth of PyTorch's allocated memory around it is logged."""

    def around(original, self, *arguments, **named):
        before = _allocated()
        result = original(self, *arguments, **named)
        log_facts(**{name: _whole(_allocated() - before)})
        return result

    return around


def _watch_vllm_check(module):
    def check(original, available_memory, get_needed_memory, *arguments, **named):
        guarded(lambda: log_facts(request_cache_bytes=_whole(get_needed_memory())))
        return original(available_memory, get_needed_memory, *arguments, **named)

    wrap(module, "_check_enough_kv_cache_memory", check, is_in_all=False)


def _without_values(original, self, *arguments, **named):
    mode = running_values()
    if mode is None:
        return original(self, *arguments, **named)
    mode.__exit__(None, None, None)
    try:
        return original(self, *arguments, **named)
    finally:
        mode.__enter__()


def _whole(value):
    return int(value) if isinstance(value, (int, float)) and value >= 0 else None
