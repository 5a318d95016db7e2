# NVIDIA T4 16 GB, with ECC. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 7.5;
# multiprocessors, L2 cache and bus: NVIDIA Turing architecture, white paper.
device = Tesla T4
compute_capability = 7.5
multiprocessors = 40
# Approximation: PyTorch's messages in public logs say "a total capacity of 14.75 GiB" (github.com/hpcaitech/Open-Sora/issues/697); also 14.58.
total_bytes = 15837691904
least_total_bytes = 15655155793
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 157286400
threads_per_multiprocessor = 1024
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 65536
shared_bytes_per_block = 65536
l2_cache_bytes = 4194304
memory_bus_bits = 256
