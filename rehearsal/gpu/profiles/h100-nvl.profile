# NVIDIA H100 NVL 94 GB. Limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 9.0;
# multiprocessors, L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA H100 NVL
compute_capability = 9.0
multiprocessors = 132
# Approximation: PyTorch's messages in public logs say "a total capacity of 93.00 GiB"
# (github.com/ali-vilab/VACE/issues/56); a public program expects 99456909312 bytes.
total_bytes = 99857989632
least_total_bytes = 99456909312
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 552599552
threads_per_multiprocessor = 2048
blocks_per_multiprocessor = 32
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 52428800
memory_bus_bits = 6016
