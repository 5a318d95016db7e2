import logging

TOKENS, LENGTH = 4096, 1024
TOKEN_BYTES = 192_000
logger = logging.getLogger(__name__)


def _check_enough_kv_cache_memory(available_memory, get_needed_memory, max_model_len, estimate_max_model_len):
    if get_needed_memory() > available_memory:
        raise ValueError(f"To serve at least one request with the models's max seq len ({max_model_len})")


def check_enough_kv_cache_memory(available_memory):
    _check_enough_kv_cache_memory(available_memory, lambda: LENGTH * TOKEN_BYTES, LENGTH, lambda memory: memory // TOKEN_BYTES)


def report_kv_cache_config():
    logger.info("GPU KV cache size: %s tokens", f"{TOKENS:,}")
    logger.info("Maximum concurrency for %s tokens per request: %.2fx", f"{LENGTH:,}", TOKENS / LENGTH)
