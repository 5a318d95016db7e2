# NVIDIA Jetson AGX Orin 64 GB: CPU and GPU share the memory. Multiprocessors and bus: public descriptions of the module;
# limits of a multiprocessor: CUDA C++ Programming Guide, compute capability 8.7.
device = Orin
compute_capability = 8.7
multiprocessors = 16
# llama.cpp reports "VRAM: 62827 MiB" in public logs. What the system has after its start is assumed, not measured.
total_bytes = 65878884352
system_bytes = 3221225472
least_total_bytes = 61583917056
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 16
shared_bytes_per_multiprocessor = 167936
shared_bytes_per_block = 166912
l2_cache_bytes = 4194304
memory_bus_bits = 256
