# NVIDIA A100 SXM4 80 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.0;
# multiprocessors, L2 cache and bus: NVIDIA A100 Tensor Core GPU architecture, white paper.
device = NVIDIA A100-SXM4-80GB
compute_capability = 8.0
multiprocessors = 108
# Approximation: PyTorch's messages in public logs say "a total capacity of 79.15 GiB"; other drivers 79.14, 79.25, 79.33.
total_bytes = 84986626048
least_total_bytes = 84975927951
most_total_bytes = 85185307607
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 445644800
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 167936
shared_bytes_per_block = 166912
l2_cache_bytes = 41943040
memory_bus_bits = 5120
nvlink_links = 12
