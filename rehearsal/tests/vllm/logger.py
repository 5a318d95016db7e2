import logging
import logging.config
import os


def _configure_vllm_root_logger():
    level = os.environ.get("VLLM_LOGGING_LEVEL", "INFO")
    logging.config.dictConfig(
        {"version": 1, "disable_existing_loggers": False, "loggers": {"vllm": {"level": level, "handlers": []}}}
    )


_configure_vllm_root_logger()


def configure_again():
    """Like vLLM 0.33 once it knows its arguments."""
    _configure_vllm_root_logger()
