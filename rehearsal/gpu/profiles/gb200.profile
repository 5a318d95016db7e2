# NVIDIA GB200, one of its GPUs, 186 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability
# 10.0; multiprocessors, L2 cache and bus: public descriptions of the card, estimated. The memory of the CPU, which
# such a GPU can also use, is not counted.
device = NVIDIA GB200
compute_capability = 10.0
multiprocessors = 152
# Approximation: PyTorch's messages in public logs say "a total capacity of 184.31 GiB".
total_bytes = 197901352960
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 681574400
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 132120576
memory_bus_bits = 8192
nvlink_links = 18
