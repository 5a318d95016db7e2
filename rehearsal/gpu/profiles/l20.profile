# NVIDIA L20 48 GB, with ECC. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.9;
# multiprocessors, L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA L20
compute_capability = 8.9
multiprocessors = 92
# Approximation: PyTorch's messages in public logs say "a total capacity of 44.53 GiB"
# (github.com/Tencent-Hunyuan/HunyuanCustom/issues/36).
total_bytes = 47813689344
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 408944640
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 100663296
memory_bus_bits = 384
