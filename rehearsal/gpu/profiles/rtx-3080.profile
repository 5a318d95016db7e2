# NVIDIA GeForce RTX 3080 10 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.6;
# multiprocessors, L2 cache and bus: NVIDIA Ampere GA102 architecture, white paper.
device = NVIDIA GeForce RTX 3080
compute_capability = 8.6
multiprocessors = 68
# Approximation: PyTorch's messages in public logs say "9.78 GiB total capacity"
# (github.com/zai-org/CogVideo/issues/34).
total_bytes = 10501160960
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 314572800
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 5242880
memory_bus_bits = 320
