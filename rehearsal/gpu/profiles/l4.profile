# NVIDIA L4 24 GB, with ECC. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.9;
# multiprocessors, L2 cache and bus: NVIDIA L4 data sheet; NVIDIA Ada architecture, white paper.
device = NVIDIA L4
compute_capability = 8.9
multiprocessors = 58
# Approximation: PyTorch's messages in public logs say "a total capacity of 22.03 GiB"; also 22.04 to 22.15.
total_bytes = 23654498304
most_total_bytes = 23788750110
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 367001600
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 50331648
memory_bus_bits = 192
