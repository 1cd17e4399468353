"""What every room stands on: errors, files, kernels, threads, cache, progress."""
