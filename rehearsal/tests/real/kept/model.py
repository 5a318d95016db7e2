"""Small models that the programs of this folder train, and what they print: figures that memviz must not change."""

import random

import torch

random.seed(0)
torch.manual_seed(0)


def llama_config():
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1408, num_hidden_layers=4, num_attention_heads=8,
        num_key_value_heads=4, use_cache=False, bos_token_id=1, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip


def llama():
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM(llama_config())


def examples(count=16, length=256):
    """Returns token ids for the Trainer of transformers."""
    tokens = torch.randint(3, 8000, (count, length))
    return [{"input_ids": one, "labels": one} for one in tokens]


def make_tokenizer(folder):
    """Writes a tokenizer of bytes, and returns it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    tokens = ["<pad>", "<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(tokens)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>")
    made.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    made.save_pretrained(folder)
    return made


def train(model, loss_of, steps=3):
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=1e-4)
    for step in range(steps):
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        show(step, loss.item())


def show(*figures):
    sizes = {name: torch.cuda.memory_stats()[f"{name}.all.allocated"] for name in ("allocation", "allocated_bytes")}
    print(*figures, sizes, torch.cuda.max_memory_allocated(), flush=True)
