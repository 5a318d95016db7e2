# NVIDIA GeForce RTX 4090 24 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.9;
# multiprocessors, L2 cache and bus: NVIDIA Ada architecture, white paper.
device = NVIDIA GeForce RTX 4090
compute_capability = 8.9
multiprocessors = 128
# deviceQuery, "24210 MBytes (25386352640 bytes)", in public logs; PyTorch's messages say 23.64 GiB.
total_bytes = 25386352640
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 408944640
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 75497472
memory_bus_bits = 384
