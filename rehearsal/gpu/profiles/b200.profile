# NVIDIA B200 180 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 10.0;
# multiprocessors, L2 cache and bus: public descriptions of the card, approximations.
device = NVIDIA B200
compute_capability = 10.0
multiprocessors = 148
# Approximation: PyTorch's messages in public logs say "a total capacity of 178.35 GiB"; also 178.36.
total_bytes = 191501828096
most_total_bytes = 191517960437
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 681574400
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 132120576
memory_bus_bits = 8192
nvlink_links = 18
