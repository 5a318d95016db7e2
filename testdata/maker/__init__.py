"""Makes the snapshots beside this package: a simulated allocator, stories that run on it, and writers of bytes."""
