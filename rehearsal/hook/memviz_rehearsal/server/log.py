"""Logs facts about an inference server as events "server", among them what it prints about its memory."""

import logging
import re

from memviz_rehearsal import journal
from memviz_rehearsal.process.methods import act_at_imports

# The lines that servers print about their memory, and the names under which these are logged.
_LINES = (
    (re.compile(r"GPU KV cache size: ([\d,]{1,20}) tokens"), ("cache_tokens",)),
    (re.compile(r"Maximum concurrency for ([\d,]{1,20}) tokens per request: ([\d,]{1,20}\.\d{1,9})x"), ("request_tokens", "requests_at_once")),
    (re.compile(r"max_total_num_tokens=(\d{1,20}),.{0,2000}?context_len=(\d{1,20})"), ("cache_tokens", "request_tokens")),
)  # fmt: skip
_MOST_ERROR_CHARACTERS = 2000


def install():
    acts = (
        ("vllm.logger", _watch_vllm_log),
        ("vllm.v1.core.kv_cache_utils", _read_quiet_log),
        ("sglang.srt.server_args", _read_sglang_log),
    )
    act_at_imports(acts)


def log_facts(**facts):
    journal.guarded(journal.log, "server", **facts)


def _watch_vllm_log(module):
    """vLLM 0.33 configures its logger again, which removes handlers."""
    configure = getattr(module, "_configure_vllm_root_logger", None)

    def configure_and_read(*arguments, **named):
        configure(*arguments, **named)
        journal.guarded(_read_log_lines, "vllm")

    if configure is not None:
        module._configure_vllm_root_logger = configure_and_read
    _read_log_lines("vllm")


def _read_sglang_log(_):
    _read_log_lines("sglang")


def _read_log_lines(name):
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: journal.guarded(_read_record, record)
    logging.getLogger(name).addHandler(handler)


def _read_quiet_log(module):
    """A program may have vLLM log only errors, as trl does, so lines about memory are read where they are written."""
    write = module.logger.info

    def read_and_write(message, *arguments, **named):
        if not module.logger.isEnabledFor(logging.INFO):
            journal.guarded(lambda: _log_line(message % arguments))
        return write(message, *arguments, **{**named, "stacklevel": named.get("stacklevel", 1) + 1})

    module.logger.info = read_and_write


def _log_line(text):
    facts = facts_of_line(text)
    if facts:
        log_facts(**facts)


def _read_record(record):
    facts = facts_of_line(record.getMessage())
    if record.levelno >= logging.ERROR and record.exc_info and record.exc_info[1] is not None:
        facts["error"] = error_text(record.exc_info[1])
    if facts:
        log_facts(**facts)


def facts_of_line(text):
    """Returns the facts about memory in a line of a server's log, or the error of a traceback in it."""
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


def error_text(error):
    return f"{type(error).__name__}: {error}".removesuffix(": ")[:_MOST_ERROR_CHARACTERS]
