# NVIDIA GeForce RTX 3090 24 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.6;
# multiprocessors, L2 cache and bus: NVIDIA Ampere GA102 architecture, white paper.
device = NVIDIA GeForce RTX 3090
compute_capability = 8.6
multiprocessors = 82
# Approximation: PyTorch's messages in public logs say "a total capacity of 23.69 GiB"; other drivers 23.55 to 23.68.
total_bytes = 25436880896
least_total_bytes = 25286619955
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 314572800
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 6291456
memory_bus_bits = 384
