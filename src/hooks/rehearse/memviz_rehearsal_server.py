"""Watches an inference server start in rehearsed processes (vLLM from 0.8, SGLang) and logs what it finds out about its
memory as events "server".

Nothing is imported before the program imports it. A server's own errors and exit codes stay unchanged.
"""

import functools
import sys

import memviz_rehearsal_encoders
import memviz_rehearsal_model
import memviz_rehearsal_requests
import memviz_rehearsal_server_log
import memviz_rehearsal_server_supply
import memviz_rehearsal_sleep
from memviz_rehearsal_methods import act_at_imports, running_values, wrap

# vLLM compiles nothing under a mode of PyTorch's dispatcher, as --values is.
_WITHOUT_VALUES = ("load_model", "determine_available_memory", "initialize_from_config", "compile_or_warm_up_model", "execute_model", "sample_tokens")  # fmt: skip
WORKERS = ("vllm.v1.worker.gpu_worker", "sglang.srt.model_executor.model_runner")


class _State:
    log = None
    guarded = None
    settings = {}
    cache_bytes = None


def install(settings, log, guarded):
    _State.settings, _State.log, _State.guarded = settings, log, guarded
    acts = (
        ("vllm.v1.core.kv_cache_utils", _watch_vllm_check),
        ("vllm.v1.worker.gpu_worker", _watch_vllm_worker),
        ("vllm.v1.worker.gpu_model_runner", _watch_vllm_runner),
        ("vllm.v1.worker.gpu.model_runner", _watch_vllm_runner),  # vLLM 0.33
        ("sglang.srt.model_executor.model_runner", _watch_sglang_runner),
    )
    act_at_imports(guarded, acts)
    memviz_rehearsal_requests.install(settings, _log, guarded)
    memviz_rehearsal_server_supply.install(settings["ranks"], _log, functools.partial(log, "refusal"), guarded)
    memviz_rehearsal_server_log.install(_log, guarded)
    memviz_rehearsal_sleep.install(_log)


def has_worker():
    """Whether this process may hold a server's memory."""
    return any(name in sys.modules for name in WORKERS)


def log_uncaught(error):
    if error is None or isinstance(error, KeyboardInterrupt):
        return
    server = memviz_rehearsal_requests.server_of_process()
    if server is not None:  # one that ends before it reads its options: the port is in use, the model is not there
        memviz_rehearsal_server_supply.name_server(server)
    if memviz_rehearsal_server_supply.has_server():
        _log(error=memviz_rehearsal_server_log.error_text(error))


def _log(**facts):
    _State.guarded(lambda: _State.log("server", **facts))


def _allocated():
    return sys.modules["torch"].cuda.memory_allocated()


def _log_growth(name):
    """Wraps a method so that the growth of PyTorch's allocated memory around it is logged."""

    def around(original, self, *arguments, **named):
        before = _allocated()
        result = original(self, *arguments, **named)
        _log(**{name: _whole(_allocated() - before)})
        return result

    return around


def _watch_vllm_check(module):
    def check(original, available_memory, get_needed_memory, *arguments, **named):
        _State.guarded(lambda: _log(request_cache_bytes=_whole(get_needed_memory())))
        return original(available_memory, get_needed_memory, *arguments, **named)

    wrap(module, "_check_enough_kv_cache_memory", check)


def _watch_vllm_worker(module):
    def profile(original, self, *arguments, **named):
        available = original(self, *arguments, **named)
        _log(
            activation_bytes=_whole(getattr(self, "peak_activation_memory", None)),
            outside_bytes=_whole(getattr(self, "non_torch_memory", None)),
            budget_bytes=_whole(getattr(self, "requested_memory", None)),
        )
        return available

    def start(original, self, *arguments, **named):
        before = _allocated()
        result = original(self, *arguments, **named)
        _log(cache_bytes=_whole(_allocated() - before) if _State.cache_bytes is None else _State.cache_bytes)
        return result

    def load(original, self, *arguments, **named):
        _log(**_State.guarded(memviz_rehearsal_model.install_for_vllm, self, _State.settings["outside_given"]) or {})
        before = _allocated()
        result = original(self, *arguments, **named)
        # vLLM 0.33 also makes buffers here, which its own figure omits.
        weights = _whole(getattr(self.model_runner, "model_memory_usage", None))
        _State.guarded(memviz_rehearsal_encoders.watch, self.model_runner)
        _log(weights_bytes=_whole(_allocated() - before) if weights is None else weights)
        return result

    def meet(original, vllm_config, *arguments, **named):
        _State.guarded(memviz_rehearsal_model.start_for_vllm, vllm_config, _State.settings["outside_given"])
        return original(vllm_config, *arguments, **named)

    wrap(module, "init_worker_distributed_environment", meet)
    wrap(module.Worker, "load_model", load)
    wrap(module.Worker, "determine_available_memory", profile)
    wrap(module.Worker, "initialize_from_config", start)
    wrap(module.Worker, "sleep", memviz_rehearsal_sleep.sleep)
    wrap(module.Worker, "wake_up", memviz_rehearsal_sleep.wake_up)
    for name in _WITHOUT_VALUES if _State.settings["values"] == "on" else ():
        wrap(module.Worker, name, _without_values)


def _without_values(original, self, *arguments, **named):
    mode = running_values()
    if mode is None:
        return original(self, *arguments, **named)
    mode.__exit__(None, None, None)
    try:
        return original(self, *arguments, **named)
    finally:
        mode.__enter__()


def _watch_vllm_runner(module):
    def make_cache(original, self, *arguments, **named):
        before = _allocated()
        result = original(self, *arguments, **named)
        _State.cache_bytes = _whole(_allocated() - before)  # the last: profiling makes a small one before
        return result

    def capture(original, self, *arguments, **named):
        result = original(self, *arguments, **named)
        _log(graph_bytes=_whole(result), **_graph_facts())
        return result

    wrap(module.GPUModelRunner, "initialize_kv_cache_tensors", make_cache)
    wrap(module.GPUModelRunner, "capture_model", capture)


def _watch_sglang_runner(module):
    def capture(original, self, *arguments, **named):
        memory = sys.modules["torch"].cuda.mem_get_info
        before = memory()[0]
        result = original(self, *arguments, **named)
        _log(graph_bytes=_whole(before - memory()[0]), **_graph_facts())
        return result

    wrap(module.ModelRunner, "load_model", _log_growth("weights_bytes"))
    wrap(module.ModelRunner, "init_memory_pool", _log_growth("cache_bytes"))
    for name in ("init_cuda_graphs", "init_device_graphs"):
        wrap(module.ModelRunner, name, capture)


def _graph_facts():
    return _State.guarded(memviz_rehearsal_model.graph_facts) or {}


def _whole(value):
    return int(value) if isinstance(value, (int, float)) and value >= 0 else None
