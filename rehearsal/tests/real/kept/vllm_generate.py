"""vLLM: answers two requests with a model of random weights, in the process of the program and without torch.compile."""

import os

from model import llama, make_tokenizer, show

os.environ["VLLM_LOGGING_LEVEL"] = "ERROR"  # other lines have times
os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
# The newer one reads from the GPU how many tokens there are.
os.environ["VLLM_USE_V2_MODEL_RUNNER"] = "0"
from vllm import LLM, SamplingParams  # noqa: E402 (reads the variables)

make_tokenizer("served")
llama().save_pretrained("served")
server = LLM("served", max_model_len=512, max_num_seqs=8, gpu_memory_utilization=0.5, enforce_eager=True,
             async_scheduling=False)  # fmt: skip
for prompt in "the quick brown fox", "jumps over the lazy dog":
    (answer,) = server.generate([prompt], SamplingParams(max_tokens=16, temperature=0, ignore_eos=True), use_tqdm=False)
    show(answer.outputs[0].token_ids)
