# NVIDIA Jetson AGX Thor (T5000): CPU and GPU share 128 GB of memory. Multiprocessors: public descriptions of the module;
# limits of a multiprocessor, L2 cache and bus: as on other cards of its generation, estimated.
device = NVIDIA Thor
compute_capability = 11.0
multiprocessors = 20
# llama.cpp reports "VRAM: 125748 MiB" in public logs. What the system has after its start is assumed, not measured.
total_bytes = 131856334848
system_bytes = 4294967296
least_total_bytes = 124340142080
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 233472
shared_bytes_per_block = 232448
l2_cache_bytes = 33554432
memory_bus_bits = 256
