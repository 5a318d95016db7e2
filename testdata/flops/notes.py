"""What a reader of a model's figures must know: why they differ from each other, or what torch does not count."""

NOTES = {
    "nanogpt_all_positions": "the article's 291648307200 is by hand and has 50257 words of vocabulary in the last "
    "layer, where the model has 50304",
    "additions": "FlopCounterMode has no rule for addbmm (2 * 2 * 3 * 4 * 5 = 240) and addmv (2 * 3 * 4 = 24)",
    "called_twice": "the archive may name the third call `again`, by_module names a module by the first of its names",
    "lstm": "FlopCounterMode has no rule for what aten.lstm.input becomes on the CPU; its products are 645120: for two "
    "layers 2 * batch * steps * 4 * hidden * (input + hidden), as the decomposed graph has them",
    "gru": "the aten.gru.input node is 483840: for two layers 2 * batch * steps * 3 * hidden * (input + hidden)",
    "matmul": "FlopCounterMode has no rule for dot and mv, which four of the ten products become (2 * 7, 2 * 3 * 7, "
    "2 * 30 * 7 twice); when decomposed, the last of these is a bmm of 420",
    "grouped_mm": "FlopCounterMode has no rule for it; the product is 2 * 48 * 64 * 32 = 196608, however it is grouped",
    "grouped_mm_3d": "FlopCounterMode has no rule for it; the product is 2 * 3 * 16 * 32 * 8 = 24576",
    "expressions": "FlopCounterMode has no rule for dot, which the product of two vectors of 60 becomes: 120 more",
    "cond": "FlopCounterMode takes the larger branch of each operator by itself, addmm 2048 of the first and mm 2560 "
    "of the second; each branch is 3072",
    "cond_later": "the larger branch is 2048, so 3072 with what comes before; of an operator that was counted before, "
    "FlopCounterMode adds up both branches, which makes 4096",
    "while_loop": "FlopCounterMode has no rule for it; one round of the body is 512, and how many there are depends on "
    "the data (five here)",
    "map": "FlopCounterMode has no rule for it; the body is 512, for each of six rows: 3072",
    "scan": "FlopCounterMode has no rule for it; the body is 384, for each of five rows: 1920",
    "unbacked": "the first size of the linear layer's input is u0, without a hint: the data decide, it was 3 here",
    "loss": "total_flops is the forward pass; the joint graph has the backward pass as well",
    "invoked_regions": "FlopCounterMode has no rule for invoke_subgraph; every region is 1024, whether it is written "
    "out or invoked",
}


def notes_on(name):
    return {"note": NOTES[name]} if name in NOTES else {}
