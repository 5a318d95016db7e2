# NVIDIA B300 288 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 10.3;
# multiprocessors, L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA B300 SXM6 AC
compute_capability = 10.3
multiprocessors = 148
# Approximation: PyTorch's messages in public logs say "a total capacity of 267.69 GiB".
total_bytes = 287429885952
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 681574400
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 132120576
memory_bus_bits = 8192
