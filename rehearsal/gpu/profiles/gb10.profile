# NVIDIA GB10 (DGX Spark): CPU and GPU share 128 GB of memory, so that what the system and the program hold there is
# taken from the GPU as well; a rehearsal does not count that. Limits of a multiprocessor: CUDA C++ Programming Guide,
# compute capability 12.1; multiprocessors, L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA GB10
compute_capability = 12.1
multiprocessors = 48
# A query of the driver in public sources says "totalMem=130602405888". After boot, without any program, CUDA reports
# 101.3 to 102.2 GiB of it as free (github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks/issues/47).
total_bytes = 130602405888
least_total_bytes = 108770033664
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 25165824
memory_bus_bits = 256
