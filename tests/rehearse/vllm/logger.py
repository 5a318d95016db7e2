import logging
import logging.config


def _configure_vllm_root_logger():
    logging.config.dictConfig(
        {"version": 1, "disable_existing_loggers": False, "loggers": {"vllm": {"level": "INFO", "handlers": []}}}
    )


_configure_vllm_root_logger()


def configure_again():
    """As vLLM 0.33 does when it knows its arguments."""
    _configure_vllm_root_logger()
