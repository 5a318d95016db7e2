# NVIDIA H100 SXM5 80 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 9.0;
# multiprocessors, L2 cache and bus: NVIDIA H100 Tensor Core GPU architecture, white paper.
device = NVIDIA H100 80GB HBM3
compute_capability = 9.0
multiprocessors = 132
# Approximation: PyTorch's messages in public logs say "a total capacity of 79.10 GiB"; other drivers 79.18, 79.25.
total_bytes = 84932952064
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 52428800
memory_bus_bits = 5120
nvlink_links = 18
