"""Watches an inference server start in rehearsed processes (vLLM from 0.8 on, SGLang): supplies what a rehearsal lacks
(weights, a tokenizer) and logs what the server finds out about its memory, as events "server".

Nothing is imported before the program imports it. A server's own errors and exit codes stay as they are.
"""

import functools
import logging
import os
import re
import sys

import memviz_rehearsal_model
import memviz_rehearsal_requests
import memviz_rehearsal_server_rank
import memviz_rehearsal_sleep
from memviz_recording import waiting

# The lines that servers print about their memory, and the names under which these are logged.
_LINES = (
    (re.compile(r"GPU KV cache size: ([\d,]{1,20}) tokens"), ("cache_tokens",)),
    (re.compile(r"Maximum concurrency for ([\d,]{1,20}) tokens per request: ([\d,]{1,20}\.\d{1,9})x"), ("request_tokens", "requests_at_once")),
    (re.compile(r"max_total_num_tokens=(\d{1,20}),.{0,2000}?context_len=(\d{1,20})"), ("cache_tokens", "request_tokens")),
)  # fmt: skip
_MOST_ERROR_CHARACTERS = 2000
_NO_CACHE = "VLLM_DISABLE_COMPILE_CACHE"
# vLLM compiles nothing under a mode of PyTorch's dispatcher, which --values is.
_WITHOUT_VALUES = ("load_model", "determine_available_memory", "initialize_from_config", "compile_or_warm_up_model", "execute_model", "sample_tokens")  # fmt: skip
WORKERS = ("vllm.v1.worker.gpu_worker", "sglang.srt.model_executor.model_runner")


class _State:
    log = None
    guarded = None
    settings = {}
    has_server = False
    cache_bytes = None


def install(settings, log, guarded):
    _State.settings, _State.log, _State.guarded = settings, log, guarded
    for module, act in (
        ("vllm.logger", _watch_vllm_log),
        ("vllm.engine.arg_utils", _supply_vllm),
        ("vllm.v1.core.kv_cache_utils", _read_quiet_log),
        ("openai_harmony", _supply_vocabulary),
        ("vllm.v1.worker.gpu_worker", _watch_vllm_worker),
        ("vllm.v1.worker.gpu_model_runner", _watch_vllm_runner),
        ("vllm.v1.worker.gpu.model_runner", _watch_vllm_runner),  # vLLM 0.33
        ("sglang.srt.server_args", _supply_sglang),
        ("sglang.srt.model_executor.model_runner", _watch_sglang_runner),
    ):
        waiting.when_imported(module, functools.partial(guarded, act))
    memviz_rehearsal_requests.install(settings, _log, guarded)
    if settings["ranks"]:
        memviz_rehearsal_server_rank.install(waiting.when_imported, guarded)
    memviz_rehearsal_sleep.install(_log)


def has_worker():
    """Whether this process may hold a server's memory."""
    return any(name in sys.modules for name in WORKERS)


def log_uncaught(error):
    if error is None or isinstance(error, KeyboardInterrupt):
        return
    server = memviz_rehearsal_requests.server_of_process()
    if server is not None:  # one that ends before it reads its options: the port is in use, the model is not there
        _name_server(server)
    if _State.has_server:
        _log(error=_error_text(type(error).__name__, error))


def _log(**facts):
    _State.guarded(lambda: _State.log("server", **facts))


def _wrap(owner, name, around):
    """Replaces a method by around(original, self, *arguments); one that this version lacks is left out."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(self, *arguments, **named):
        return around(original, self, *arguments, **named)

    setattr(owner, name, wrapped)


# --- what a rehearsal lacks


def _supply_vllm(module):
    def create(original, self, *arguments, **named):
        _State.guarded(_supply, "vLLM", self)
        _become_rank("vLLM", self)
        return original(self, *arguments, **named)

    _wrap(module.EngineArgs, "create_engine_config", create)


def _supply_sglang(module):
    def supply(original, self, *arguments, **named):
        _State.guarded(_supply, "SGLang", self)
        _become_rank("SGLang", self)
        return original(self, *arguments, **named)

    _wrap(module.ServerArgs, "__post_init__", supply)
    _read_log_lines("sglang")


def _supply(name, arguments):
    """Weights are not read: their values would be zeros anyway. A tokenizer that is not there is not asked for. Code is
    compiled anew: a start that finds it compiled has another peak, and a real GPU is not to find what was compiled here."""
    _name_server(name)
    if str(getattr(arguments.load_format, "value", arguments.load_format)) == "auto":
        arguments.load_format = "dummy"
        _log(added="--load-format dummy")
    if not arguments.skip_tokenizer_init and _lacks_tokenizer(arguments):
        arguments.skip_tokenizer_init = True
        _log(added="--skip-tokenizer-init")
    if name == "vLLM" and _NO_CACHE not in os.environ:
        os.environ[_NO_CACHE] = "1"
        _log(added=f"{_NO_CACHE}=1")


class _NoVocabulary:
    @staticmethod
    def stop_tokens_for_assistant_actions():
        return []


def _supply_vocabulary(module):
    """Servers of gpt-oss load its vocabulary from the network when they start; only chats need it."""
    load = module.load_harmony_encoding

    def load_if_there(*arguments, **named):
        try:
            return load(*arguments, **named)
        except module.HarmonyError:
            if not _State.has_server:
                raise
            _log(added="no vocabulary in place of one that openai_harmony cannot load")
            return _NoVocabulary()

    module.load_harmony_encoding = load_if_there


def _become_rank(server, arguments):
    """Makes the server one rank of a job with absent ranks; one that cannot be is refused."""
    if not _State.settings["ranks"]:
        return
    become = memviz_rehearsal_server_rank.become_rank
    added, reason = _State.guarded(become, server, arguments, _State.settings["ranks"]) or (None, None)
    if added:
        _log(added=added)
    if reason:
        _State.guarded(lambda: _State.log("refusal", text=reason))
        raise SystemExit(f"memviz: rehearse: {reason}")


def _name_server(name):
    if not _State.has_server:
        _State.has_server = True
        over_http = memviz_rehearsal_requests.server_of_process() is not None
        _log(name=name, version=str(sys.modules[name.lower()].__version__), over_http=over_http)


def _lacks_tokenizer(arguments):
    for name in ("tokenizer", "tokenizer_path", "model", "model_path"):
        folder = getattr(arguments, name, None)
        if folder:
            return os.path.isdir(folder) and not any(map(_is_tokenizer, os.listdir(folder)))
    return False


def _is_tokenizer(name):
    return name in ("tokenizer.json", "tokenizer_config.json", "vocab.json", "tekken.json") or name.endswith(".model")


# --- figures of the start


def _allocated():
    return sys.modules["torch"].cuda.memory_allocated()


def _log_growth(name):
    """A method around which what PyTorch has allocated grows by the logged number."""

    def around(original, self, *arguments, **named):
        before = _allocated()
        result = original(self, *arguments, **named)
        _log(**{name: _whole(_allocated() - before)})
        return result

    return around


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
        # vLLM 0.33 also makes buffers here, which its own figure leaves out.
        weights = _whole(getattr(self.model_runner, "model_memory_usage", None))
        _log(weights_bytes=_whole(_allocated() - before) if weights is None else weights)
        return result

    def meet(original, vllm_config, *arguments, **named):
        _State.guarded(memviz_rehearsal_model.start_for_vllm, vllm_config, _State.settings["outside_given"])
        return original(vllm_config, *arguments, **named)

    _wrap(module, "init_worker_distributed_environment", meet)
    _wrap(module.Worker, "load_model", load)
    _wrap(module.Worker, "determine_available_memory", profile)
    _wrap(module.Worker, "initialize_from_config", start)
    _wrap(module.Worker, "sleep", memviz_rehearsal_sleep.sleep)
    _wrap(module.Worker, "wake_up", memviz_rehearsal_sleep.wake_up)
    for name in _WITHOUT_VALUES if _State.settings["values"] == "on" else ():
        _wrap(module.Worker, name, _without_values)


def _without_values(original, self, *arguments, **named):
    mode = sys.modules["torch"].utils._python_dispatch._get_current_dispatch_mode()
    if type(mode).__module__ != "memviz_rehearsal_values":
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

    _wrap(module.GPUModelRunner, "initialize_kv_cache_tensors", make_cache)
    _wrap(module.GPUModelRunner, "capture_model", capture)


def _watch_sglang_runner(module):
    def capture(original, self, *arguments, **named):
        memory = sys.modules["torch"].cuda.mem_get_info
        before = memory()[0]
        result = original(self, *arguments, **named)
        _log(graph_bytes=_whole(before - memory()[0]), **_graph_facts())
        return result

    _wrap(module.ModelRunner, "load_model", _log_growth("weights_bytes"))
    _wrap(module.ModelRunner, "init_memory_pool", _log_growth("cache_bytes"))
    for name in ("init_cuda_graphs", "init_device_graphs"):
        _wrap(module.ModelRunner, name, capture)


def _graph_facts():
    return _State.guarded(memviz_rehearsal_model.graph_facts) or {}


def _whole(value):
    return int(value) if isinstance(value, (int, float)) and value >= 0 else None


def _watch_vllm_log(module):
    """vLLM 0.33 configures its logger again, which takes handlers away."""
    configure = getattr(module, "_configure_vllm_root_logger", None)

    def configure_and_read(*arguments, **named):
        configure(*arguments, **named)
        _State.guarded(_read_log_lines, "vllm")

    if configure is not None:
        module._configure_vllm_root_logger = configure_and_read
    _read_log_lines("vllm")


def _read_log_lines(name):
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: _State.guarded(_read_record, record)
    logging.getLogger(name).addHandler(handler)


def _read_quiet_log(module):
    """A program may have vLLM log errors alone, as trl does: the lines about memory are read where they are written."""
    write = module.logger.info

    def read_and_write(message, *arguments, **named):
        if not module.logger.isEnabledFor(logging.INFO):
            _State.guarded(lambda: _log_line(message % arguments))
        return write(message, *arguments, **{**named, "stacklevel": named.get("stacklevel", 1) + 1})

    module.logger.info = read_and_write


def _log_line(text):
    facts = facts_of_line(text)
    if facts:
        _log(**facts)


def _read_record(record):
    facts = facts_of_line(record.getMessage())
    if record.levelno >= logging.ERROR and record.exc_info and record.exc_info[1] is not None:
        facts["error"] = _error_text(type(record.exc_info[1]).__name__, record.exc_info[1])
    if facts:
        _log(**facts)


def facts_of_line(text):
    """Returns what a line of a server's log says about its memory, or the error of a traceback in it."""
    facts = {}
    for pattern, names in _LINES:
        found = pattern.search(text)
        if found:
            facts.update((name, _number(value)) for name, value in zip(names, found.groups()))
    if "Traceback (most recent call last)" in text:
        facts["error"] = text.strip().rpartition("\n")[2].strip()[:_MOST_ERROR_CHARACTERS]
    return facts


def _number(text):
    text = text.replace(",", "")
    return float(text) if "." in text else int(text or 0)


def _error_text(kind, error):
    return f"{kind}: {error}".removesuffix(": ")[:_MOST_ERROR_CHARACTERS]
