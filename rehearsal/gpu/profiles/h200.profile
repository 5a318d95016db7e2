# NVIDIA H200 SXM 141 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 9.0;
# the rest: measured with driver 580 on 2026-11-26.
device = NVIDIA H200
compute_capability = 9.0
multiprocessors = 132
# PyTorch's messages in public logs also say 139.72 and 139.81 GiB.
total_bytes = 150109880320
least_total_bytes = 150023207649
most_total_bytes = 150125213122
# A fresh context of PyTorch takes 552402944 with driver 580 and CUDA 13 (measured on 2026-11-26).
context_bytes = 552599552
# Measured like that at the end of small trainings: 224 to 244 MiB for kernels and two handles of cuBLAS.
kernels_bytes = 251658240
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 62914560
memory_bus_bits = 6016
nvlink_links = 18
