"""Reads lines of vLLM's and SGLang's logs as the hook of `memviz rehearse` does.

usage: server_lines_test.py MEMVIZ SOURCE
"""

import pathlib
import sys
import time

SOURCE = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "rehearsal/hook"), str(SOURCE / "python/memviz_torch")]
sys.modules["memviz_recording"] = __import__("recording")
sys.modules["memviz_recording.waiting"] = __import__("recording.waiting").waiting

from memviz_rehearsal.server.log import facts_of_line  # noqa: E402

LINES = {
    # vLLM 0.8 to 0.19, from published logs
    "GPU KV cache size: 476,016 tokens": {"cache_tokens": 476016},
    "Maximum concurrency for 8,192 tokens per request: 58.11x": {"request_tokens": 8192, "requests_at_once": 58.11},
    "Maximum concurrency for 2,048 tokens per request: 1,010.50x": {"request_tokens": 2048, "requests_at_once": 1010.5},
    "Model loading took 14.99 GiB memory and 3.608517 seconds": {},
    # SGLang 0.4 to 0.5
    "max_total_num_tokens=430067, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=4096, "
    "context_len=8192, available_gpu_mem=10.27 GB": {"cache_tokens": 430067, "request_tokens": 8192},
    "[gpu=0] max_total_num_tokens=38141, max_prefill_tokens=16384, max_running_requests=2049, context_len=131072": {
        "cache_tokens": 38141,
        "request_tokens": 131072,
    },
    "Scheduler hit an exception: Traceback (most recent call last):\n  File \"scheduler.py\", line 1, in run\nRuntimeError: "
    "Not enough memory. Please try to increase --mem-fraction-static.\n": {
        "error": "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."
    },
    # Lines that only look like these
    "": {},
    "GPU KV cache size: tokens": {},
    "GPU KV cache size: -5 tokens": {},
    "GPU KV cache size: ,, tokens": {"cache_tokens": 0},
    "GPU KV cache size: " + "9" * 5000 + " tokens": {},
    "Maximum concurrency for 8 tokens per request: 1.2.3x": {},
    "Maximum concurrency for 8 tokens per request: nanx": {},
    "max_total_num_tokens=5, context_len=": {},
    "Traceback (most recent call last)": {"error": "Traceback (most recent call last)"},
}


def main():
    wrong = 0
    for line, expected in LINES.items():
        found = facts_of_line(line)
        if found != expected:
            wrong += 1
            print(f"{line[:200]!r}: {found}, expected {expected}")
    error = facts_of_line("Traceback (most recent call last):\n" + "x" * 100_000)["error"]
    start = time.monotonic()
    facts_of_line("max_total_num_tokens=1," * 20_000)
    took = time.monotonic() - start
    if len(error) > 2000 or took > 5:
        wrong += 1
        print(f"an error of {len(error)} characters, {took:.1f} s for a long line")
    sys.exit(wrong > 0)


main()
