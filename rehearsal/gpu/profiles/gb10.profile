# NVIDIA GB10 (DGX Spark): CPU and GPU share 128 GB of memory. Limits of a multiprocessor: CUDA C++ Programming Guide,
# compute capability 12.1; multiprocessors, L2 cache and bus: public descriptions of the card, estimated.
device = NVIDIA GB10
compute_capability = 12.1
multiprocessors = 48
# Approximation: vLLM's messages in public logs say 121.69 GiB. Of these, CUDA reports as free after the start of the
# system 112 or 111.4 GiB on some machines, 109.83, 105.19, and 101.3 to 102.2 on others
# (github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks/issues/47); what the system has is taken from the first.
total_bytes = 130663641088
system_bytes = 11048845312
least_total_bytes = 119819059200
# Approximation of what a fresh context of PyTorch takes; it depends on the driver and on the version of CUDA.
context_bytes = 440401920
threads_per_multiprocessor = 1536
blocks_per_multiprocessor = 24
shared_bytes_per_multiprocessor = 102400
shared_bytes_per_block = 101376
l2_cache_bytes = 25165824
memory_bus_bits = 256
