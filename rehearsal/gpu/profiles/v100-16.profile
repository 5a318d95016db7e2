# NVIDIA V100 SXM2 16 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 7.0;
# multiprocessors, L2 cache and bus: NVIDIA Volta architecture, white paper.
device = Tesla V100-SXM2-16GB
compute_capability = 7.0
multiprocessors = 80
# Approximation: PyTorch's messages in public logs say "a total capacity of 15.78 GiB"; also 15.77.
total_bytes = 16943611904
least_total_bytes = 16932908564
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 325058560
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 98304
shared_bytes_per_block = 98304
l2_cache_bytes = 6291456
memory_bus_bits = 4096
nvlink_links = 6
