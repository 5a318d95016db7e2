# NVIDIA GH200 96 GB (HBM3), the card with 480 GB of memory of its CPU. Limits of a multiprocessor: CUDA C++ Programming
# Guide, compute capability 9.0; multiprocessors, L2 cache and bus: NVIDIA GH200 data sheet, estimated. The memory of
# the CPU, which such a GPU can also use, is not counted.
device = NVIDIA GH200 480GB
compute_capability = 9.0
multiprocessors = 132
# Approximation: PyTorch's messages in public logs say "a total capacity of 94.88 GiB"
# (github.com/Lightning-AI/litgpt/issues/1892).
total_bytes = 101876563968
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 62914560
memory_bus_bits = 6144
