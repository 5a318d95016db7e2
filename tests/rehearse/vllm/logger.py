import logging

logging.getLogger("vllm").setLevel(logging.INFO)
