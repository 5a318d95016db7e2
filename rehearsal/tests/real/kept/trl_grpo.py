"""trl: reinforcement learning by GRPO; transformers generates the completions."""

from datasets import Dataset
from model import llama, make_tokenizer, show
from trl import GRPOConfig, GRPOTrainer

settings = GRPOConfig(
    output_dir="trained", per_device_train_batch_size=4, num_generations=4, max_completion_length=16, max_steps=3, bf16=True,
    report_to=[], save_strategy="no", disable_tqdm=True, logging_strategy="no",
)  # fmt: skip
trainer = GRPOTrainer(
    model=llama(), args=settings, processing_class=make_tokenizer("tokenizer"),
    reward_funcs=lambda completions, **_: [float(len(text)) for text in completions],
    train_dataset=Dataset.from_list([{"prompt": "the quick brown fox " * 4}] * 16),
)  # fmt: skip
show(trainer.train().global_step)
