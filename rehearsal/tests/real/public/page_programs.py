"""Programs whose memory was measured on GPUs and published in pages of documentation, written anew from their descriptions.

    page_programs.py NAME OUTPUT.json

Writes the MiB that pages.py compares.
"""

import functools
import json
import pathlib
import sys
import types

import torch
import torch.nn.functional as F

MIB = 1 << 20
# transformers' page "Efficient Training on a Single GPU".
BERT_ROWS = {
    "bert": {"per_device_train_batch_size": 4},
    "bert_accumulated": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4},
    "bert_checkpointed": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "gradient_checkpointing": True},
    "bert_fp16": {"per_device_train_batch_size": 4, "fp16": True},
    "bert_fp16_checkpointed": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "gradient_checkpointing": True, "fp16": True},
    "bert_adafactor": {"per_device_train_batch_size": 4, "optim": "adafactor"},
    "bert_all": {
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 4,
        "gradient_checkpointing": True,
        "fp16": True,
        "optim": "adafactor",
    },
}
# torchao's README of low-bit optimizers.
VIT_ROWS = {"vit": None, "vit_offload": {}, "vit_offload_gradients": {"offload_gradients": True}}
# Calls after the model was loaded.
VIDEO_CALLS = {"video_loaded": 0, "video": 2}


def keep_gradients():
    """zero_grad() fills gradients with zeros, as it did before PyTorch 2.0, when the page was written."""
    for owner in (torch.nn.Module, torch.optim.Optimizer):
        original = owner.zero_grad
        owner.zero_grad = lambda self, set_to_none=False, original=original: original(self, set_to_none=False)


def train_bert(**settings):
    """Returns the highest reserved memory of three steps."""
    from transformers import AutoModelForSequenceClassification, BertConfig, Trainer, TrainingArguments

    keep_gradients()
    config = BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager").to("cuda")
    data = [{"input_ids": torch.randint(100, 30000, (512,)), "labels": torch.tensor(0)} for _ in range(16)]
    optimizer = None if "optim" in settings else torch.optim.AdamW(model.parameters(), foreach=False)  # no foreach in 2022
    arguments = TrainingArguments(output_dir="tmp", max_steps=3, report_to="none", save_strategy="no", **settings)
    Trainer(model=model, args=arguments, train_dataset=data, optimizers=(optimizer, None)).train()
    return torch.cuda.max_memory_reserved()


def octocoder():
    """transformers' page "Optimizing LLMs for Speed and Memory": 60 tokens after a prompt of about 20."""
    from transformers import AutoModelForCausalLM, GPTBigCodeConfig

    config = GPTBigCodeConfig(n_embd=6144, n_head=48, n_inner=24576, n_layer=40, n_positions=8192, vocab_size=49152)
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation="eager").eval()
    model.generate(torch.randint(5, 1000, (1, 20), device="cuda"), min_new_tokens=60, max_new_tokens=60, do_sample=False, pad_token_id=0)
    return torch.cuda.max_memory_allocated()


def train_vit_giant(offload):
    """torchao's README of low-bit optimizers, "Optimizer CPU offload": the highest allocated memory of three steps."""
    import timm
    from torchao.prototype.low_bit_optim import CPUOffloadOptimizer

    model = timm.create_model("vit_giant_patch14_dinov2", num_classes=45, img_size=224)
    model.set_grad_checkpointing()
    model.bfloat16().cuda()
    adamw = functools.partial(torch.optim.AdamW, fused=True)
    optimizer_class = functools.partial(CPUOffloadOptimizer, optimizer_class=adamw, **offload) if offload is not None else adamw
    optimizer = optimizer_class(model.parameters(), lr=1e-4, weight_decay=0)
    for _ in range(3):
        images, labels = torch.zeros(32, 3, 224, 224, dtype=torch.bfloat16), torch.zeros(32, dtype=torch.int64)
        loss = F.cross_entropy(model(images.cuda()), labels.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return torch.cuda.max_memory_allocated()


class Tokens:
    """A tokenizer that pads every text to its length."""

    def __call__(self, texts, max_length=226, **_):
        ids = torch.ones(len(texts), max_length, dtype=torch.int64)
        return types.SimpleNamespace(input_ids=ids, attention_mask=ids)


def generate_video(calls):
    """A table in diffusers' pull request 10163: CogVideoX-5b, 49 frames of 480 x 720, without decoding. Returns what the loaded model takes,
    or after `calls` calls the highest reserved memory."""
    from diffusers import AutoencoderKLCogVideoX, CogVideoXDDIMScheduler, CogVideoXPipeline, CogVideoXTransformer3DModel
    from transformers import T5Config, T5EncoderModel

    torch.set_default_dtype(torch.bfloat16)
    t5 = {"d_model": 4096, "d_ff": 10240, "d_kv": 64, "num_heads": 64, "num_layers": 24, "feed_forward_proj": "gated-gelu"}
    transformer = {"num_attention_heads": 48, "num_layers": 42, "use_rotary_positional_embeddings": True}
    pipeline = CogVideoXPipeline(
        tokenizer=Tokens(),
        text_encoder=T5EncoderModel(T5Config(vocab_size=32128, tie_word_embeddings=False, **t5)),
        vae=AutoencoderKLCogVideoX(scaling_factor=0.7),
        transformer=CogVideoXTransformer3DModel(**transformer),
        scheduler=CogVideoXDDIMScheduler(),
    ).to("cuda")
    torch.set_default_dtype(torch.float32)
    loaded = torch.cuda.memory_allocated()
    for _ in range(calls):
        pipeline("a panda", height=480, width=720, num_frames=49, num_inference_steps=3, guidance_scale=5.0, output_type="latent")
    return torch.cuda.max_memory_reserved() if calls else loaded


def main():
    name, output = sys.argv[1:]
    if name in BERT_ROWS:
        measured = train_bert(**BERT_ROWS[name])
    elif name in VIT_ROWS:
        measured = train_vit_giant(VIT_ROWS[name])
    elif name in VIDEO_CALLS:
        measured = generate_video(VIDEO_CALLS[name])
    else:
        measured = octocoder()
    pathlib.Path(output).write_text(json.dumps({"mib": measured / MIB}))


if __name__ == "__main__":
    main()
