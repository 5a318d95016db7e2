# NVIDIA L40S 48 GB, with ECC. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.9;
# multiprocessors, L2 cache and bus: NVIDIA L40S data sheet; NVIDIA Ada architecture, white paper.
device = NVIDIA L40S
compute_capability = 8.9
multiprocessors = 142
# Approximation: PyTorch's messages in public logs say "a total capacity of 44.42 GiB"
# (github.com/stepfun-ai/Step-Video-T2V/issues/8); also 44.40, and 44.53 (github.com/Wan-Video/Wan2.1/issues/205).
total_bytes = 47695593472
least_total_bytes = 47674136985
most_total_bytes = 47819092131
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 408944640
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 100663296
memory_bus_bits = 384
