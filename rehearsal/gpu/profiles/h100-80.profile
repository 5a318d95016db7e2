# NVIDIA H100 SXM5 80 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 9.0;
# multiprocessors, L2 cache and bus: NVIDIA H100 Tensor Core GPU architecture, white paper.
device = NVIDIA H100 80GB HBM3
also_called = h100
compute_capability = 9.0
multiprocessors = 132
# Approximation: PyTorch's messages in public logs say "a total capacity of 79.10 GiB"; other drivers 79.18 (driver 580), 79.25.
total_bytes = 84932952064
most_total_bytes = 85099408261
# A fresh context of PyTorch takes 552402944 with driver 580 and CUDA 13 (measured on 2026-11-26).
context_bytes = 552599552
# Measured like that at the end of small trainings: 224 to 244 MiB for kernels and two handles of cuBLAS.
kernels_bytes = 251658240
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 52428800
memory_bus_bits = 5120
nvlink_links = 18
