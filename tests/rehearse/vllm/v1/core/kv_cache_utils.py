import logging

TOKENS, LENGTH = 4096, 1024
logger = logging.getLogger(__name__)


def report_kv_cache_config():
    logger.info("GPU KV cache size: %s tokens", f"{TOKENS:,}")
    logger.info("Maximum concurrency for %s tokens per request: %.2fx", f"{LENGTH:,}", TOKENS / LENGTH)
